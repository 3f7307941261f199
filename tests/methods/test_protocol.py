"""Every method through the same protocol: a value that holds its settings, says what it needs, and learns."""

import json
import pickle
import warnings
from dataclasses import FrozenInstanceError
from functools import cache

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.methods.method import RECORDED_OTHERWISE
from orderspn.methods.registry import METHODS, as_method
from orderspn.parents.sizes import FamilySizes

D = 5
VALUES = gaussian_data(D, 30, seed=4)
LIMIT = 2**32

SMALL = {
    "auto": {},
    "exact": {},
    "trust": {"n_orders": 16, "effort": 0.02},
    "gadget": {"n_graphs": 40, "n_chains": 2, "effort": 0.02},
    "dibs": {"n_particles": 3, "effort": 0.01},
}
OTHERS = {
    "auto": {"target": "dag"},
    "exact": {"target": "dag", "outsiders": 1},
    "trust": {"oracle": "random", "expansion": (4,), "block_size": 3, "weights": "uniform", "refine": 2},
    "gadget": {"n_graphs": 9, "n_chains": 3, "outsiders": 2, "refine": 0, "effort": 0.5},
    "dibs": {"n_particles": 7, "weights": "score", "refine": 1, "effort": 2.0},
}
WRONG = {
    "auto": {"target": "graph"},
    "exact": {"target": "graph", "outsiders": 3},
    "trust": {
        "oracle": "gibbs",
        "expansion": 3,
        "block_size": 0,
        "weights": "optimal",
        "n_orders": 0,
        "outsiders": 3,
        "refine": -1,
        "effort": 0.0,
        "runs": 0,
    },
    "gadget": {"n_graphs": 0, "n_chains": 2.5, "outsiders": "all", "refine": True, "effort": "much", "runs": "all"},
    "dibs": {"n_particles": 0, "weights": "elbo", "refine": 2.5, "effort": -1, "runs": 1.5},
}

every_method = pytest.mark.parametrize("name", METHODS)


def small(name):
    return METHODS[name](**SMALL[name])


def learn(method, rng=3, n_jobs=1):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hardly any search
        return osp.learn(VALUES, method=method, rng=rng, n_jobs=n_jobs)


@cache
def learned(name):
    return learn(small(name))


def assert_same_bits(one, other):
    assert dict(one.settings) == dict(other.settings)
    assert one.edge_probabilities().equals(other.edge_probabilities())
    assert one.candidates == other.candidates
    best, again = one.most_probable_graph(), other.most_probable_graph()
    assert (best.edges, best.log_score, best.log_probability) == (again.edges, again.log_score, again.log_probability)
    np.testing.assert_array_equal(one.sample(20, rng=0).adjacency, other.sample(20, rng=0).adjacency)


def test_tables_are_complete():
    assert METHODS.keys() == SMALL.keys() == OTHERS.keys() == WRONG.keys()
    for name, method in METHODS.items():
        assert WRONG[name].keys() == method().get_params().keys()


# --- values -------------------------------------------------------------------------------------------------------


@every_method
def test_a_name_is_the_value_with_defaults(name):
    assert METHODS[name].name == name
    assert as_method(name) == METHODS[name]()
    method = small(name)
    assert as_method(method) is method


@every_method
def test_values_are_equal_where_their_settings_are(name):
    one, other = METHODS[name](**OTHERS[name]), METHODS[name](**OTHERS[name])
    assert one == other
    assert hash(one) == hash(other)
    assert one != METHODS[name]()
    assert pickle.loads(pickle.dumps(one)) == one


@every_method
def test_lists_are_values_too(name):
    listed = {key: list(value) if isinstance(value, tuple) else value for key, value in OTHERS[name].items()}
    assert METHODS[name](**listed) == METHODS[name](**OTHERS[name])


@every_method
def test_they_cannot_be_changed(name):
    method = small(name)
    for setting, value in method.get_params().items():
        with pytest.raises(FrozenInstanceError):
            setattr(method, setting, value)
    with pytest.raises(TypeError):
        METHODS[name](*method.get_params().values())  # settings have names


@every_method
def test_wrong_settings_are_refused_at_construction(name):
    for setting, wrong in WRONG[name].items():
        with pytest.raises((InvalidValue, InvalidType), match=rf"{setting} must be .*; got {wrong!r}"):
            METHODS[name](**{setting: wrong})


@every_method
def test_parameters_are_those_of_the_constructor(name):
    method = METHODS[name](**OTHERS[name])
    assert method.get_params().items() >= OTHERS[name].items()
    assert method.get_params(deep=False) == method.get_params()
    assert METHODS[name](**method.get_params()) == method


@every_method
def test_with_other_settings(name):
    method = METHODS[name]()
    assert method.with_settings() == method
    assert method.with_settings(**OTHERS[name]) == METHODS[name](**OTHERS[name])
    assert method == METHODS[name]()
    setting, wrong = next(iter(WRONG[name].items()))
    with pytest.raises((InvalidValue, InvalidType), match=f"{setting} must be"):
        method.with_settings(**{setting: wrong})


