"""A judged graph: a line for each edge, as the posterior sees it."""

import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.plot.judgement_figure import MEANINGS, findings


@pytest.fixture(scope="module")
def judged():
    values = pd.DataFrame(gaussian_data(5, 200, seed=3), columns=letters(5))
    return osp.learn(values, n_jobs=1).judge("A -> B, B -- C, C -> D, E -> D, A -> E", n_samples=100)


def lines_of(ax):
    return {str(line.get_label()).lstrip("_") for line in ax.lines}


def test_every_edge_is_drawn_as_it_was_found(judged):
    ax = osp.plot.judgement(judged)
    expected = {
        f"{row['finding']}: {row['cause']} {'->' if row['directed'] else '--'} {row['effect']}"
        for row in judged.edges.to_dict("records")
    }
    assert expected <= lines_of(ax)
    tips = {label for label in lines_of(ax) if label.startswith("tip of")}
    missing = [edge for edge, finding in findings(judged).items() if finding == "edge"]
    assert len(tips) == 4 + len(missing)
    marks = {label for label in lines_of(ax) if label.startswith("mark on")}
    assert len(marks) == judged.edges["finding"].isin(["no edge", "reversed"]).sum()
    assert {text.get_text() for text in ax.texts} >= set("ABCDE")
    legend = {text.get_text() for text in ax.get_legend().get_texts()}
    assert legend == {MEANINGS[finding] for finding in findings(judged).values()}
    assert judged.verdict in ax.get_label()


def test_probable_edges_that_the_graph_lacks_are_drawn(judged):
    gaps = judged.gaps[judged.gaps["finding"] == "edge"]
    missing = {edge for edge, finding in findings(judged).items() if finding == "edge"}
    assert len(gaps) == len(missing) > 0
    for row in gaps.to_dict("records"):
        forward = row["forward"] >= row["backward"]
        assert ((row["first"], row["second"]) if forward else (row["second"], row["first"])) in missing


def test_axes_of_the_user_and_mistakes(judged):
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert osp.plot.judgement(judged, ax=ax) is ax
    with pytest.raises(TypeError, match=r"posterior\.judge"):
        osp.plot.judgement("A -> B")
