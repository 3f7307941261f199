"""Posteriors to explore, a server for them, and a browser."""

import os
import shutil
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.discrete import as_categories, discrete_data
from helpers.exploring import SECONDS, served
from helpers.mixed import mixed_data
from helpers.pages import ShownPage
from orderspn.data.dataset import read_table

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]
NO_BROWSER = (
    "BROWSER TESTS DID NOT RUN: THERE IS NO CHROMIUM. Install it (Debian: apt-get install chromium; or: python -m "
    "playwright install chromium, and set ORDERSPN_CHROMIUM to its program) and run the tests again. "
    "ORDERSPN_REQUIRE_BROWSER=1 makes this a failure."
)


def pytest_terminal_summary(terminalreporter):
    """Say loudly if the browser tests did not run; reports of skipped tests also come from other processes."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any("BROWSER TESTS DID NOT RUN" in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(NO_BROWSER, red=True, bold=True)


def chromium():
    """The program of the browser; None if there is none."""
    named = os.environ.get("ORDERSPN_CHROMIUM")
    return named or next(filter(None, map(shutil.which, BROWSERS)), None)


# Playwright leaves an event loop in its thread, so that the browser must not outlive this folder of tests.
@pytest.fixture(scope="package")
def browser():
    """A Chromium; where there is none, tests are skipped with a word, or fail."""
    program = chromium()
    if program is None:
        (pytest.fail if os.environ.get("ORDERSPN_REQUIRE_BROWSER") == "1" else pytest.skip)(NO_BROWSER)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser):
    """Open pages, each with a storage of its own; at the end none may have complained."""
    contexts, shown = [], []

    def open_page(url, *, context=None, ready=True, width=1400, height=900, **options):
        if context is None:
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            context.set_default_timeout(1000 * SECONDS)
            contexts.append(context)
        found = ShownPage(context.new_page())
        shown.append(found)
        found.page.goto(url)
        if ready:
            found.page.wait_for_selector(".graph svg .node")
        return found

    yield open_page
    complaints = [complaint for page in shown for complaint in page.complaints]
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def posterior():
    """Five variables A to E, with orders."""
    return osp.learn(osp.simulate.linear_gaussian(5, 120, variables=letters(5), rng=4).data, rng=0)


@pytest.fixture(scope="session")
def hundred():
    """A hundred variables, of which most are context, so that it is learned at once."""
    data = osp.simulate.linear_gaussian(100, 150, rng=5).data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return osp.learn(data, context=list(data.columns[:90]), candidates=3, rng=0)


@pytest.fixture(scope="module")
def server(posterior):
    """The server of `posterior`, one for each file of tests."""
    with served(posterior) as running:
        yield running


def _numbers(**options):
    return osp.learn(read_table(gaussian_data(5, 40, seed=3), letters(5)), rng=11, n_jobs=1, **options)


def _categories():
    return osp.learn(as_categories(discrete_data((2, 3, 2, 2, 3), 40, seed=3), (2, 3, 2, 2, 3), letters(5)), rng=1)


def _time_series():
    values = np.random.default_rng(0).normal(size=(60, 2)).cumsum(axis=0)
    table = osp.time_series.lagged(pd.DataFrame(values, columns=["X", "Y"]), lags=1)
    return osp.learn(table.data, context=table.context, rng=0)


LEARNED = {
    "exact": _numbers,
    "DAGs": lambda: _numbers(method=osp.methods.Exact(target="dag")),
    "circuit": lambda: _numbers(method=osp.methods.Trust(expansion=[4], block_size=3)),
    "sampled": lambda: _numbers(method=osp.methods.Gadget(effort=0.02, n_graphs=40, n_chains=2)),
    "mixture": lambda: osp.mix([_numbers(), _numbers(method=osp.methods.Exact(target="dag"))], [0.5, 0.5]),
    "categories": _categories,
    "mixed": lambda: osp.learn(mixed_data()[["A", "B", "C", "D"]], rng=0),
    "context": lambda: _numbers(context=["C"]),
    "time series": _time_series,
    "under evidence": lambda: _numbers().given("A -> B"),
}


@pytest.fixture(scope="session")
def kinds():
    """Posteriors of every kind by name; each is learned when it is first asked for."""

    @cache
    def make(name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that samples are small
            return LEARNED[name]()

    return make
