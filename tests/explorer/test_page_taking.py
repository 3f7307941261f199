"""What is taken from the page, and brought to it: files that others read, Python that runs, graphs to be judged."""

import io
import json
import xml.etree.ElementTree as ET

import pandas as pd
import pytest

from helpers.exploring import served
from orderspn.explorer.documents import Source

pytestmark = pytest.mark.thorough
A, B, C, D, E = range(5)
GIVEN = "A -> B, C !-> E"


@pytest.fixture(scope="module")
def file(posterior, tmp_path_factory):
    path = tmp_path_factory.mktemp("taking") / 'it\'s \\ "mine".npz'
    posterior.save(path)
    return path


@pytest.fixture(scope="module")
def server(posterior, file):
    with served(posterior, source=Source(file.name, f"osp.load({str(file)!r})")) as running:
        yield running


@pytest.fixture
def page(visit, server):
    page = visit(f"{server.url}#given={GIVEN}&threshold=0.2")
    page.settle()
    return page


def taken(page, words):
    """The content of a download."""
    page.click("summary:text-is('Take away')")
    with page.expect_download() as download:
        page.click(f"button:text-is('{words}')")
    with open(download.value.path(), "rb") as content:
        return download.value.suggested_filename, content.read()


def matrix_of(frame, column="probability"):
    found = pd.DataFrame(0.0, index=list("ABCDE"), columns=list("ABCDE"))
    for row in frame.to_dict("records"):
        found.loc[row["cause"], row["effect"]] = row[column]
    return found.to_numpy()


def test_a_table(page, posterior):
    name, content = taken(page, "Edges as CSV")
    assert name.endswith(".csv")
    frame = pd.read_csv(io.BytesIO(content), dtype=str).astype({"probability": float, "before": float})
    assert len(frame) == 20
    assert (matrix_of(frame) == posterior.edge_probabilities(given=GIVEN).to_numpy()).all()
    assert (matrix_of(frame, "before") == posterior.edge_probabilities().to_numpy()).all()


def test_json(page, posterior):
    _, content = taken(page, "View as JSON")
    found = json.loads(content)
    assert found["given"] == GIVEN
    assert found["variables"] == list("ABCDE")
    assert found["log_probability_of_evidence"] == posterior.log_probability(GIVEN)
    assert (matrix_of(pd.DataFrame(found["edges"])) == posterior.edge_probabilities(given=GIVEN).to_numpy()).all()


def test_dot(page, posterior, tmp_path):
    from orderspn.user_graphs import read_graph_text

    _, content = taken(page, "Graph as DOT")
    graph = read_graph_text("graph", content.decode())
    probabilities = posterior.edge_probabilities(given=GIVEN)
    expected = {(a, b) for a in "ABCDE" for b in "ABCDE" if probabilities.loc[a, b] >= 0.2}
    found = set(graph.directed) | {pair for a, b in graph.undirected for pair in ((a, b), (b, a))}
    assert found == expected


def test_svg_and_png(page):
    _, content = taken(page, "Graph as SVG")
    root = ET.fromstring(content)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    names = {element.tag.split("}")[1] for element in root.iter()}
    assert "script" not in names
    assert "foreignObject" not in names
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not {name for name in attributes if name.startswith("on")}
    assert {"A", "B", "C", "D", "E"} <= {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert b"var(" not in content
    assert b"oklab" not in content  # which few programs but browsers read
    name, content = taken(page, "Graph as PNG")
    assert name.endswith(".png")
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(content[k : k + 4], "big") for k in (16, 20))
    assert width > 100
    assert height > 100


@pytest.mark.parametrize("chosen", ["an edge", "a variable"])
def test_the_python_runs(page, posterior, chosen):
    if chosen == "an edge":
        page.click_pair(D, E)
    else:
        page.click('[data-variable="1"]')
    page.settle()
    page.click("summary:text-is('Take away')")
    code = page.input_value(".downloads textarea")
    scope = {}
    exec(code, scope)
    assert (scope["edges"].to_numpy() == posterior.edge_probabilities(given=GIVEN).to_numpy()).all()
    assert str(scope["posterior"].evidence) == GIVEN
    if chosen == "an edge":
        assert scope["effect"].mean == posterior.given(GIVEN).effect("D", "E").mean
    else:
        assert scope["parents"].equals(posterior.given(GIVEN).parent_sets("B"))


def test_a_graph_is_judged(page, posterior, tmp_path):
    path = tmp_path / "mine.dot"
    path.write_text("digraph { A -> B; D -> E; C -> B }")
    page.click("[data-tab=judge]")
    page.set_input_files("[aria-label='A file with a graph']", path)
    page.wait_for_selector(".judgement")
    judged = posterior.given(GIVEN).judge("A -> B, D -> E, C -> B", missing_variables="isolated")
    assert page.inner_text(".judgement p b") == judged.verdict
    assert page.input_value("[aria-label='A graph as text']") == path.read_text()
    page.fill("[aria-label='A graph as text']", "A -> nobody")
    page.click("button:text-is('Judge')")
    page.wait_for_selector("[data-panel=judge] [role=alert]:has-text('nobody')")
    assert page.locator(".judgement").count() == 0


def test_an_effect(page, posterior):
    page.click_pair(D, E)
    page.wait_for_selector(".panel .facts")
    title = page.inner_text(".panel h3").split("\n")[0]
    cause, effect = title.removeprefix("Effect of ").replace(" Turn around", "").split(" on ")
    for a, b in ((cause, effect), (effect, cause)):
        expected = posterior.given(GIVEN).effect(a, b, n_samples=1000)
        page.wait_for_selector(f".panel h3:has-text('Effect of {a} on {b}')")
        page.wait_for_selector("section.waiting", state="detached")
        mean, sign, none = page.locator(".panel .facts dd").all_inner_texts()
        assert mean == f"{amount(expected.mean)}, 90% between {amount(expected.low)} and {amount(expected.high)}"
        assert sign == f"above 0: {expected.positive:.3f}, below: {expected.negative:.3f}"
        assert none == f"{expected.no_path:.3f}"
        page.click("button:text-is('Turn around')")


def amount(x):
    """A number with four digits, as the page writes it."""
    if x == 0:
        return "0"
    if not 1e-3 <= abs(x) < 1e5:
        mantissa, power = f"{x:.2e}".split("e")
        return f"{mantissa}e{int(power):+d}".replace("-", "−")
    return f"{float(f'{x:.4g}')}".removesuffix(".0").replace("-", "−")


def test_the_best_graph(page, posterior):
    page.click("[data-tab=best]")
    page.wait_for_selector("[data-panel=best] table")
    best = posterior.given(GIVEN).most_probable_graph()
    edges = page.locator("[data-panel=best] tbody button").all_inner_texts()
    assert {tuple(edge.split(" → ")) for edge in edges} == set(best.edges.present)
