"""Files: round trips, damage, foreign files, atomic writing."""

import json
import os

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from helpers.files import forge, read_members, write_members
from orderspn import storage
from orderspn.storage.archive import write_archive

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


OUTSIDERS = {
    "one": {"candidates": 2},
    "two": {"candidates": 1, "method": osp.methods.Exact(outsiders=2), "max_parents": 3},
    "one, no candidates": {"candidates": 0},
    "one, beside some": {"candidates": {NAMES[0]: NAMES[1:], NAMES[1]: [], **{n: ["C"] for n in NAMES[3:]}, "C": []}},
}


@pytest.fixture(scope="module", params=OUTSIDERS)
def with_outsiders(request):
    """The first variable of the last one has all others as candidates, and no outsiders."""
    arguments = {"method": osp.methods.Exact(outsiders=1), **OUTSIDERS[request.param]}
    return osp.learn(gaussian_data(5, 40, seed=3), variables=NAMES, rng=11, n_jobs=1, **arguments)


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
    assert one.outsiders == other.outsiders
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


def test_round_trip_with_outsiders(with_outsiders, tmp_path):
    with_outsiders.save(tmp_path / "p.npz")
    again = osp.load(tmp_path / "p.npz", n_jobs=2)
    assert_same_answers(again, with_outsiders)
    for one, other in zip(again.model.families, with_outsiders.model.families, strict=True):
        np.testing.assert_array_equal(one.log_score, other.log_score)
        assert [r[r >= 0].tolist() for r in one.outsider_rows] == [r[r >= 0].tolist() for r in other.outsider_rows]
    again.save(tmp_path / "again.npz")
    assert_same_answers(osp.load(tmp_path / "again.npz"), with_outsiders)


def test_round_trip_with_evidence_on_outsiders(with_outsiders, tmp_path):
    effect, (cause, *others) = next((v, o) for v, o in with_outsiders.outsiders.items() if o)
    under = with_outsiders.given(osp.Edges([(cause, effect)], [(other, effect) for other in others]))
    assert under.log_evidence < with_outsiders.log_evidence
    under.save(tmp_path / "under.npz")
    assert_same_answers(osp.load(tmp_path / "under.npz"), under)


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


def test_nothing_is_pickled(tmp_path):
    with pytest.raises(TypeError, match="would be pickled"):
        write_archive(tmp_path / "p.npz", {}, {"names": np.array(["a", None], dtype=object)})
    assert list(tmp_path.iterdir()) == []


def test_the_file_follows_the_umask(posterior, tmp_path):
    """A colleague in the same group can read it if any other new file could be read."""
    plain = tmp_path / "plain"
    plain.write_text("")
    posterior.save(tmp_path / "posterior.npz")
    assert (tmp_path / "posterior.npz").stat().st_mode == plain.stat().st_mode


def rewrite(path, **changes):
    """The same archive with other arrays, or without those that are None; its checksum fits."""

    def change(arrays, _):
        arrays.update(changes)
        for name in [name for name, value in changes.items() if value is None]:
            del arrays[name]

    forge(path, change)


def change_manifest(path, **changes):
    forge(path, lambda _, manifest: manifest.update(changes))


