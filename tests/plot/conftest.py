"""Posteriors to draw, and what it means that a picture is legible."""

import itertools
import sys
import warnings

import numpy as np
import pytest

import orderspn as osp

LONG_NAMES = ["systolic blood pressure", "expression of interleukin 6 in plasma (pg/ml)", "household_income_2019"]


def named(d):
    """Names of so many variables, some of them long."""
    return [*LONG_NAMES, *(f"X{k}" for k in range(len(LONG_NAMES), d))]


@pytest.fixture(autouse=True)
def no_figures_are_left():
    """Where another test has imported pyplot, it keeps every figure, and complains about many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def sachs():
    return osp.load_sachs()


@pytest.fixture(scope="session")
def posterior(sachs):
    return osp.learn(sachs.data, standardize=True, check=False)


@pytest.fixture(scope="session")
def sixty():
    """A posterior of 60 variables, more quickly than well learned."""
    data = osp.simulate.linear_gaussian(60, 150, variables=named(60), rng=5).data
    method = osp.methods.Trust(n_orders=8, effort=0.02, outsiders=0, refine=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the runs are short
        return osp.learn(data, standardize=True, method=method, candidates=4, rng=0)


@pytest.fixture(scope="session")
def random_probabilities():
    """Probabilities of edges by number of variables, most of them small, as a table with long names."""
    import pandas as pd

    def make(d):
        values = np.triu(np.random.default_rng(d).beta(0.1, 1.0, size=(d, d)), 1)
        return pd.DataFrame(values, index=named(d), columns=named(d))

    return make


def labels_beyond(figure):
    """Labels of ticks outside the limits of their axes, which exist and are not drawn."""
    found = set()
    for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
        low, high = sorted(axis.get_view_interval())
        hidden = [tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
        found |= {label for tick in hidden for label in (tick.label1, tick.label2)}
    return found


@pytest.fixture(scope="session")
def check_legible():
    """Fail where two texts of a picture overlap, or where one is cut off."""

    def check(ax, texts=None):
        figure = ax.figure
        figure.draw_without_rendering()
        if texts is None:
            texts = [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label, ax.title, *ax.texts]
        beyond = labels_beyond(figure)
        shown = [text for text in texts if text.get_text() and text not in beyond]
        boxes = [text.get_window_extent() for text in shown]
        for text, box in zip(shown, boxes, strict=True):
            assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1, text
            assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1, text
        for (one, first), (other, second) in itertools.combinations(zip(shown, boxes, strict=True), 2):
            assert not first.overlaps(second), (one, other)

    return check
