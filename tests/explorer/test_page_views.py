"""Ways to look at the graph: search, threshold, focus, dragging, and the address that remembers all of it."""

import json

import pytest

from helpers.exploring import served
from helpers.pages import check_numbers

pytestmark = pytest.mark.thorough
A, B, C, D, E = range(5)


@pytest.fixture
def page(visit, server):
    return visit(server.url)


def box_of(page, variable):
    box = page.locator(f'[data-variable="{variable}"] rect').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def centre_of_graph(page):
    box = page.locator(".graph > svg").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, variable, dx, dy):
    x, y = box_of(page, variable)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx / 2, y + dy / 2)
    page.mouse.move(x + dx, y + dy)
    page.mouse.up()
    page.settle()


def drawn(page):
    return page.locator(".pair:not(.gone)").count()


def test_a_variable_of_a_hundred_is_found(visit, hundred):
    with served(hundred, title="a hundred") as server:
        page = visit(server.url)
        assert page.locator(".node").count() == 100
        page.keyboard.press("Tab")
        page.fill("input[type=search]", hundred.variables[97])
        page.settle()
        assert page.inner_text(".panel h2") == hundred.variables[97]
        assert page.locator('.node.selected[data-variable="97"]').count() == 1
        assert box_of(page, 97) == pytest.approx(centre_of_graph(page), abs=2)
        page.fill("input[type=search]", hundred.variables[42].lower())
        page.press("input[type=search]", "Enter")
        page.settle()
        assert page.inner_text(".panel h2") == hundred.variables[42]
        assert box_of(page, 42) == pytest.approx(centre_of_graph(page), abs=2)
        page.fill("input[type=search]", "nobody")
        page.press("input[type=search]", "Enter")
        assert page.inner_text(".panel h2") == hundred.variables[42]
        check_numbers(page, hundred)


def test_the_threshold(page, posterior):
    matrix = posterior.edge_probabilities().to_numpy()
    both = [matrix[a, b] + matrix[b, a] for a in range(5) for b in range(a + 1, 5)]
    for threshold in ("0.5", "0.99", "0"):
        page.locator("input[type=range]").fill(threshold)
        page.settle()
        expected = sum(p >= float(threshold) for p in both)
        assert drawn(page) == expected
        assert page.inner_text(".threshold output") == f"{float(threshold):.2f}: {expected} drawn"
    assert len({sum(p >= t for p in both) for t in (0.5, 0.99, 0.0)}) == 3


def test_focus_on_a_neighbourhood(page, posterior):
    page.locator("input[type=range]").fill("0.9")
    page.click(f'[data-variable="{A}"]')
    page.click(".panel button:text-is('Focus on its neighbourhood')")
    page.settle()
    matrix = posterior.edge_probabilities().to_numpy()
    far = [str(v) for v in range(5) if v != A and matrix[A, v] + matrix[v, A] < 0.9]
    dim = page.locator(".node.dim").evaluate_all("(nodes) => nodes.map((node) => node.dataset.variable)")
    assert dim == far
    assert far
    page.click("button:text-is('Wider')")
    page.settle()
    assert page.locator(".node.dim").count() < len(far)
    assert json.loads(page.view["focus"]) == ["A", 2]
    page.click(".controls button:text-is('Show all')")
    assert page.locator(".node.dim").count() == 0


def test_a_dragged_variable_stays_where_it_was_put(page):
    x, y = box_of(page, B)
    drag(page, B, 120, -40)
    assert box_of(page, B) == pytest.approx((x + 120, y - 40), abs=1.5)
    assert page.locator(".node.selected").count() == 0  # a drag is no click
    there = box_of(page, B)
    page.reload()
    page.wait_for_selector(".graph svg .node")
    assert box_of(page, B) == pytest.approx(there, abs=1.5)
    page.click("button:text-is('Undo dragging')")
    assert box_of(page, B) == pytest.approx((x, y), abs=1.5)