def test_a_truncated_file_is_refused(saved):
    content = saved.read_bytes()
    for length in [0, 1, 3, 4, 30, 100, len(content) // 2, len(content) - 30, len(content) - 1]:
        saved.write_bytes(content[:length])
        with pytest.raises(osp.UnreadableFile, match=r"posterior\.npz.*damaged"):
            osp.load(saved)


@pytest.mark.exhaustive
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
    with pytest.raises(osp.UnreadableFile, match=r"data\.csv.*not a posterior saved by orderspn"):
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
    with pytest.raises(osp.UnreadableFile, match=r"one\.npy.*not a posterior saved by orderspn"):
        osp.load(tmp_path / "one.npy")


def test_pickled_objects_are_never_loaded(tmp_path):
    path = tmp_path / "pickled.npz"
    np.savez(path, manifest=np.array([{"format": storage.FORMAT}], dtype=object))
    with pytest.raises(osp.UnreadableFile, match=r"pickled\.npz"):
        osp.load(path)


@pytest.mark.parametrize("version", [0, -1, 1.0, True, None, "1"])
def test_what_is_no_format_is_refused(saved, version):
    change_manifest(saved, format_version=version)
    with pytest.raises(osp.UnreadableFile, match="is damaged: its format is not a number"):
        osp.load(saved)


def test_a_newer_format_names_the_remedy(saved):
    change_manifest(saved, format_version=storage.FORMAT_VERSION + 1, package_version="9.9")
    with pytest.raises(osp.UnreadableFile, match=r"newer orderspn \(9\.9\).*pip install --upgrade orderspn"):
        osp.load(saved)


@pytest.mark.parametrize(
    "change",
    [
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


def test_a_manifest_that_is_no_json_is_refused(saved):
    arrays, _ = read_members(saved)
    write_members(saved, arrays, b"not json")
    with pytest.raises(
        osp.UnreadableFile, match=r"posterior\.npz.*damaged: its manifest cannot be read: it is not JSON"
    ):
        osp.load(saved)


@pytest.mark.parametrize(("name", "added"), [("candidates", 0.0), ("candidates", 0.25), ("n_candidates", 0.0)])
def test_candidates_as_fractions_are_refused(saved, name, added):
    with np.load(saved) as file:
        fractions = file[name] + added
    rewrite(saved, **{name: fractions})
    with pytest.raises(osp.UnreadableFile, match=rf"is damaged: {name!r} has the type float64"):
        osp.load(saved)


OUTSIDER_DAMAGE = {
    "no rows": ({"outsiders": None}, "it has no 'outsiders'"),
    "no counts": ({"n_outsider_rows": None}, "it has no 'n_outsider_rows'"),
    "counts too few": ({"n_outsider_rows": lambda c: c[:-1]}, "number of outsiders does not match"),
    "counts too many": ({"n_outsider_rows": lambda c: np.append(c, 0)}, "number of outsiders does not match"),
    "counts that sum to less": ({"n_outsider_rows": lambda c: c - 1}, "number of outsiders does not match"),
    "negative counts": (
        {"n_outsider_rows": lambda c: np.array([-2, 2 + c[:2].sum(), *c[2:]])},
        "number of outsiders does not match",
    ),
    "rows too few": ({"outsiders": lambda o: o[1:]}, "number of outsiders does not match"),
    "rows too narrow": ({"outsiders": lambda o: o[:, :1]}, "number of outsiders does not match"),
    "rows too wide": ({"outsiders": lambda o: np.hstack([o, o])}, "number of outsiders does not match"),
    "rows in one line": ({"outsiders": lambda o: o.ravel()}, "'outsiders' has the type int64 and 1 dimensions"),
    "no variable": ({"outsiders": lambda o: with_cell(o, 0, 0, 5)}, "outsiders that are not variables"),
    "no second variable": ({"outsiders": lambda o: with_cell(o, 0, 1, 99)}, "outsiders that are not variables"),
    "below none": ({"outsiders": lambda o: with_cell(o, 0, 1, -2)}, "outsiders that are not variables"),
    "no outsider first": ({"outsiders": lambda o: with_cell(o, 0, 0, -1)}, "outsiders that are not variables"),
    "no outsider before one": ({"outsiders": lambda o: o[:, ::-1]}, "outsiders that are not variables"),
    "twice in a row": ({"outsiders": lambda o: with_cell(o, 0, 1, o[0, 0])}, "outsiders that are not variables"),
    "the child": ({"outsiders": lambda o: with_cell(o, 0, 0, 0)}, "outsiders that are candidates, or appear twice"),
    "a candidate": (
        {"outsiders": lambda o: with_cell(o, 0, 0, next(v for v in range(1, 5) if v not in o[:2, 0]))},
        "outsiders that are candidates, or appear twice",
    ),
    "a row twice": ({"outsiders": lambda o: with_cell(o, 1, 0, o[0, 0])}, "outsiders that are candidates, or appear"),
    "fractions": ({"outsiders": lambda o: o + 0.5}, None),
    "words": ({"outsiders": lambda o: o.astype(str)}, None),
    "counts as fractions": ({"n_outsider_rows": lambda c: c + 0.0}, None),
}


def with_cell(array, row, column, value):
    array = array.copy()
    array[row, column] = value
    return array


@pytest.mark.thorough
@pytest.mark.parametrize("name", OUTSIDER_DAMAGE)
def test_damaged_outsiders_are_refused(tmp_path, name):
    """Two candidates and two outsiders for each of five variables, one at a time."""
    path = tmp_path / "posterior.npz"
    osp.learn(
        gaussian_data(5, 40, seed=3), variables=NAMES, candidates=2, method=osp.methods.Exact(outsiders=1), n_jobs=1
    ).save(path)
    osp.load(path)
    changes, reason = OUTSIDER_DAMAGE[name]
    with np.load(path) as file:
        arrays = {key: None if change is None else change(file[key]) for key, change in changes.items()}
    rewrite(path, **arrays)
    with pytest.raises(osp.UnreadableFile, match=rf"posterior\.npz.* is damaged: .*{reason or ''}"):
        osp.load(path)


def test_pairs_the_other_way_round_are_the_same_row_twice(tmp_path):
    path = tmp_path / "posterior.npz"
    osp.learn(
        gaussian_data(5, 40, seed=3), variables=NAMES, candidates=1, method=osp.methods.Exact(outsiders=2), n_jobs=1
    ).save(path)
    with np.load(path) as file:
        rows, counts = file["outsiders"], file["n_outsider_rows"]
    pairs = [i for i in range(counts[0]) if rows[i, 1] >= 0]
    rows[pairs[1]] = rows[pairs[0]][::-1]
    rewrite(path, outsiders=rows)
    with pytest.raises(osp.UnreadableFile, match="appear twice"):
        osp.load(path)


@pytest.mark.parametrize(
    "change",
    [
        {"variables": NAMES[:4]},
        {"variables": None},
        {"settings": {}},
        {"settings": None},
        {"evidence": {"present": [["C"]], "absent": []}},
        {"evidence": {}},
        {"evidence": {"present": [["C", "missing"]], "absent": []}},
    ],
    ids=str,
)
def test_inconsistent_manifests_are_refused(saved, change):
    change_manifest(saved, **change)
    with pytest.raises(osp.UnreadableFile, match=r"posterior\.npz.*damaged"):
        osp.load(saved)


def test_an_unknown_score_is_refused(saved, posterior):
    change_manifest(saved, settings={**posterior.settings, "score": {**posterior.settings["score"], "name": "new"}})
    with pytest.raises(osp.UnreadableFile, match="an unknown score: 'new'"):
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
    with pytest.raises(osp.UnwritableFile, match=r"missing' does not exist; create it first"):
        posterior.save(tmp_path / "missing" / "posterior.npz")
