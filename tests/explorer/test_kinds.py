"""Every kind of posterior on a page: each question has an answer, or a reason why not."""

import json
import math

import numpy as np
import pytest

import orderspn as osp
from helpers.exploring import asked, unpacked
from helpers.levels import parameters
from orderspn.explorer.documents import Source
from orderspn.explorer.page import page
from orderspn.explorer.static_page import report_data

KINDS = [
    "exact",
    "DAGs",
    "circuit",
    "sampled",
    "mixture",
    "categories",
    "mixed",
    "context",
    "time series",
    "under evidence",
]
QUICK = ["exact", "DAGs", "circuit", "mixture", "context", "time series"]


def check_finite(document):
    """JSON has no NaN; msgspec would write null where a page expects a number."""
    json.dumps(document, allow_nan=False)


@pytest.fixture(params=parameters(KINDS, quick=QUICK))
def kind(request, kinds):
    return kinds(request.param)


def first_pair(posterior):
    """A cause and an effect that may have an edge."""
    probabilities = posterior.edge_probabilities().to_numpy()
    cause, effect = np.unravel_index(probabilities.argmax(), probabilities.shape)
    return posterior.variables[cause], posterior.variables[effect]


def test_every_question(kind):
    d = len(kind.variables)
    start = asked(kind, "start")
    check_finite(start)
    assert len(start["nodes"]) == len(start["labels"]) == d
    assert [kind.variables[v] for v in start["context"]] == list(kind.context)
    given = []
    if d > 1:
        cause, effect = first_pair(kind)
        given = [[cause, "->", effect]]
        found = asked(kind, "edges", given=given)
        expected = kind.edge_probabilities(given=osp.Edges(present=[(cause, effect)]))
        assert unpacked(found["edges"], d).tobytes() == expected.to_numpy().tobytes()
        assert 0 < math.exp(found["log_probability"]) <= 1 + 1e-9
        pair = asked(kind, "pair", given=given, cause=cause, effect=effect)
        check_finite(pair)
        assert pair["effect"] or pair["curve"] or pair["reasons"]
    for question in ("errors", "ancestry", "whole", "best", "layout"):
        document = asked(kind, question, given=given)
        check_finite(document)
        assert document.get("error", {"kind": "unavailable"})["kind"] == "unavailable"
    parents = asked(kind, "parents", given=given, variable=kind.explained[-1])
    assert sum(p for _, p in parents["parent_sets"]) == pytest.approx(1.0, abs=0.5)
    judged = asked(kind, "judge", given=given, graph=f'"{kind.explained[-1]}"')
    check_finite(judged)


def test_as_a_report(kind):
    data = report_data(kind, Source("title", "posterior"), 100, 0)
    check_finite(data)
    assert set(data["parents"]) == set(kind.explained)
    assert data["draws"]["n"] == 100
    assert (data["draws"]["places"] is None) == (not data["start"]["orders"])
    assert page("title", data).count("</script>") == 2


def test_the_curve_of_a_mixed_table(kinds):
    posterior = kinds("mixed")
    found = asked(posterior, "pair", cause="A", effect="B")
    frame = posterior.effect_curve("A", "B", n_samples=1000)
    assert [(point["at"], point["level"]) for point in found["curve"]["points"]] == list(frame.index)
    assert [point["mean"] for point in found["curve"]["points"]] == frame["mean"].tolist()
    assert {point["level"] for point in found["curve"]["points"]} == {"high", "low", "none"}
