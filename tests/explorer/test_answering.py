"""Answers to questions: those of the posterior itself, bit for bit, and errors as documents."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import orderspn as osp
from helpers.each import check_each
from helpers.exploring import asked, unpacked
from orderspn.explorer.answering import ANSWERS, Answering
from orderspn.explorer.documents import Source
from orderspn.explorer.questions import EdgeProbabilities, Whole

EVIDENCE = {
    "nothing": [],
    "an edge": [["A", "->", "B"]],
    "an absent edge": [["E", "!->", "B"]],
    "neighbours": [["C", "--", "A"]],
    "no neighbours": [["C", "!--", "A"]],
    "an order": [["C", "<", "A"]],
    "several": [["A", "->", "B"], ["D", "!->", "E"], ["E", "<", "B"]],
}


def text_of(given):
    return ", ".join(
        f"{a} !-> {b}, {b} !-> {a}" if relation == "!--" else f"{a} {relation} {b}" for a, relation, b in given
    )


class TestEdges:
    def test_bit_for_bit_those_of_the_posterior(self, posterior):
        def check(given):
            found = asked(posterior, "edges", given=given)
            evidence = text_of(given) or None
            expected = posterior.edge_probabilities(given=evidence).to_numpy()
            assert unpacked(found["edges"], 5).tobytes() == expected.tobytes()
            log_p = posterior.log_probability(evidence) if evidence else 0.0
            assert found["log_probability"] == log_p
            assert found["note"] is None
            assert found["seconds"] >= 0

        check_each(check, EVIDENCE)

    @pytest.mark.parametrize("relation", ["~>", "!~>"])
    def test_ancestors_are_draws_and_say_so(self, posterior, relation):
        found = asked(posterior, "edges", given=[["A", relation, "E"]])
        expected = posterior.given(f"A {relation} E").edge_probabilities().to_numpy()
        assert unpacked(found["edges"], 5).tobytes() == expected.tobytes()
        assert "draws" in found["note"]
        assert np.exp(found["log_probability"]) == pytest.approx(posterior.probability(f"A {relation} E"))

    def test_start_has_those_before_evidence(self, posterior):
        start = asked(posterior, "start")
        expected = posterior.edge_probabilities().to_numpy()
        assert unpacked(start["edges"], 5).tobytes() == expected.tobytes()
        assert start["names"] == posterior.variables
        assert start["orders"] is True


class TestOthers:
    def test_standard_errors(self, posterior):
        expected = posterior.given("A -> B").edge_standard_errors().to_numpy()
        found = asked(posterior, "errors", given=[["A", "->", "B"]])
        np.testing.assert_array_equal(unpacked(found["errors"], 5), expected)

    def test_ancestors(self, posterior):
        expected = posterior.given("A -> B").ancestor_probabilities().to_numpy()
        found = asked(posterior, "ancestry", given=[["A", "->", "B"]])
        assert unpacked(found["ancestors"], 5).tobytes() == expected.tobytes()

    def test_parent_sets(self, posterior):
        frame = posterior.given("C -> A").parent_sets("B", top=12)
        found = asked(posterior, "parents", given=[["C", "->", "A"]], variable="B")["parent_sets"]
        assert [tuple(members) for members, _ in found] == [tuple(members) for members in frame["parents"]]
        assert [p for _, p in found] == frame["probability"].tolist()

    def test_a_pair(self, posterior):
        given = "A -> B"
        report = posterior.given(given).effect("A", "B", n_samples=1000)
        found = asked(posterior, "pair", given=[["A", "->", "B"]], cause="A", effect="B")
        names = ("mean", "low", "high", "positive", "negative", "no_path")
        assert {name: found["effect"][name] for name in names} == {name: getattr(report, name) for name in names}
        paths = posterior.given(given).paths("A", "B", top=8, n_samples=1000)
        assert [tuple(row["path"]) for row in found["paths"]] == [tuple(path) for path in paths["path"]]
        assert [row["contribution"] for row in found["paths"]] == paths["contribution"].tolist()
        assert found["curve"] is None
        assert found["reasons"] == {}

    def test_the_best_graph(self, posterior):
        best = posterior.given("B -> A").most_probable_graph()
        found = asked(posterior, "best", given=[["B", "->", "A"]])
        assert {tuple(edge) for edge in found["edges"]} == set(best.edges.present)
        assert found["log_probability"] == best.log_probability
        assert found["order"] == list(best.order)

    def test_the_whole(self, posterior):
        found = asked(posterior, "whole")
        assert found["headline"] == posterior.summary().headline
        assert set(found["meanings"]) <= {name for name, _ in found["lines"]}

    def test_a_new_layout_is_that_of_the_evidence(self, posterior):
        before = asked(posterior, "start")["nodes"]
        height = {name: y for name, (_, y, *_) in zip("ABCDE", before, strict=True)}
        assert height["C"] < height["E"]
        turned = asked(posterior, "layout", given=[["E", "->", "C"], ["D", "->", "E"]])["nodes"]
        height = {name: y for name, (_, y, *_) in zip("ABCDE", turned, strict=True)}
        assert height["E"] < height["C"]

    def test_a_judgement(self, posterior):
        judged = posterior.judge("A -> B, C -> E", missing_variables="isolated")
        found = asked(posterior, "judge", graph="A -> B, C -> E")
        assert found["verdict"] == judged.verdict
        assert found["directed"] == [["A", "B"], ["C", "E"]]
        assert found["undirected"] == []
        assert [table["title"] for table in found["tables"]]
        assert "missing" in asked(posterior, "judge", graph="A -> B", missing_variables="error")["error"]["message"]


class TestErrors:
    def test_impossible_evidence_has_its_kind_and_reason(self, posterior):
        error = asked(posterior, "edges", given=[["A", "->", "B"], ["B", "->", "A"]])["error"]
        assert error["kind"] == "impossible"
        with pytest.raises(osp.ImpossibleEvidence) as problem:
            posterior.given("A -> B, B -> A")
        assert error["message"] == str(problem.value)

    def test_orders_of_graphs_alone_are_not_to_be_had(self, kinds):
        assert asked(kinds("DAGs"), "start")["orders"] is False
        error = asked(kinds("DAGs"), "edges", given=[["A", "<", "B"]])["error"]
        assert error["kind"] == "unavailable"

    def test_mistakes_are_invalid(self, posterior):
        def check(question):
            error = asked(posterior, **question)["error"]
            assert error["kind"] == "invalid"
            assert "nobody" in error["message"] or "the question" in error["message"]

        check_each(
            check,
            {
                "variable of evidence": {"question": "edges", "given": [["nobody", "->", "B"]]},
                "variable": {"question": "parents", "variable": "nobody"},
                "graph": {"question": "judge", "graph": "nobody -> A"},
                "question": {"question": "files"},
            },
        )

    def test_a_pair_that_cannot_be_answered_has_reasons(self, posterior):
        found = asked(posterior, "pair", cause="A", effect="A")
        assert found["effect"] is None
        assert set(found["reasons"]) >= {"effect"}

    def test_memory(self, posterior, monkeypatch):
        answering = Answering(posterior, Source("", ""))
        monkeypatch.setattr(answering, "_timed", _raise(MemoryError()))
        assert "memory" in answering.answer(Whole())["error"]["message"]

    def test_a_fault_of_our_own_is_told_without_its_traceback(self, posterior, monkeypatch, caplog):
        answering = Answering(posterior, Source("", ""))
        monkeypatch.setattr(answering, "_timed", _raise(RuntimeError("/home/secret/data.csv")))
        error = answering.answer(Whole())["error"]
        assert error["kind"] == "fault"
        assert "secret" not in json.dumps(error)
        assert "Traceback" not in json.dumps(error)
        assert "/home/secret/data.csv" in caplog.text  # who runs the program can find it


def _raise(problem):
    def raising(*_, **__):
        raise problem

    return raising


class TestOnce:
    def test_equal_questions_of_two_threads(self, posterior, monkeypatch):
        answering, calls, both = Answering(posterior, Source("", "")), [], threading.Barrier(2, timeout=10)
        timed = answering._timed

        def counted(question):
            calls.append(question)
            return timed(question)

        monkeypatch.setattr(answering, "_timed", counted)

        def ask():
            both.wait()
            return answering.answer(EdgeProbabilities(given=[("A", "->", "B")]))

        with ThreadPoolExecutor(2) as pool:
            one, other = (future.result(30) for future in [pool.submit(ask), pool.submit(ask)])
        assert one is other
        assert len(calls) == 1
        answering.answer(EdgeProbabilities(given=[("A", "!->", "B")]))
        assert len(calls) == 2

    def test_a_posterior_under_evidence_is_shared_by_questions(self, posterior):
        answering = Answering(posterior, Source("", ""))
        evidence = osp.Edges.parse("A -> B")
        assert answering.under(evidence) is answering.under(osp.Edges(present=[("A", "B")]))
        assert answering.under(evidence) is not answering.under(osp.Edges.parse("B -> A"))

    def test_old_answers_are_forgotten(self, posterior, monkeypatch):
        answering, calls = Answering(posterior, Source("", "")), []
        monkeypatch.setattr(answering, "_timed", lambda question: calls.append(question) or {})
        for k in range(ANSWERS + 1):
            answering.answer(EdgeProbabilities(given=[("A", "->", str(k))]))
        answering.answer(EdgeProbabilities(given=[("A", "->", "0")]))
        assert len(calls) == ANSWERS + 2
