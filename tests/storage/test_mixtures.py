"""Files of mixtures: round trips, damage, forgeries, and how much they may take."""

import json
import re
import zipfile

import numpy as np
import pytest

import orderspn as osp
from helpers.files import forge, read_members
from helpers.mixtures import MAKERS, case, learn
from orderspn import storage
from orderspn.mixture.mixing import MOST_COMPONENTS

EVENTS = ["A -> B -> C", "A !-> D, B -> C", "A -- D"]


def conditioned(name):
    """The mixture, and the same under evidence."""
    whole = case(name).mixture
    return whole, whole.given("A -- B, C !-> D")


def assert_same_answers(one, other):
    assert type(one) is type(other) is osp.Mixture
    assert one.variables == other.variables
    assert one.evidence == other.evidence
    assert one.settings == other.settings
    assert one.candidates == other.candidates
    np.testing.assert_array_equal(one.weights, other.weights)
    assert [c.evidence for c in one.components] == [c.evidence for c in other.components]
    assert [c.settings for c in one.components] == [c.settings for c in other.components]
    assert one.edge_probabilities().equals(other.edge_probabilities())
    assert one.edge_standard_errors().equals(other.edge_standard_errors())
    assert [one.log_probability(e) for e in EVENTS] == [other.log_probability(e) for e in EVENTS]
    assert one.parent_sets("C").equals(other.parent_sets("C"))
    np.testing.assert_array_equal(one.sample(50, rng=4).adjacency, other.sample(50, rng=4).adjacency)
    np.testing.assert_array_equal(one.effect_samples(20, rng=4).values, other.effect_samples(20, rng=4).values)
    assert one.summary() == other.summary()
    assert one.model.log_total == other.model.log_total
    assert one.given("B -> C").edge_probabilities().equals(other.given("B -> C").edge_probabilities())


QUICK = "samples"


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == QUICK else pytest.mark.thorough) for n in MAKERS])
def test_round_trips(name, tmp_path):
    for mixture in conditioned(name):
        mixture.save(tmp_path / "m.npz")
        again = osp.load(tmp_path / "m.npz", n_jobs=1)
        assert_same_answers(again, mixture)
        again.save(tmp_path / "again.npz")
        assert_same_answers(osp.load(tmp_path / "again.npz", n_jobs=1), mixture)


def test_round_trip_of_a_component_without_weight(tmp_path):
    never = learn(knowledge="A !-> B")
    other = case("orders, sample and nothing").parts[0].posterior.given("B -> C")
    mixture = osp.mix([never, other], "equal").given("A -> B")
    assert mixture.weights.tolist() == [0.0, 1.0]
    mixture.save(tmp_path / "m.npz")
    assert_same_answers(osp.load(tmp_path / "m.npz", n_jobs=1), mixture)


def test_units_of_each_component(tmp_path):
    values = np.random.default_rng(0).normal(size=(40, 3)) * [1.0, 5.0, 0.1]
    mixture = osp.mix([osp.learn(values), osp.learn(values[:30])], "equal")
    mixture.save(tmp_path / "m.npz")
    again = osp.load(tmp_path / "m.npz")
    assert again.causal_effects().equals(mixture.causal_effects())
    assert again.causal_effects(units="sd").equals(mixture.causal_effects(units="sd"))


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "mixture.npz"
    case("two exact, by evidence").mixture.given("A -> B").save(path)
    return path


def refusal(path, **arguments):
    with pytest.raises(osp.UnreadableFile) as found:
        osp.load(path, n_jobs=1, **arguments)
    assert str(path) in str(found.value)
    return str(found.value)


def test_members(saved):
    """Numbers alone, stored as they are; each component as a posterior of its own."""
    arrays, manifest = read_members(saved)
    assert manifest["format_version"] == 2
    assert {name.rpartition("/")[0] for name in arrays} == {"", "components/0", "components/1"}
    assert all(not array.dtype.hasobject for array in arrays.values())
    with zipfile.ZipFile(saved) as archive:
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
    assert storage.read_manifest(saved)["weighting"] == "evidence"


def test_files_of_single_posteriors_are_as_before(tmp_path):
    case("two exact, by evidence").parts[0].posterior.save(tmp_path / "p.npz")
    arrays, manifest = read_members(tmp_path / "p.npz")
    assert manifest["format_version"] == storage.FORMAT_VERSION == 1
    assert set(manifest) == {
        *("format", "format_version", "package_version", "variables", "model", "settings", "evidence"),
    }
    assert not any("/" in name for name in arrays)
    assert type(osp.load(tmp_path / "p.npz")) is osp.Posterior


def set_weights(*log_weights):
    return lambda arrays, _: arrays.update(mixture_log_weights=np.array(log_weights))


def in_manifest(**values):
    return lambda _, manifest: manifest.update(values)


def in_component(change):
    return lambda _, manifest: change(manifest["components"][1])


def renamed(arrays, _):
    arrays["components/7/log_prior"] = arrays.pop("components/1/log_prior")


def too_many(arrays, manifest):
    n = MOST_COMPONENTS + 1
    manifest |= {"components": manifest["components"][:1] * n, "weights": [1 / n] * n, "given": [None] * n}


