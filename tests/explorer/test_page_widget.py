"""The program of the browser as a widget: a kernel answers it, and where there is none, its draws do."""

import json

import pytest

from helpers.exploring import shown
from helpers.pages import check_table
from orderspn.explorer.page import program
from reference.explorer_draws import edge_shares

pytestmark = pytest.mark.thorough
A, B, C, D, E = range(5)

# A notebook as anywidget knows it: a model with values, messages, and listeners.
SHOW = """async ([program, data, given, alive]) => {
  const address = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  const state = { data, given, view: "", height: 700 };
  const listeners = {};
  const tell = (name, content) => (listeners[name] ?? []).forEach((heard) => heard(content));
  const model = {
    get: (name) => state[name],
    set: (name, value) => (state[name] = value),
    save_changes: () => undefined,
    on: (name, heard) => (listeners[name] ??= []).push(heard),
    off: () => undefined,
    send: async ({ id, ask }) => alive && tell("msg:custom", { id, answer: JSON.parse(await window.kernel(ask)) }),
  };
  Object.assign(window, { state, tell });
  await widget.render({ model, el: document.body });
}"""


@pytest.fixture
def show(visit, posterior):
    widget = posterior.explore(browser=False)

    def open_widget(given="", alive=True):
        page = visit("about:blank", ready=False)
        page.expose_function("kernel", lambda text: json.dumps(widget._answering.answer_text(text.encode())))
        page.evaluate(SHOW, [program(), widget.data, given, alive])
        page.wait_for_selector(".graph svg .node")
        page.settle()
        return page, widget

    return open_widget


def test_the_kernel_answers(show, posterior):
    page, _ = show()
    before = posterior.edge_probabilities().to_numpy()
    check_table(page, before, before)
    page.choose_state(A, B, "absent")
    assert page.evaluate("state.given") == "A !-> B"  # which Python reads
    check_table(page, posterior.edge_probabilities(given="A !-> B").to_numpy(), before)
    assert page.inner_text(".evidence-probability") == shown(posterior.probability("A !-> B"))
    page.choose_state(C, E, "present")
    page.choose_state(E, C, "present")
    assert "E -> C" in page.problem
    assert page.evaluate("state.given") == "A !-> B, C -> E"


def test_python_sets_the_evidence(show, posterior):
    page, _ = show(given="C -> A")
    assert page.evidence == ["C causes A"]
    page.evaluate("state.given = 'D -> E, C !-> A'; tell('change:given')")
    page.wait_for_selector(".statements li >> nth=1")
    page.settle()
    assert page.evidence == ["D causes E", "C does not cause A"]
    expected = posterior.edge_probabilities(given="D -> E, C !-> A").to_numpy()
    check_table(page, expected, posterior.edge_probabilities().to_numpy())


def test_without_a_kernel_the_draws_answer(show, posterior):
    page, widget = show(alive=False)
    page.choose_state(A, B, "present")
    shares, left = edge_shares(widget.data["draws"], posterior.variables, [("A", "->", "B")])
    check_table(page, shares, posterior.edge_probabilities().to_numpy())
    assert f"{left:,} of 1,000 draws are left" in page.inner_text(".evidence")