def test_a_reload_keeps_the_view(page, posterior):
    page.choose_state(A, B, "present")
    page.locator("input[type=range]").fill("0.3")
    page.click_pair(C, E)
    page.click("[aria-label='Zoom in']")
    x, y = centre_of_graph(page)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -200)
    page.click("[data-tab=heat]")
    page.click("[data-tab=table]")
    page.click("button:has-text('Theme')")
    page.fill(".filter input", "e")
    page.fill(".filter input", "")
    page.settle()
    view, transform = page.view, page.get_attribute(".graph > svg > g", "transform")
    assert {"given", "threshold", "selected", "zoom", "theme", "panel"} <= set(view)
    page.reload()
    page.wait_for_selector(".graph svg .node")
    page.settle()
    assert page.view == view
    numbers = [
        float(x)
        for x in page.get_attribute(".graph > svg > g", "transform").replace("(", ",").replace(")", ",").split(",")
        if x[:1] in "-0123456789" and x
    ]
    expected = [
        float(x) for x in transform.replace("(", ",").replace(")", ",").split(",") if x[:1] in "-0123456789" and x
    ]
    assert numbers == pytest.approx(expected, abs=0.01)
    assert page.evidence == ["A causes B"]
    assert page.inner_text(".panel h2") == "C and E"
    assert page.get_attribute(".app", "data-theme") == "light"
    check_numbers(page, posterior)


def test_two_pages_at_once(visit, server, posterior):
    one, other = visit(server.url), visit(server.url)
    one.choose_state(A, B, "present")
    other.choose_state(B, A, "present")
    one.choose_state(D, E, "absent")
    assert (one.given, other.given) == ("A -> B, D !-> E", "B -> A")
    check_numbers(one, posterior)
    check_numbers(other, posterior)


@pytest.mark.parametrize(
    "text",
    [
        "given=A -> nobody",
        "given=%22%22%22",
        "moved=5",
        'moved=[null,[1],["A","x",{}]]',
        'selected=["A","A"]&focus=[]&threshold=7&zoom=0,0,0',
        "selected=7&focus=3&zoom=1,NaN,2&theme=pink&panel=__proto__",
        "%E0%A4%A",
    ],
)
def test_an_address_that_makes_no_sense(visit, server, posterior, text):
    page = visit(f"{server.url}#{text}")
    page.settle()
    assert page.evidence == []
    assert page.locator(".node").count() == 5
    check_numbers(page, posterior)
    page.choose_state(A, B, "present")
    check_numbers(page, posterior)


def test_impossible_evidence_in_the_address(visit, server, posterior):
    page = visit(f"{server.url}#given=A -> B, B -> A")
    page.settle()
    assert "B -> A" in page.problem
    assert page.evidence == []
    check_numbers(page, posterior)


def test_the_address_is_followed(page, posterior):
    page.evaluate("location.hash = 'given=C -> E&threshold=0.2'")
    page.wait_for_selector(".statements li")
    page.settle()
    assert page.evidence == ["C causes E"]
    assert page.input_value("input[type=range]") == "0.2"
    check_numbers(page, posterior)


def test_the_heat_map_is_clicked(page):
    page.click("[data-tab=heat]")
    page.wait_for_selector("canvas")
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] * 0.7)
    page.wait_for_selector(".heat p:has-text('→')")
    shown = page.inner_text(".heat p").split(":")[0].split(" → ")
    page.mouse.down()
    page.mouse.up()
    assert page.inner_text(".panel h2") == " and ".join(shown)


def test_a_new_layout(page):
    page.choose_state(E, C, "present")
    page.choose_state(D, E, "present")
    before = {v: box_of(page, v) for v in (C, E)}
    assert before[C][1] < before[E][1]  # positions stay
    page.click("button:text-is('Lay out anew')")
    page.wait_for_timeout(500)
    assert box_of(page, E)[1] < box_of(page, C)[1]


def test_sorting_and_filtering_the_table(page):
    page.fill(".filter input", "c")
    assert page.table
    assert all(C in key for key in page.table)
    page.fill(".filter input", "")
    page.click("th button:has-text('Cause')")
    causes = [key[0] for key in page.table]
    assert causes == sorted(causes)
    assert page.get_attribute("th:has-text('Cause')", "aria-sort") == "ascending"
