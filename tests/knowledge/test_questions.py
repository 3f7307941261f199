"""Questions to posteriors that were learned with knowledge."""

import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters

KNOWN = osp.Knowledge([("A", "B")], [("C", "D")], roots=["C"])


@pytest.fixture(scope="module", params=["exact", "trust"])
def posterior(request):
    return osp.learn(
        gaussian_data(4, 30, seed=1), variables=letters(4), knowledge=KNOWN, method=request.param, standardize=False
    )


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ("C -> D", r"background knowledge \(knowledge=\) of the posterior rules out C -> D"),
        ("A -> C", "rules out A -> C"),
        ("B -> A", "rules out B -> A"),
        ("A !-> B", "requires A -> B"),
        ("B < A", "present and required edges and order constraints form a cycle, A -> B < A"),
    ],
)
def test_evidence_against_it_is_explained(posterior, evidence, reason):
    assert posterior.probability(evidence) == 0.0
    with pytest.raises(osp.ImpossibleEvidence, match=reason):
        posterior.given(evidence)
    with pytest.raises(osp.ImpossibleEvidence, match=reason):
        posterior.best_graph(given=evidence)


def test_evidence_that_it_implies_changes_nothing(posterior):
    given = posterior.given("A -> B, C !-> D, A < B")
    assert given.edge_probabilities().to_numpy() == pytest.approx(posterior.edge_probabilities().to_numpy(), abs=1e-12)
