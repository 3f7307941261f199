"""What people read: the report, the notebook, and the picture."""

import pytest

import orderspn as osp
from judging.cases import case
from orderspn.judging.report import MEANINGS, lines, tables


@pytest.fixture(scope="module")
def judgement():
    return case("orders").posterior.judge("A -> B, B -- C, D -> C", n_samples=200)


def test_report(judgement):
    text = str(judgement)
    assert text.startswith(f"A graph with 3 edges among 4 variables is {judgement.verdict} (tail probability ")
    for name, value in lines(judgement):
        assert f"  {name:<20} {value}" in text
        assert name in MEANINGS
    contradicted = judgement.edges[judgement.edges["finding"].isin(["no edge", "reversed"])]
    assert (f"Contradicted edges ({len(contradicted)})" in text) == bool(len(contradicted))
    best = judgement.moves.iloc[0]
    assert f"{best.gain:.3f}" in text
    assert repr(judgement).startswith("<Judgement: a graph with 3 edges")


def test_missing_edges_point_in_the_more_probable_direction():
    posterior = case("orders").posterior
    judgement = posterior.judge([], missing_variables="isolated", n_samples=50)
    rows = next(rows for title, _, rows in tables(judgement) if title.startswith("Missing edges"))
    assert rows
    for edge, probability, back in rows:
        assert probability == pytest.approx(posterior.probability(edge), abs=1e-9)
        assert probability >= back


def test_notebook():
    names = {"<b>": [0.1, 2.0, 0.5, 1.7, 3.0], "y": [1.0, 0.3, 0.2, 1.1, 2.2]}
    import pandas as pd

    posterior = osp.learn(pd.DataFrame(names), check=False)
    html = posterior.judge("'<b>' -> y", n_samples=20)._repr_html_()
    assert "<b>" not in html
    assert "tail probability" in html


def test_an_empty_graph():
    posterior = case("orders").posterior
    judgement = posterior.judge([], missing_variables="isolated", n_samples=50)
    assert judgement.edges.empty
    assert len(judgement.gaps) == 6
    assert set(judgement.moves["change"]) == {"add"}
    assert "0 of 0 agree" in str(judgement)
    assert "<table>" in judgement._repr_html_()
