"""The page for everybody: contrast, keyboard, names for screen readers, and phones."""

import re

import pytest

from helpers.each import check_each

pytestmark = pytest.mark.thorough
A, B, C, D, E = range(5)

TEXTS = {  # text on ground, and whether it is only ever large or a drawing
    "text": ("--text", "--ground", 4.5),
    "text on panels": ("--text", "--panel", 4.5),
    "soft text": ("--soft", "--ground", 4.5),
    "soft text on panels": ("--soft", "--panel", 4.5),
    "links": ("--accent", "--ground", 4.5),
    "links on panels": ("--accent", "--panel", 4.5),
    "pressed buttons": ("--ground", "--accent", 4.5),
    "more probable": ("--up", "--ground", 4.5),
    "more probable on panels": ("--up", "--panel", 4.5),
    "less probable": ("--down", "--ground", 4.5),
    "less probable on panels": ("--down", "--panel", 4.5),
    "warnings": ("--warn", "--warn-ground", 4.5),
    "names of variables": ("--text", "--node", 4.5),
    "names of context variables": ("--text", "--context", 4.5),
    "chosen": ("--text", "--chosen", 4.5),
    "edges": ("--edge", "--ground", 3.0),
    "frames of variables": ("--node-line", "--ground", 3.0),
    "frames of context variables": ("--context-line", "--ground", 3.0),
    "frames of buttons on panels": ("--node-line", "--panel", 3.0),
    "crosses": ("--alarm", "--ground", 3.0),
}


@pytest.fixture
def page(visit, server):
    return visit(server.url)


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("chosen", ["by the system", "by the button"])
def test_contrast(visit, server, scheme, chosen):
    """As WCAG 2.2 asks at level AA: 4.5 for text, 3 for drawings."""
    system = scheme if chosen == "by the system" else {"light": "dark", "dark": "light"}[scheme]
    theme = "" if chosen == "by the system" else f"#theme={scheme}"
    page = visit(server.url + theme, color_scheme=system)
    names = sorted({name for text, ground, _ in TEXTS.values() for name in (text, ground)})
    values = page.eval_on_selector(
        ".app", "(app, names) => names.map((name) => getComputedStyle(app).getPropertyValue(name).trim())", names
    )
    tokens = dict(zip(names, values, strict=True))
    assert (luminance(tokens["--ground"]) < 0.2) == (scheme == "dark")

    def check(entry):
        text, ground, least = entry
        assert contrast(tokens[text], tokens[ground]) >= least

    check_each(check, TEXTS)


def test_by_keyboard_alone(page):
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.querySelector('#orderspn').shadowRoot.activeElement?.dataset.variable") is not None:
            break
    else:
        pytest.fail("the graph is not reached by Tab")
    focused = "document.querySelector('#orderspn').shadowRoot.activeElement.dataset"
    before = page.evaluate(f"{focused}.variable")
    moved = set()
    for key in ("ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
        page.wait_for_timeout(60)
        moved.add(page.evaluate(f"{focused}.variable"))
    assert moved - {before}
    at = page.evaluate(f"{focused}.variable")
    page.keyboard.press("Enter")
    assert page.inner_text(".panel h2") == "ABCDE"[int(at)]
    page.keyboard.press("e")
    page.wait_for_timeout(60)
    pair = page.evaluate(f"{focused}.pair")
    assert at in pair.split(",")
    page.keyboard.press("Enter")
    page.keyboard.press("p")
    page.settle()
    a, b = (("ABCDE")[int(v)] for v in page.locator("[data-edge]").first.get_attribute("data-edge").split(","))
    assert page.given == f"{a} -> {b}"
    assert page.evaluate(f"{focused}.pair") == pair  # its line has another place among the others now
    for key in ("ArrowDown", "ArrowUp"):  # one of them leads back to a variable
        page.keyboard.press(key)
        page.wait_for_timeout(60)
    assert page.evaluate(f"{focused}.variable") is not None
    page.keyboard.press("m")
    page.wait_for_selector("[role=menu]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert page.locator("[role=menu]").count() == 0
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


def test_tabs_by_arrow_keys(page):
    page.focus("[data-tab=table]")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("[data-tab=heat]", "aria-selected") == "true"
    assert page.evaluate("document.querySelector('#orderspn').shadowRoot.activeElement.dataset.tab") == "heat"


NAMELESS = """() => {
  const kinds = "button, input, select, textarea, summary, [role=button], [role=tab], canvas, svg[role]";
  return [...document.querySelector("#orderspn").shadowRoot.querySelectorAll(kinds)]
    .filter((one) => !(one.closest("label")?.textContent ?? one.getAttribute("aria-label") ?? one.textContent).trim())
    .map((one) => one.outerHTML.slice(0, 200));
}"""


def test_everything_has_a_name(page):
    page.choose_state(A, B, "present")
    page.click_pair(C, E)
    for tab in ("selected", "whole", "best", "judge"):
        page.click(f"[data-tab={tab}]")
        for drawer in ("table", "heat", "moved"):
            page.click(f"[data-tab={drawer}]")
            assert page.evaluate(NAMELESS) == []
    page.click("summary:text-is('Take away')")
    assert page.evaluate(NAMELESS) == []
    snapshot = page.locator("body").aria_snapshot()
    assert not re.findall(
        r"^\s*- (?:button|textbox|combobox|slider|checkbox|tab|searchbox)(?: \[[^\]]*\])*:?$", snapshot, re.MULTILINE
    )
    for wanted in ('button "Undo', 'slider "Least probability of drawn edges"', 'tab "Whole"', 'button "A"'):
        assert wanted in snapshot


@pytest.mark.parametrize("width", [390, 320])
def test_on_a_phone(visit, server, width):
    page = visit(server.url, width=width, height=844, has_touch=True, is_mobile=True)
    page.choose_state(A, B, "present")
    page.locator('[data-variable="2"]').tap()
    assert page.inner_text(".panel h2") == "C"
    sizes = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth, innerWidth]")
    assert sizes[0] <= sizes[1]
    for selector in (".graph > svg", ".evidence", ".panel", ".drawn", ".header"):
        box = page.locator(selector).bounding_box()
        assert box["height"] > 40, selector
        assert -1 <= box["x"] <= box["x"] + box["width"] <= width + 1, selector
    page.locator(".edge-table").scroll_into_view_if_needed()
    page.click("summary:text-is('Take away')")
    box = page.locator(".downloads .menu").bounding_box()
    assert -1 <= box["x"] <= box["x"] + box["width"] <= width + 1


def test_evidence_is_told_to_screen_readers(page):
    page.choose_state(A, B, "present")
    assert page.inner_text("[role=status].unseen").startswith("Given A -> B.")
    page.choose_state(B, A, "present")
    assert page.locator("[role=alert]").count() == 1