@every_method
def test_unknown_settings_are_refused_with_the_names_of_all(name):
    method = METHODS[name]()
    names = ", ".join(method.get_params())
    with pytest.raises(
        InvalidValue, match=f"^{type(method).__name__} has no setting 'sweeps': its settings are {names}"
    ):
        method.with_settings(sweeps=3)


@every_method
def test_a_class_is_no_value(name):
    kind = METHODS[name].__name__
    with pytest.raises(InvalidType, match=rf"method must be one of 'auto', .*; got the class {kind}; write {kind}\(\)"):
        osp.learn(VALUES, method=METHODS[name])


@pytest.mark.parametrize(("method", "error"), [("mcmc", InvalidValue), (3, InvalidType), (None, InvalidType)])
def test_what_is_no_method(method, error):
    with pytest.raises(error, match=f"method must be one of 'auto', 'exact', .*; got {method!r}"):
        osp.learn(VALUES, method=method)


# --- settings that are filled in, and memory ----------------------------------------------------------------------


@every_method
@pytest.mark.parametrize("settings", [SMALL, OTHERS], ids=["small", "others"])
def test_resolving_twice_changes_nothing(name, settings):
    resolved = METHODS[name](**settings[name]).resolved(D, LIMIT)
    assert resolved.resolved(D, LIMIT) == resolved
    if name != "auto":
        given = {key: value for key, value in settings[name].items() if key != "oracle"}  # a name, and then an oracle
        assert resolved.get_params().items() >= given.items()


@every_method
@pytest.mark.parametrize("settings", [{}, SMALL, OTHERS], ids=["default", "small", "others"])
def test_resolved_settings_are_complete(name, settings):
    """What is left open belongs to the parents, or to another kind of circuit."""
    resolved = METHODS[name](**settings.get(name, {})).resolved(D, LIMIT)
    open_ones = {key for key, value in resolved.get_params().items() if value is None} - set(RECORDED_OTHERWISE)
    if resolved.name == "trust":
        assert open_ones == ({"n_orders"} if resolved.grows else {"oracle", "expansion"})
    else:
        assert not open_ones


@every_method
def test_memory_grows_with_sizes(name):
    def needed(d, candidates, outsiders=0, n_jobs=1):
        sizes = FamilySizes.of([candidates] * d, [outsiders] * d)
        return small(name).resolved(d, LIMIT).demand(sizes, n_jobs).needed

    assert 0 < needed(8, 4) < needed(8, 5) < needed(8, 7) < needed(9, 7)
    assert needed(8, 4) < needed(8, 4, outsiders=1)
    assert needed(8, 4, n_jobs=1) <= needed(8, 4, n_jobs=4)


@every_method
def test_what_does_not_fit_is_refused(name):
    with pytest.raises(InvalidValue, match=r"of memory; the limit is 1.0 KiB\. .*, or raise memory_limit="):
        osp.learn(VALUES, method=small(name), memory_limit=1024)


# --- learning -----------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@every_method
def test_a_name_learns_what_the_value_learns(name, monkeypatch):
    """Bit for bit; with the defaults of a short search, where there is one."""
    for setting, value in SMALL[name].items():
        defaults = METHODS[name].__init__.__kwdefaults__
        monkeypatch.setitem(defaults, setting, value)
    assert as_method(name) == small(name)
    assert_same_bits(learn(name), learned(name))


@pytest.mark.thorough
@every_method
def test_threads_change_no_bit(name):
    assert_same_bits(learn(small(name), n_jobs=2), learned(name))


@pytest.mark.parametrize("name", ["trust", "gadget", "dibs"])
def test_seeds_decide_what_is_sampled(name):
    other = learn(small(name), rng=4)
    assert not other.edge_probabilities().equals(learned(name).edge_probabilities())
    assert (learned(name).settings["seed"], other.settings["seed"]) == (3, 4)


@every_method
def test_settings_are_recorded_as_json(name):
    resolved = small(name).resolved(D, LIMIT)
    settings = resolved.settings()
    assert json.loads(json.dumps(settings)) == settings
    assert settings["method"] == resolved.name
    assert settings["target"] == resolved.target
    assert learned(name).settings.items() >= settings.items()


@every_method
def test_files_restore_the_posterior(name, tmp_path):
    posterior = learned(name)
    posterior.save(tmp_path / "posterior.npz")
    again = osp.load(tmp_path / "posterior.npz", n_jobs=1)
    assert_same_bits(again, posterior)
    assert again.summary() == posterior.summary()
    assert f"{posterior.settings['method']}, every graph counts once" in posterior.summary()


@pytest.mark.parametrize("name", [name for name in METHODS if not small(name).resolved(D, LIMIT).heeds_time_limit])
def test_time_limits_are_not_for_those_who_do_not_heed_them(name):
    with pytest.raises(InvalidValue, match=r"time_limit is for .*; got time_limit=3.0 with (Exact|DiBS)\("):
        osp.learn(VALUES, method=small(name), time_limit=3.0)
