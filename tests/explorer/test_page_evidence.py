"""Evidence by clicking: every number that is shown is that of Python, and impossible evidence changes nothing."""

import pytest

from helpers.exploring import shown
from helpers.pages import check_numbers

pytestmark = pytest.mark.thorough
A, B, C, D, E = range(5)


@pytest.fixture
def page(visit, server):
    return visit(server.url)


def test_it_opens_with_the_numbers_before_evidence(page, posterior):
    assert page.title() == "a posterior"
    assert page.locator(".node").count() == 5
    assert page.locator(".node text").all_text_contents() == list("ABCDE")
    check_numbers(page, posterior)


def test_an_edge_is_clicked_and_said_to_be_present(page, posterior):
    page.click_pair(A, C)
    assert page.locator(".panel h2").inner_text() in ("A and C", "C and A")
    page.press_state(A, C, "present")
    assert page.given == "A -> C"
    under = check_numbers(page, posterior)
    assert page.inner_text('[data-edge="0,2"] .probability') == "1.000"
    assert page.evidence == ["A causes C"]
    none = 1 - under.edge_probabilities().loc["A", "C"] - under.edge_probabilities().loc["C", "A"]
    assert page.inner_text(".edge-states p .probability") == shown(none)
    before, now = (p.edge_probabilities().loc["C", "A"] for p in (posterior, under))
    assert page.inner_text('[data-edge="2,0"] .change').strip() == f"−{abs(now - before):.3f}"


def test_a_second_click_turns_the_edge_around(page):
    page.click_pair(A, C)
    page.click_pair(A, C)
    assert page.locator("[data-edge]").first.get_attribute("data-edge") == "0,2"  # C -> A is more probable


def test_undo_and_redo(page, posterior):
    page.choose_state(A, B, "present")
    page.choose_state(C, E, "absent")
    assert page.given == "A -> B, C !-> E"
    page.keyboard.press("Escape")
    page.locator(".app").focus()
    page.keyboard.press("Control+z")
    page.settle()
    assert page.given == "A -> B"
    check_numbers(page, posterior)
    page.click("button:text-is('Undo')")
    page.settle()
    assert page.given == ""
    check_numbers(page, posterior)
    assert page.is_disabled("button:text-is('Undo')")
    page.click("button:text-is('Redo')")
    page.settle()
    assert page.given == "A -> B"
    page.locator(".app").focus()
    page.keyboard.press("Control+Shift+z")
    page.settle()
    assert page.given == "A -> B, C !-> E"
    check_numbers(page, posterior)
    assert page.is_disabled("button:text-is('Redo')")


def test_two_steps_back_at_once(page, posterior):
    """Keys that come before the answer to the first is there are steps of their own."""
    page.choose_state(A, B, "present")
    page.choose_state(C, E, "absent")
    page.locator(".app").focus()
    page.evaluate(
        """() => {
          const app = document.querySelector("#orderspn").shadowRoot.querySelector(".app");
          const key = () => new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true, composed: true });
          app.dispatchEvent(key());
          app.dispatchEvent(key());
        }"""
    )
    page.settle()
    assert page.given == ""
    check_numbers(page, posterior)


def test_absent_free_and_removed(page, posterior):
    page.click_pair(C, E)
    page.press_state(C, E, "absent")
    assert page.given == "C !-> E"
    check_numbers(page, posterior)
    assert page.locator(".mark.cross").count() == 1
    page.press_state(C, E, "present")
    assert page.given == "C -> E"
    page.press_state(C, E, "free")
    assert page.given == ""
    check_numbers(page, posterior)
    page.choose_state(A, B, "present")
    page.choose_state(D, E, "present")
    page.click("[aria-label='Remove: A causes B']")
    page.settle()
    assert page.evidence == ["D causes E"]
    check_numbers(page, posterior)
    page.click("button:text-is('Clear')")
    page.settle()
    assert page.evidence == []
    check_numbers(page, posterior)


def test_keys_of_the_chosen_edge(page, posterior):
    page.click_pair(C, E)
    for key, given in (("p", "C -> E"), ("a", "C !-> E"), ("a", ""), ("Shift+P", "E -> C"), ("Shift+F", "")):
        page.keyboard.press(key)
        page.settle()
        assert page.given == given
    check_numbers(page, posterior)


def test_impossible_evidence_is_refused_with_the_reason(page, posterior):
    page.choose_state(A, B, "present")
    table = page.table
    page.choose_state(B, A, "present")
    assert "A -> B" in page.problem
    assert "B -> A" in page.problem
    assert page.given == "A -> B"
    assert page.table == table
    assert page.evidence == ["A causes B"]
    assert page.input_value('[data-row="1,0"] select') == ""
    check_numbers(page, posterior)
    page.click("[aria-label='Close this message']")
    assert page.problem is None
    page.choose_state(C, E, "absent")  # and it goes on
    assert page.given == "A -> B, C !-> E"
    check_numbers(page, posterior)


@pytest.mark.parametrize(
    ("item", "given"),
    [
        ("Comes before …", "C < E"),
        ("Comes after …", "E < C"),
        ("Is an ancestor of …", "C ~> E"),
        ("Is not an ancestor of …", "C !~> E"),
    ],
)
def test_constraints_of_the_menu(page, posterior, item, given):
    page.click(f'[data-variable="{C}"]', button="right")
    page.click(f"[role=menuitem]:text-is('{item}')")
    assert "Choose the variable that C" in page.inner_text(".picking")
    page.click(f'[data-variable="{E}"]')
    page.settle()
    assert page.given == given
    check_numbers(page, posterior)
    if "~" in given:
        assert "draws" in page.inner_text(".evidence")


def test_constraints_of_the_panel(page, posterior):
    page.click(f'[data-variable="{D}"]')
    assert page.inner_text(".panel h2") == "D"
    for relation, other in (("<", "A"), ("!->", "E")):
        page.select_option("[aria-label=Relation]", relation)
        page.select_option("[aria-label='Other variable']", label=other)
        page.click("button:text-is('Add')")
        page.settle()
        # The panel is drawn anew with the answer, and with it the choices of this form.
        page.wait_for_function("!document.querySelector('#orderspn').shadowRoot.querySelector('.waiting')")
    assert page.given == "D < A, D !-> E"
    check_numbers(page, posterior)
    frame = posterior.given(page.given).parent_sets("D", top=12)
    page.wait_for_function("!document.querySelector('#orderspn').shadowRoot.querySelector('.waiting')")
    rows = page.locator(".parent-sets tbody tr").all()
    assert [row.locator("td").all_inner_texts() for row in rows] == [
        [", ".join(members) or "none", shown(p)]
        for members, p in zip(frame["parents"], frame["probability"], strict=True)
    ]


def test_what_moved(page, posterior):
    page.choose_state(C, A, "present")
    page.click("[data-tab=moved]")
    now = posterior.edge_probabilities(given="C -> A").to_numpy()
    change = now - posterior.edge_probabilities().to_numpy()
    first = page.locator(".moved tbody tr").first.locator("td").all_inner_texts()
    candidates = {
        f"{'ABCDE'[a]} → {'ABCDE'[b]}" for a, b in zip(*(abs(change) > abs(change).max() - 1e-9).nonzero(), strict=True)
    }
    assert first[0] in candidates
    assert first[3].strip("+−") == f"{abs(change).max():.3f}"
