"""Time from a click to the new picture, measured in a browser, with the time of the query itself beside it.

    python -m benchmarks.explorer.run               # writes benchmarks/explorer.md

The clock of the page starts with the click on "present" and stops when the browser has painted the new graph. The query
is `posterior.given(edge).edge_probabilities()` and the probability of the evidence, as the server measures it.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import orderspn as osp
from benchmarks.explorer.browser import choose_edge, chromium, explored, idle, opened
from orderspn.explorer.page import page as page_text

RESULTS = Path(__file__).parents[1] / "explorer.md"
CLICKS = 12
LIMITS = {11: "100 ms", 64: "1500 ms", 100: ""}

TIMED = """
async (button) => {
    const root = document.querySelector('#orderspn').shadowRoot;
    const fetched = window.fetch;
    let seconds = 0;
    window.fetch = async (...request) => {
        const response = await fetched(...request);
        if (request[1]?.body?.includes('"edges"')) response.clone().json().then((a) => { seconds = a.seconds; });
        return response;
    };
    const shown = () => root.querySelector('.evidence-probability')?.textContent;
    const before = shown();
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const begin = performance.now();
    button.click();
    while (shown() === before) await new Promise((done) => setTimeout(done, 1));
    await painted();
    const end = performance.now();
    window.fetch = fetched;
    return [end - begin, 1000 * seconds];
}
"""
"""Clicks a button, and returns the milliseconds until the new picture is painted, and those of the query."""


class Measured(NamedTuple):
    """Milliseconds of clicks and of their queries."""

    n_variables: int
    clicks: list[float]
    queries: list[float]


def main() -> None:
    """Measure pages of 11, 64 and 100 variables, and write the table."""
    with chromium() as browser:
        found = [measured(browser, posterior) for posterior in posteriors()]
    text = report(found)
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


def posteriors() -> list[osp.Posterior]:
    """Return an exact posterior, and circuits of 64 and 100 variables."""
    simulated = [osp.simulate.linear_gaussian(d, n_rows=1000, rng=1).data for d in (64, 100)]
    return [osp.learn(data, rng=1) for data in (osp.load_sachs(log=True).data, *simulated)]


def measured(browser: Any, posterior: osp.Posterior) -> Measured:
    """Say of undecided edges, one after the other, that they are present, and measure how long each takes."""
    matrix, names = posterior.edge_probabilities().to_numpy(), posterior.variables
    undecided = [(names[c], names[e]) for c, e in np.argwhere((matrix > 0.2) & (matrix < 0.8))][:CLICKS]
    clicks, queries = [], []
    with explored(posterior, "measured.npz") as (url, answering):
        page = opened(browser, f"{url}#threshold=0.1")  # all undecided edges can be clicked
        for cause, effect in undecided:
            button = choose_edge(page, posterior, cause, effect).locator("[data-state=present]")
            button.wait_for()
            idle(page, answering)
            click, query = button.evaluate(TIMED)
            clicks.append(click)
            queries.append(query)
            page.get_by_role("button", name="Clear").click()
            page.locator(".evidence-probability").wait_for(state="detached")
        page.close()
    return Measured(len(posterior.variables), clicks, queries)


def report(found: list[Measured]) -> str:
    """Return the page."""
    weight = len(page_text("posterior").encode()) / 1e3
    rows = "\n".join(
        f"| {m.n_variables} | {len(m.clicks)} | {median(m.clicks):.0f} ms | {max(m.clicks):.0f} ms "
        f"| {median(m.queries):.0f} ms | {LIMITS[m.n_variables]} |"
        for m in found
    )
    return f"""# The explorer

Time from a click on "present" to the new picture, measured in Chromium on a page that computes nothing else, and the
time of the query in it: the edge probabilities under the evidence, and the probability of the evidence. 11 variables
are an exact posterior, 64 and 100 are circuits.
{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}.

| variables | clicks | median | slowest | query, median | to stay below |
| --- | --- | --- | --- | --- | --- |
{rows}

The page without data has {weight:.0f} kB, all of it in one file.
"""


if __name__ == "__main__":
    main()
