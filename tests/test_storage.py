"""Files: round trips, damage, foreign files, atomic writing."""

import json
import os

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn import storage

NAMES = ["heart rate", "Größe", "C", 'say "D"', "5"]


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(
        gaussian_data(5, 40, seed=3),
        variables=NAMES,
        prior=lambda k: 0.5**k,
        candidates=3,
        max_parents=2,
        score=osp.scores.BGe(alpha_mu=0.7, alpha_w=9.0),
        rng=11,
    )


@pytest.fixture
def saved(posterior, tmp_path):
    path = tmp_path / "posterior.npz"
    posterior.save(path)
    return path


def evidence_on(posterior):
    """Evidence that the posterior's candidates allow."""
    effect = NAMES[0]
    cause, other = posterior.candidates[effect][:2]
    return osp.Edges([(cause, effect)], [(other, effect)])


def assert_same_answers(one, other):
    assert one.variables == other.variables
    assert one.log_evidence == other.log_evidence
    assert one.evidence == other.evidence
    assert one.candidates == other.candidates
    assert dict(one.settings) == dict(other.settings)
    assert one.edge_probabilities().equals(other.edge_probabilities())
    assert one.causal_effects().equals(other.causal_effects())
    assert one.precedence().equals(other.precedence())
    assert one.entropy() == other.entropy()
    assert one.parent_sets("C").equals(other.parent_sets("C"))
    assert one.most_probable_graph().edges == other.most_probable_graph().edges
    np.testing.assert_array_equal(one.sample(100, rng=4).adjacency, other.sample(100, rng=4).adjacency)
    assert one.summary() == other.summary()


def test_round_trip(posterior, saved):
    assert_same_answers(osp.load(saved), posterior)
    assert_same_answers(osp.load(str(saved), n_jobs=1), posterior)


def test_round_trip_with_evidence(posterior, tmp_path):
    under = posterior.given(evidence_on(posterior))
    assert under.log_evidence < posterior.log_evidence
    under.save(tmp_path / "under.npz")
    again = osp.load(tmp_path / "under.npz")
    assert_same_answers(again, under)
    again.save(tmp_path / "again.npz")
    assert_same_answers(osp.load(tmp_path / "again.npz"), under)


def test_evidence_of_probability_zero_edges_survives(tmp_path):
    """No candidates at all: nothing to concatenate, and absent edges that no model has."""
    posterior = osp.learn(gaussian_data(3, 20, seed=0), candidates={"X1": [], "X2": [], "X3": []}).given("X1 !-> X2")
    posterior.save(tmp_path / "p.npz")
    again = osp.load(tmp_path / "p.npz")
    assert again.log_evidence == posterior.log_evidence
    assert again.evidence == posterior.evidence


def test_the_file_holds_no_pickle_and_is_small(saved):
    with np.load(saved, allow_pickle=False) as file:
        manifest = json.loads(file["manifest"].tobytes())
    assert manifest["format"] == storage.FORMAT
    assert manifest["variables"] == NAMES
    assert manifest["package_version"] == osp.__version__
    assert saved.stat().st_size < 20_000


def test_the_file_follows_the_umask(posterior, tmp_path):
    """A colleague in the same group can read it if any other new file could be read."""
    plain = tmp_path / "plain"
    plain.write_text("")
    posterior.save(tmp_path / "posterior.npz")
    assert (tmp_path / "posterior.npz").stat().st_mode == plain.stat().st_mode


