"""Categories from data to answers: every method, against brute force over all graphs of four variables."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderspn as osp
from helpers.discrete import as_categories, discrete_data
from helpers.files import forge
from reference.bdeu import local_scores
from reference.dags import DagList, adjacency_of
from reference.enumeration import Enumeration
from reference.local_scores import log_prior

NAMES = ["smoke", "lung", "bronc", "dysp"]
PATIENTS = osp.load_asia().data[NAMES]
MIXED = (3, 2, 4, 2)

CASES = {
    "patients": {},
    "patients, uniform": {"prior": "uniform"},
    "patients, strong": {"strength": 20.0},
    "mixed": {"seed": 3},
    "mixed, weak": {"seed": 5, "strength": 0.1},
}


def table_of(case):
    """Data as `learn` takes it, and as codes."""
    if "seed" in case:
        codes = discrete_data(MIXED, 60, seed=case["seed"])
        return as_categories(codes, MIXED, NAMES), codes, MIXED
    return PATIENTS, (PATIENTS == "yes").to_numpy().astype(np.uint16), (2, 2, 2, 2)


@cache
def scores_of(name):
    case = CASES[name]
    _, codes, arities = table_of(case)
    prior = case.get("prior", "fair")
    return local_scores(codes, arities, lambda size: log_prior(prior, size, 4), case.get("strength", 1.0))


def learn(name, **arguments):
    case = CASES[name]
    with warnings.catch_warnings():
        # Little effort is enough to see that a method takes categories.
        warnings.filterwarnings("ignore", "independent searches|.* too few to tell|.* particles ended with a cycle")
        return osp.learn(
            table_of(case)[0],
            score=osp.scores.BDeu(case.get("strength", 1.0)),
            prior=case.get("prior", "fair"),
            n_jobs=1,
            **arguments,
        )


@pytest.mark.thorough
@pytest.mark.parametrize("name", CASES)
def test_every_graph_once_equals_the_list_of_all(name):
    posterior, brute = learn(name, method=osp.methods.Auto(target="dag")), DagList(scores_of(name))
    assert len(brute.masks) == 543
    assert posterior.log_evidence == pytest.approx(brute.log_mass, abs=1e-9)
    expected = np.einsum("n,nij->ij", brute.p, adjacency_of(brute.masks))
    np.testing.assert_allclose(posterior.edge_probabilities().to_numpy(), expected, atol=1e-9)
    for child in range(4):
        for row in posterior.parent_sets(NAMES[child]).itertuples():
            twin = brute.parent_set(child, [NAMES.index(p) for p in row.parents])
            assert row.probability == pytest.approx(twin, abs=1e-9)
    assert posterior.most_probable_graph().log_score == pytest.approx(brute.log_weights.max(), abs=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("method", ["exact", osp.methods.Trust(expansion=[6, 2], block_size=1)], ids=["exact", "trust"])
def test_orders_equal_the_list_of_all_pairs(name, method):
    posterior, brute = learn(name, method=method), Enumeration.of(scores_of(name))
    assert posterior.log_evidence == pytest.approx(brute.log_evidence, abs=1e-9)
    expected = np.einsum("n,nij->ij", brute.p, brute.adjacency)
    np.testing.assert_allclose(posterior.edge_probabilities().to_numpy(), expected, atol=1e-9)
    given = brute.given(present=[(0, 1)], absent=[(2, 3)])
    probability = given.p[given.holds(present=[(0, 2)])].sum()
    event, evidence = "smoke -> bronc", "smoke -> lung, bronc !-> dysp"
    assert posterior.probability(event, given=evidence) == pytest.approx(probability, abs=1e-9)


def test_forward_selection_and_outsiders():
    """Candidates that are chosen by the score: all sets of up to three parents are left, and nothing changes."""
    posterior, full = learn("mixed", candidates=1, method=osp.methods.Exact(outsiders=2)), learn("mixed")
    np.testing.assert_allclose(posterior.edge_probabilities(), full.edge_probabilities(), atol=1e-9)


@pytest.mark.thorough
def test_sampled_graphs_have_the_frequencies_of_dags():
    posterior = learn("mixed", method=osp.methods.Gadget(effort=0.5, n_graphs=8000, n_chains=4), rng=1)
    brute = DagList(scores_of("mixed"))
    expected = np.einsum("n,nij->ij", brute.p, adjacency_of(brute.masks))
    errors = np.fmax(posterior.edge_standard_errors().to_numpy(), 2.0 / posterior.settings["diagnostics"]["ess_edges"])
    off = np.abs(posterior.edge_probabilities().to_numpy() - expected)
    assert (off < 5 * errors).all()


@pytest.mark.thorough
def test_particles_have_the_scores_of_their_graphs():
    pytest.importorskip("jax")
    posterior = learn("patients", method=osp.methods.DiBS(effort=0.02), rng=3)
    scores = scores_of("patients")
    for graph, log_score in zip(posterior.model.adjacency, posterior.model.log_scores, strict=True):
        parents = [frozenset(np.flatnonzero(graph[:, child]).tolist()) for child in range(4)]
        assert log_score == pytest.approx(sum(scores[child][parents[child]] for child in range(4)), abs=1e-8)


def test_the_network_is_found():
    """The skeleton of what can be told from 2000 patients, on all eight variables."""
    asia = osp.load_asia()
    edges = osp.learn(asia.data, n_jobs=1).edge_probabilities()
    adjacent = edges + edges.T
    found = {frozenset((a, b)) for a in edges.index for b in edges.index if a < b and adjacent.loc[a, b] > 0.5}
    assert found == {frozenset(edge) for edge in asia.network} - {frozenset(("asia", "tub"))}


def test_polars_equals_pandas():
    one, other = osp.learn(PATIENTS), osp.learn(pl.DataFrame(PATIENTS.to_dict("list")))
    assert one.edge_probabilities().equals(other.edge_probabilities())
    assert one.settings == other.settings


@pytest.mark.parametrize("target", ["order", "dag"])
def test_permuting_variables_permutes_answers(target):
    permuted = PATIENTS[["dysp", "lung", "smoke", "bronc"]]
    one, other = (osp.learn(data, method=osp.methods.Auto(target=target)) for data in (PATIENTS, permuted))
    assert one.log_evidence == pytest.approx(other.log_evidence, rel=1e-12)
    again = other.edge_probabilities().loc[NAMES, NAMES]
    np.testing.assert_allclose(one.edge_probabilities(), again, atol=1e-9)


def test_threads_do_not_change_a_bit():
    one, other = (osp.learn(osp.load_asia().data, n_jobs=jobs) for jobs in (1, 2))
    assert one.edge_probabilities().equals(other.edge_probabilities())


@pytest.mark.parametrize("effects", ["causal_effects", "estimate_effects", "effect_samples"])
@pytest.mark.parametrize("target", ["order", "dag"])
def test_linear_effects_are_refused(effects, target):
    with pytest.raises(
        ValueError, match=r"total effects need weights of edges.*interventional\('Y', do=\{'X': 'level'\}\)"
    ):
        getattr(osp.learn(PATIENTS, method=osp.methods.Auto(target=target)), effects)()


SAVED = {
    "exact": osp.methods.Exact(),
    "exact, dag": osp.methods.Exact(target="dag"),
    "trust": osp.methods.Trust(effort=0.02, n_orders=16),
    "gadget": osp.methods.Gadget(effort=0.02, n_graphs=80, n_chains=3),
}


class TestFiles:
    @pytest.mark.parametrize("name", SAVED)
    def test_they_restore_the_posterior(self, name, tmp_path):
        posterior = learn("mixed", method=SAVED[name]).given("smoke !-> lung")
        posterior.save(tmp_path / "p.npz")
        again = osp.load(tmp_path / "p.npz", n_jobs=1)
        assert again.settings == posterior.settings
        assert again.edge_probabilities().equals(posterior.edge_probabilities())
        assert again.summary() == posterior.summary()
        asked = {"variable": "bronc", "do": {"smoke": "level 2"}, "n_graphs": 20, "rng": 0}
        assert again.interventional(**asked).equals(posterior.interventional(**asked))

    def test_they_are_small(self, tmp_path):
        """Different rows only: at most 16 of them, whatever the number of patients."""
        osp.learn(PATIENTS).save(tmp_path / "p.npz")
        with np.load(tmp_path / "p.npz") as file:
            assert len(file["bdeu_rows"]) <= 16
            assert file["bdeu_rows"].dtype == np.uint8

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("bdeu_rows", lambda a: a[:, :-1]),
            ("bdeu_rows", lambda a: a + np.uint8(1)),
            ("bdeu_counts", lambda a: a[:-1]),
            ("bdeu_counts", lambda a: -a),
            ("bdeu_levels", lambda a: a[5:]),
            ("bdeu_levels", None),
        ],
    )
    def test_damaged_ones_are_refused(self, name, change, tmp_path):
        path = tmp_path / "p.npz"
        learn("mixed").save(path)

        def changed(arrays, _):
            array = arrays.pop(name)
            if change is not None:
                arrays[name] = change(array)

        forge(path, changed)
        with pytest.raises(osp.UnreadableFile, match=r"p\.npz' is damaged"):
            osp.load(path)


def test_summary_names_the_score():
    assert "bdeu (equivalent_sample_size=1), fair prior" in osp.learn(PATIENTS).summary()


def test_levels_that_are_declared_change_the_score():
    wider = pd.CategoricalDtype(["no", "yes", "unknown"], ordered=True)
    assert osp.learn(PATIENTS.astype(wider)).log_evidence != pytest.approx(osp.learn(PATIENTS).log_evidence, rel=1e-6)
