"""A report without a server and the network: clicking keeps the draws that satisfy the evidence, and says so."""

import json
import re

import numpy as np
import pytest

from helpers.exploring import shown, unpacked
from helpers.pages import check_table
from reference.explorer_draws import edge_shares, graphs_of, satisfying

pytestmark = pytest.mark.thorough
A, B, C, D, E = range(5)
NAMES = list("ABCDE")


@pytest.fixture(scope="module")
def report(posterior, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    posterior.to_html(path, n_samples=1500)
    text = path.read_text(encoding="utf-8")
    return path, json.loads(re.search(r'id="orderspn-data">(.*?)</script>', text)[1])


@pytest.fixture
def page(visit, report, browser):
    """The report in a browser without the network, which fails if anything is asked for."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, offline=True)
    asked = []

    def refuse(route):
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            asked.append(route.request.url)
            route.abort()

    context.route("**/*", refuse)
    context.set_offline(True)
    yield visit(report[0].as_uri(), context=context)
    context.close()
    assert asked == []


def check_shares(page, report, given):
    data = report[1]
    shares, left = edge_shares(data["draws"], NAMES, given)
    check_table(page, shares, unpacked(data["start"]["edges"], 5))
    share = left / data["draws"]["n"]
    assert page.inner_text(".evidence-probability") == shown(share)
    assert f"{left:,} of 1,500 draws are left" in page.inner_text(".evidence")
    return left


def test_without_evidence_it_is_exact(page, posterior):
    matrix = posterior.edge_probabilities().to_numpy()
    check_table(page, matrix, matrix)
    assert "draws are left" not in page.inner_text(".evidence")
    page.click_pair(C, E)
    effect = posterior.effects_frame(n_samples=1000).set_index(["cause", "effect"]).loc[("C", "E")]
    assert page.inner_text(".facts dd >> nth=0").startswith(f"{effect['mean']:.4g}".replace("-", "−"))


def test_clicking_conditions(page, report):
    page.click_pair(A, C)
    page.press_state(A, C, "present")
    check_shares(page, report, [("A", "->", "C")])
    page.choose_state(C, E, "absent")
    left = check_shares(page, report, [("A", "->", "C"), ("C", "!->", "E")])
    assert left < 200
    assert "too few to rely on" in page.inner_text(".evidence .warning")
    page.keyboard.press("Control+z")
    page.settle()
    assert check_shares(page, report, [("A", "->", "C")]) >= 200
    assert page.locator(".evidence .warning").count() == 0


@pytest.mark.parametrize("relation", ["--", "!--", "<", "~>", "!~>"])
def test_every_relation(visit, report, relation):
    page = visit(f"{report[0].as_uri()}#given=D {relation} A, C -> B")
    page.settle()
    assert len(page.evidence) == 2
    check_shares(page, report, [("D", relation, "A"), ("C", "->", "B")])


def test_none_left_is_refused(page, report):
    page.choose_state(A, B, "present")
    before = page.table
    page.choose_state(B, A, "present")
    assert "None of the 1,500 draws" in page.problem
    assert page.given == "A -> B"
    assert page.table == before
    check_shares(page, report, [("A", "->", "B")])


def test_panels_answer_from_draws(page, report):
    draws, given = report[1]["draws"], [("A", "->", "B")]
    page.choose_state(A, B, "present")
    left = graphs_of(draws, 5)[satisfying(draws, NAMES, given)]
    page.click('[data-variable="4"]')
    page.wait_for_selector(".parent-sets td")
    keys = ["".join(NAMES[v] for v in np.flatnonzero(graph[:, E])) for graph in left]
    shares = {key: keys.count(key) / len(keys) for key in keys}
    rows = [row.locator("td").all_inner_texts() for row in page.locator(".parent-sets tbody tr").all()]
    assert rows
    for members, p in rows:
        assert p == shown(shares["" if members == "none" else members.replace(", ", "")])
    reach = np.array([np.linalg.matrix_power(np.eye(5) + graph, 5) > 0 for graph in left]).mean(axis=0)
    ancestors = page.locator(".related").first.locator("li").all_inner_texts()
    assert ancestors
    for entry in ancestors:
        name, p = entry.split()
        assert p == shown(reach[NAMES.index(name), E])
    page.click("[data-tab=best]")
    page.wait_for_selector("[data-panel=best] table")
    page.click("[data-tab=judge]")
    page.fill("[aria-label='A graph as text']", "A -> B")
    page.click("button:text-is('Judge')")
    page.wait_for_selector("[data-panel=judge] .warning:has-text('live explorer')")


def test_graphs_without_orders(visit, kinds, tmp_path):
    kinds("DAGs").to_html(tmp_path / "dags.html", n_samples=300)
    page = visit((tmp_path / "dags.html").as_uri())
    page.click('[data-variable="0"]')
    assert "comes before" not in page.inner_text("[aria-label=Relation]")
    page = visit((tmp_path / "dags.html").as_uri() + "#given=A < B")
    page.settle()
    assert "orders" in page.problem
    assert page.evidence == []