def rewrite(path, **changes):
    """The same archive with other arrays, or without those that are None."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    for name, value in changes.items():
        arrays.pop(name, None)
        if value is not None:
            arrays[name] = value
    np.savez(path, **arrays)


def change_manifest(path, **changes):
    with np.load(path) as file:
        manifest = json.loads(file["manifest"].tobytes())
    manifest.update(changes)
    rewrite(path, manifest=np.frombuffer(json.dumps(manifest).encode(), dtype=np.uint8))


def test_a_truncated_file_is_refused(saved):
    content = saved.read_bytes()
    for length in [0, 1, 3, 4, 30, 100, len(content) // 2, len(content) - 30, len(content) - 1]:
        saved.write_bytes(content[:length])
        with pytest.raises(osp.UnreadableFile, match=r"posterior\.npz.*damaged"):
            osp.load(saved)


@pytest.mark.parametrize("flip", [0x01, 0xFF], ids=["last bit", "all bits"])
def test_a_flipped_byte_is_noticed_or_harmless(posterior, saved, flip):
    content = saved.read_bytes()
    edges = posterior.edge_probabilities()
    refused = 0
    step = max(1, len(content) // 600)
    everywhere = [*range(0, len(content), step), *range(200), *range(len(content) - 500, len(content))]
    wrong = {}
    for position in sorted(set(everywhere)):
        damaged = bytearray(content)
        damaged[position] ^= flip
        saved.write_bytes(damaged)
        try:
            again = osp.load(saved, n_jobs=1)
        except osp.UnreadableFile as error:
            refused += str(saved) in str(error)
        except Exception as error:
            wrong.setdefault(f"{type(error).__name__}: {error}", []).append(position)
        else:
            if again.log_evidence != posterior.log_evidence or not again.edge_probabilities().equals(edges):
                wrong.setdefault("other answers", []).append(position)
    assert not wrong
    assert refused > len(content) / step / 2


def test_a_text_file_is_refused(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("A,B\n1,2\n")
    with pytest.raises(osp.UnreadableFile, match=r"data\.csv.*no posterior saved by orderspn"):
        osp.load(path)


def test_foreign_archives_are_refused(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, a=np.arange(3))
    with pytest.raises(osp.UnreadableFile, match=r"other\.npz.*no posterior saved by orderspn"):
        osp.load(path)
    np.savez(path, manifest=np.frombuffer(b'{"format": "other"}', dtype=np.uint8))
    with pytest.raises(osp.UnreadableFile, match=r"other\.npz.*no posterior saved by orderspn"):
        osp.load(path)
    np.savez(path, manifest=np.frombuffer(b"[1, 2]", dtype=np.uint8))
    with pytest.raises(osp.UnreadableFile, match=r"other\.npz.*no posterior saved by orderspn"):
        osp.load(path)


def test_a_single_array_is_refused(tmp_path):
    np.save(tmp_path / "one.npy", np.arange(3.0))
    with pytest.raises(osp.UnreadableFile, match=r"one\.npy.*no posterior saved by orderspn"):
        osp.load(tmp_path / "one.npy")


def test_pickled_objects_are_never_loaded(tmp_path):
    path = tmp_path / "pickled.npz"
    np.savez(path, manifest=np.array([{"format": storage.FORMAT}], dtype=object))
    with pytest.raises(osp.UnreadableFile, match=r"pickled\.npz"):
        osp.load(path)


def test_a_newer_format_names_the_remedy(saved):
    change_manifest(saved, format_version=storage.FORMAT_VERSION + 1, package_version="9.9")
    with pytest.raises(osp.UnreadableFile, match=r"newer orderspn \(9\.9\).*pip install --upgrade orderspn"):
        osp.load(saved)


@pytest.mark.parametrize(
    "change",
    [
        {"manifest": np.frombuffer(b"not json", dtype=np.uint8)},
        {"candidates": None},
        {"bge_matrix": None},
        {"bge_matrix": np.eye(4)},
        {"bge_matrix": np.full((5, 5), np.nan)},
        {"bge_matrix": np.ones((5, 4))},
        {"log_prior": np.zeros(3)},
        {"n_candidates": np.array([3, 3, 3])},
        {"candidates": np.zeros(15, dtype=np.int64)},
        {"candidates": np.tile([1, 2, 9], 5)},
        {"candidates": np.tile([3, 2, 1], 5)},
    ],
    ids=lambda c: ", ".join(f"{k}: {None if v is None else v.shape}" for k, v in c.items()),
)
def test_inconsistent_contents_are_refused(saved, change):
    rewrite(saved, **change)
    with pytest.raises(osp.UnreadableFile, match=r"posterior\.npz.*damaged"):
        osp.load(saved)


@pytest.mark.parametrize(
    "change",
    [
        {"variables": NAMES[:4]},
        {"variables": None},
        {"settings": {}},
        {"settings": None},
        {"evidence": {"present": [["C"]], "absent": []}},
        {"evidence": {}},
        {"evidence": {"present": [["C", "nobody"]], "absent": []}},
    ],
    ids=str,
)
def test_inconsistent_manifests_are_refused(saved, change):
    change_manifest(saved, **change)
    with pytest.raises(osp.UnreadableFile, match=r"posterior\.npz.*damaged"):
        osp.load(saved)


def test_an_unknown_score_is_refused(saved, posterior):
    change_manifest(saved, settings={**posterior.settings, "score": {**posterior.settings["score"], "name": "new"}})
    with pytest.raises(osp.UnreadableFile, match="unknown score 'new'"):
        osp.load(saved)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.npz"):
        osp.load(tmp_path / "nowhere.npz")


@pytest.mark.parametrize("where", ["savez", "fsync", "replace"])
def test_a_failing_save_leaves_the_old_file_and_nothing_else(posterior, saved, monkeypatch, where):
    before = saved.read_bytes()

    def fail(*args, **kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr(np if where == "savez" else os, where, fail)
    with pytest.raises(OSError, match="no space left"):
        posterior.given(evidence_on(posterior)).save(saved)
    monkeypatch.undo()
    assert saved.read_bytes() == before
    assert [p.name for p in saved.parent.iterdir()] == ["posterior.npz"]
    assert_same_answers(osp.load(saved), posterior)


def test_a_save_that_is_interrupted_leaves_nothing(posterior, tmp_path, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        posterior.save(tmp_path / "posterior.npz")
    assert list(tmp_path.iterdir()) == []


def test_saving_replaces_the_old_file(posterior, saved):
    under = posterior.given(evidence_on(posterior))
    under.save(saved)
    assert osp.load(saved).evidence == under.evidence
    assert [p.name for p in saved.parent.iterdir()] == ["posterior.npz"]


def test_saving_into_a_missing_folder_says_so(posterior, tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"):
        posterior.save(tmp_path / "missing" / "posterior.npz")
