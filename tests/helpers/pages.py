"""A page of the explorer in a real browser: what it shows, what is done on it, and what it complains about."""

from urllib.parse import parse_qs, urlsplit

import numpy as np

import orderspn as osp
from helpers.exploring import shown, shown_of_evidence

POINT = """(path) => {
  const at = path.getPointAtLength(path.getTotalLength() / 2);
  const matrix = path.getScreenCTM();
  return [matrix.a * at.x + matrix.c * at.y + matrix.e, matrix.b * at.x + matrix.d * at.y + matrix.f];
}"""

ROWS = """(rows) => rows.map((row) => [row.dataset.row, row.querySelector("td.number").textContent])"""


class ShownPage:
    """A page, and all errors of its console and its program; dialogs count as errors."""

    def __init__(self, page):
        self.page = page
        self.complaints = []
        page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._refused)

    def _refused(self, dialog):
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def __getattr__(self, name):
        return getattr(self.page, name)

    def settle(self):
        """Wait until evidence has its answer, and the address is written."""
        self.page.wait_for_selector(".evidence[aria-busy=false]", state="attached")
        self.page.wait_for_timeout(260)

    def click_pair(self, a, b):
        """Click the line between two variables with the mouse."""
        key = ",".join(map(str, sorted((a, b))))
        x, y = self.page.eval_on_selector(f'[data-pair="{key}"] .hit', POINT)
        self.page.mouse.click(x, y)

    def press_state(self, a, b, state):
        """Press "present", "absent" or "free" of an edge in the panel."""
        self.page.click(f'[data-edge="{a},{b}"] [data-state={state}]')
        self.settle()

    def choose_state(self, a, b, state):
        """Choose evidence about an edge in the table."""
        self.page.select_option(f'[data-row="{a},{b}"] select', {"present": "->", "absent": "!->", "free": ""}[state])
        self.settle()

    @property
    def view(self):
        """The view in the address."""
        return {key: values[0] for key, values in parse_qs(urlsplit(self.page.url).fragment).items()}

    @property
    def given(self):
        """The evidence in the address."""
        return self.view.get("given", "")

    @property
    def table(self):
        """Probabilities in the table of edges, as texts by (cause, effect)."""
        found = self.page.eval_on_selector_all(".edge-table tr[data-row]", ROWS)
        return {tuple(map(int, key.split(","))): text for key, text in found}

    @property
    def evidence(self):
        """The list of what is given, in words."""
        return self.page.locator(".statements li button.plain").all_inner_texts()

    @property
    def problem(self):
        """The message at the top; None if there is none."""
        found = self.page.locator(".problem span")
        return found.inner_text() if found.count() else None


def check_numbers(page, posterior):
    """Every number in the table, the panel and the evidence is the posterior's, for the evidence in the address."""
    under = posterior.given(osp.Edges.parse(page.given)) if page.given else posterior
    check_table(page, under.edge_probabilities().to_numpy(), posterior.edge_probabilities().to_numpy())
    if page.given:
        p = posterior.probability(osp.Edges.parse(page.given))
        assert page.inner_text(".evidence-probability") == shown_of_evidence(p)
    return under


def check_table(page, now, before):
    """The table and the panel of an edge show a matrix; edges that are never probable are left out."""
    d = len(now)
    expected = {
        (a, b): shown(now[a, b])
        for a in range(d)
        for b in range(d)
        if a != b and max(now[a, b], before[a, b]) >= 0.0005
    }
    if d <= 6:  # with more the table begins with a part
        found = page.table
        differing = {key: (found.get(key), expected.get(key)) for key in found.keys() | expected.keys()}
        assert {key: pair for key, pair in differing.items() if pair[0] != pair[1]} == {}, page.view
    else:
        assert page.table.items() <= expected.items()
    for element in page.locator(".direction[data-edge]").all():
        a, b = map(int, element.get_attribute("data-edge").split(","))
        assert element.locator(".probability").inner_text() == shown(now[a, b])
    assert np.isfinite(now).all()
