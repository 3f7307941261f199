"""Results of scores are checked before kernels use them: converted, or an error that says what was expected."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.scores.answers import LARGEST_GAP

VALUES = gaussian_data(4, 60, seed=0)
METHODS = {
    "exact": osp.methods.Exact(),
    "trust": osp.methods.Trust(effort=0.05),
    "gadget": osp.methods.Gadget(effort=0.05, n_graphs=16),
}


class Changed:
    """BGe, one of whose answers is changed."""

    def __init__(self, method, change):
        self.method, self.change = method, change

    def fit(self, data):
        return FittedChanged(osp.scores.BGe().fit(data), self.method, self.change)


class FittedChanged:
    def __init__(self, fitted, method, change):
        self._fitted, self._method, self._change = fitted, method, change

    def __getattr__(self, name):
        own = getattr(self._fitted, name)
        if name != self._method:
            return own
        return (lambda *given: self._change(own(*given))) if callable(own) else self._change(own)


def learn(answer, change, **arguments):
    return osp.learn(VALUES, score=Changed(answer, change), **arguments, standardize=False)


def put(value, at=-1):
    """A change of one entry."""

    def change(answer):
        answer = answer.copy()
        answer[at] = value
        return answer

    return change


WRONG = [
    (lambda a: a[:-1], r"must return shape \(8,\); got \(7,\)"),
    (lambda a: np.append(a, a), r"must return shape \(8,\); got \(16,\)"),
    (lambda a: a[:, None], r"must return shape \(8,\); got \(8, 1\)"),
    (lambda a: 0.0, r"must return shape \(8,\); got \(\)"),
    (put(np.nan), "must return finite numbers, or -inf for impossible parent sets; got nan at 7"),
    (put(np.inf, 2), "must return finite numbers, or -inf for impossible parent sets; got inf at 2"),
    (lambda a: a + 0j, "must return an array of numbers; got ndarray of complex128"),
    (lambda a: a.astype(object), "must return an array of numbers; got ndarray of object"),
    (lambda a: a > 0.0, "must return an array of numbers; got ndarray of bool"),
    (lambda a: [[1.0], [1.0, 2.0]], "must return an array; got list"),
    (lambda a: None, "must return an array of numbers; got NoneType of object"),
    (put(-1e300), "must return logarithms within 1.8e[+]08 of each other"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_wrong_log_likelihoods(change, message):
    with pytest.raises(InvalidValue, match=f"the score broke its protocol: `log_likelihoods` of Fitted.* {message}"):
        learn("log_likelihoods", change)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("change", [lambda a: a[:-1], put(np.nan)])
def test_every_method_refuses_them(method, change):
    with pytest.raises(InvalidValue, match="`log_likelihoods` of FittedChanged must return"):
        learn("log_likelihoods", change, method=METHODS[method])


def test_one_family_refuses_them():
    with pytest.raises(InvalidValue, match="`log_likelihoods` of FittedChanged must return finite"):
        osp.scores.family_scores(VALUES, "X1", score=Changed("log_likelihoods", put(np.nan)))


@pytest.mark.parametrize("convert", [np.float32, np.float16, lambda a: a.tolist(), lambda a: np.repeat(a, 2)[::2]])
def test_other_numbers_are_converted(convert):
    found = learn("log_likelihoods", convert).edge_probabilities()
    expected = osp.learn(VALUES).edge_probabilities()
    assert np.allclose(found, expected, atol=0.05)


def test_integers_are_converted():
    rounded = learn("log_likelihoods", lambda a: np.round(a)).edge_probabilities()
    whole = learn("log_likelihoods", lambda a: np.round(a).astype(np.int32)).edge_probabilities()
    assert np.array_equal(whole, rounded)


def test_a_score_cannot_exceed_the_largest_number_of_parents():
    class Unbounded(FittedChanged):
        def log_likelihoods(self, child, candidates, max_parents, *always):
            return self._fitted.log_likelihoods(child, candidates, 3, *always)

    class Score:
        def fit(self, data):
            return Unbounded(osp.scores.BGe().fit(data), None, None)

    found, expected = (osp.learn(VALUES, score=score, max_parents=1, standardize=False) for score in (Score(), "bge"))
    assert np.array_equal(found.edge_probabilities(), expected.edge_probabilities())


def test_scores_may_lie_far_apart():
    far = learn("log_likelihoods", lambda a: a - 0.99 * LARGEST_GAP * (np.arange(a.size) > 0))
    assert far.edge_probabilities().to_numpy().max() == 0.0
    assert far.probability("X1 -> X2", given="X1 -> X2") == 1.0
    assert np.isfinite(far.log_probability("X1 -> X2"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a[1:], r"must return shape \(4,\); got \(3,\)"),
        (lambda a: np.where(np.isneginf(a), a, np.nan), "must return finite numbers, or -inf"),
        (lambda a: np.where(np.isneginf(a), a, np.inf), "must return finite numbers, or -inf"),
        (lambda a: "no", "must return an array of numbers; got str"),
    ],
)
def test_wrong_likelihoods_with_one_more(change, message):
    with pytest.raises(InvalidValue, match=f"`log_likelihoods_with_one_more` of FittedChanged {message}"):
        learn("log_likelihoods_with_one_more", change, candidates=2)


def test_what_is_said_of_impossible_ones_does_not_matter():
    changed = learn("log_likelihoods_with_one_more", lambda a: np.where(np.isneginf(a), np.nan, a), candidates=2)
    assert np.array_equal(
        changed.edge_probabilities(), osp.learn(VALUES, candidates=2, standardize=False).edge_probabilities()
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a[:, :-1], r"must return shape \(8, 3\); got \(8, 2\)"),
        (put(np.nan, (7, 0)), "must return finite numbers; got nan"),
    ],
)
def test_wrong_expected_weights(change, message):
    with pytest.raises(InvalidValue, match=f"`expected_weights` of FittedChanged {message}"):
        learn("expected_weights", change).causal_effects()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a[:2], "must return [(]location, scale, degrees of freedom[)]; got tuple"),
        (lambda a: (a[0][:0], *a[1:]), r"must return shape \(\d,\); got \(0,\)"),
        (lambda a: (a[0], a[1][0], a[2]), r"must return shape \(\d, \d\); got \(\d,\)"),
        (lambda a: (a[0], a[1], 0.0), "must return degrees of freedom above 0; got 0.0"),
        (lambda a: (a[0], a[1], np.nan), "must return finite numbers; got nan"),
    ],
)
def test_wrong_weights_given_parents(change, message):
    posterior = learn("weights_given", change)
    with pytest.raises(InvalidValue, match=f"`weights_given` of FittedChanged {message}"):
        posterior.effect_samples(20, rng=0)


@pytest.mark.parametrize("wrong", [3, 5, -4, 4.0, True, None, "4", 2**70])
def test_a_wrong_number_of_variables(wrong):
    with pytest.raises(
        InvalidValue, match="`n_variables` of FittedChanged must be 4, the number of variables of the data; got"
    ):
        learn("n_variables", lambda _: wrong)


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "wrong",
    [None, [], {}, {"name": 3}, {"name": "x", "a": np.nan}, {"name": "x", 1: 2}, {"name": "x", "a": nested(10**5)}],
)
def test_wrong_settings(wrong):
    with pytest.raises(InvalidType, match="of FittedChanged must be a dictionary of JSON values with a 'name'"):
        learn("settings", lambda _: wrong)


@pytest.mark.parametrize("fitted", [None, object(), osp.scores.BGe()])
def test_what_is_no_fitted_score(fitted):
    class Score:
        def fit(self, data):
            return fitted

    with pytest.raises(InvalidType, match="must return an object with methods log_likelihoods, "):
        osp.learn(VALUES, score=Score())


@pytest.mark.parametrize("method", METHODS)
def test_a_score_without_any_graph(method):
    with pytest.raises(InvalidValue, match="no "):
        learn("log_likelihoods", lambda a: np.full(a.size, -np.inf), method=METHODS[method])