def nested(arrays, manifest):
    manifest["components"][1] = {**json.loads(json.dumps(manifest))}


FORGED = {
    "weights that sum to 2": (set_weights(0.0, 0.0), "sum of its weights is not 1"),
    "weights without a number": (set_weights(0.0, np.nan), "sum of its weights is not 1"),
    "no weight at all": (set_weights(-np.inf, -np.inf), "sum of its weights is not 1"),
    "weights above 1": (set_weights(5.0, -np.inf), "sum of its weights is not 1"),
    "a weight too many": (set_weights(0.0, -np.inf, -np.inf), "components and their weights do not match"),
    "whole weights": (
        lambda arrays, _: arrays.update(mixture_log_weights=np.array([0, -1])),
        "'mixture_log_weights' has another type",
    ),
    "no weights": (lambda arrays, _: arrays.pop("mixture_log_weights"), "it has no 'mixture_log_weights'"),
    "an array of nobody": (renamed, "unknown array 'components/7/log_prior'"),
    "an array too many": (
        lambda arrays, _: arrays.update({"components/0/other": np.zeros(3)}),
        "unknown array 'other'",
    ),
    "an array too few": (lambda arrays, _: arrays.pop("components/1/candidates"), "it has no 'candidates'"),
    "first weights that do not sum to 1": (in_manifest(weights=[0.5, 0.6]), "sum of its weights is not 1"),
    "first weights of others": (in_manifest(weights=[1.0]), "numbers of its components, weights and evidence differ"),
    "an unknown weighting": (in_manifest(weighting="best"), "Invalid enum value 'best'"),
    "no components": (in_manifest(components=[], weights=[], given=[]), "length >= 1"),
    "too many components": (too_many, "length <= 1000"),
    "a mixture within": (nested, r"its manifest is invalid: Object contains unknown field"),
    "other variables": (in_component(lambda c: c.update(variables=list("ABCE"))), "components have other variables"),
    "variables twice": (in_manifest(variables=list("AABC")), "its manifest is invalid"),
    "evidence of its own": (
        in_manifest(evidence={key: [] for key in ("present", "absent", "before")} | {"adjacent": [["C", "D"]]}),
        "not under its evidence",
    ),
    "evidence that is none": (in_component(lambda c: c["evidence"].update(present=[["A", "B"], ["B", "A"]])), "cycle"),
    "a log evidence without weights by it": (in_manifest(weighting="equal"), "weights are not by evidence"),
    "no finite log evidence": (in_manifest(log_evidence="much"), "Expected `float | null`"),
    "a field too many": (in_manifest(settings={}), "unknown field `settings`"),
    "an unknown model": (in_component(lambda c: c.update(model="other")), "unknown model: .other."),
    "a mixture as a model": (in_component(lambda c: c.update(model="mixture")), "unknown model: .mixture."),
    "settings that are wrong": (in_component(lambda c: c["settings"].update(rows=-1)), r"settings\.rows"),
    "a score that is wrong": (
        in_component(lambda c: c["settings"]["score"].update(alpha_mu=-1.0)),
        r"components.1..settings.score.alpha_mu",
    ),
    "newer": (
        in_manifest(format_version=3, package_version="9.9"),
        "newer orderspn .9.9., in format 3; this one reads up to 2",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_forgeries(saved, name):
    change, reason = FORGED[name]
    forge(saved, change)
    assert re.search(reason, refusal(saved))


def test_a_single_posterior_does_not_have_the_format_of_mixtures(tmp_path):
    case("two exact, by evidence").parts[0].posterior.save(tmp_path / "p.npz")
    forge(tmp_path / "p.npz", in_manifest(format_version=2))
    assert "reads up to 1" in refusal(tmp_path / "p.npz")


def test_damage(saved):
    content = saved.read_bytes()
    for place in range(100, len(content), len(content) // 20):
        saved.write_bytes(content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :])
        try:
            again = osp.load(saved, n_jobs=1)
        except osp.UnreadableFile:
            continue
        # The names of members are stored twice, and dates of members do not matter.
        assert_same_answers(again, case("two exact, by evidence").mixture.given("A -> B"))
    saved.write_bytes(content[: len(content) // 2])
    assert "damaged" in refusal(saved)


def test_memory_is_that_of_all_components(tmp_path):
    """What is enough for one of them is not enough for all."""
    posterior = osp.learn(np.random.default_rng(0).normal(size=(50, 12)))
    posterior.save(tmp_path / "one.npz")
    osp.mix([posterior] * 8, "equal").save(tmp_path / "eight.npz")
    limit = 2**20
    while True:
        try:
            osp.load(tmp_path / "one.npz", n_jobs=1, memory_limit=limit)
            break
        except osp.UnreadableFile:
            limit *= 2
    assert "Raise memory_limit=" in refusal(tmp_path / "eight.npz", memory_limit=2 * limit)
    assert len(osp.load(tmp_path / "eight.npz", n_jobs=1, memory_limit=8 * limit).components) == 8


def test_writing_is_atomic(saved, monkeypatch):
    before = saved.read_bytes()
    monkeypatch.setattr(np, "savez", lambda *_args, **_members: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        case("samples").mixture.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]
