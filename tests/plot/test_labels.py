"""Labels of long names: short, and a different one for each name, in every picture."""

import itertools

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.levels import parameters
from orderspn.plot.labels import LONGEST, fitted, labels_of, widest

GENES = [f"expression of gene {gene} in liver tissue (log2 counts)" for gene in "ABCDEF"]
CROSSED = [
    f"gene {gene}, measured by sequencing of the mRNA, in {tissue} tissue"
    for gene in "ABC"
    for tissue in ("gut", "eye")
]
FAR_APART = [f"{a} {'-' * 90} {b} {'-' * 90} {c}" for a, b, c in itertools.product("AB", repeat=3)]
IN_THE_MIDDLE = [f"{'before ' * 12}{k}{' after' * 12}" for k in range(12)]
LOOK_ALIKE = ["a b", "a  b", "a\nb", "a b ", "a b (2)", GENES[0], GENES[1], f"{GENES[0][:20]}…{GENES[0][-9:]}"]


@pytest.mark.parametrize("names", [GENES, CROSSED, FAR_APART, IN_THE_MIDDLE, LOOK_ALIKE])
@pytest.mark.parametrize("longest", [12, LONGEST, 54])
def test_names_have_different_labels_of_one_line(names, longest):
    labels = labels_of(names, longest)
    assert list(labels) == names
    assert len(set(labels.values())) == len(names)
    assert not any("\n" in label or len(label) > 2 * longest + len(" (10)") for label in labels.values())


@pytest.mark.parametrize("seed", range(30))
def test_random_names_have_different_labels(seed):
    rng = np.random.default_rng(seed)
    letters = ["a", "b", " ", "…", "(2)"]
    names = sorted({"x" + "".join(rng.choice(letters, size=rng.integers(0, 12))) for _ in range(200)})
    labels = labels_of(names, 6)
    assert len(set(labels.values())) == len(names) > 100
    assert all(labels[name] == name for name in names if len(name) <= 6 and name == " ".join(name.split()))


def test_labels_keep_what_tells_names_apart():
    for gene, label in zip("ABCDEF", labels_of(GENES).values(), strict=True):
        assert f"gene {gene}" in label
        assert len(label) <= LONGEST
    for k, label in enumerate(labels_of(IN_THE_MIDDLE).values()):
        assert f"before {k} after" in label
        assert label[0] == label[-1] == "…"
        assert len(label) <= LONGEST
    for name, label in labels_of(CROSSED).items():
        assert name[: len("gene A")] in label
        assert name[-len("gut tissue") :] in label


def test_short_names_are_their_own_labels_whatever_stands_beside_them():
    short = ["Raf", "Mek", "household_income_2019"]
    assert labels_of([*GENES, *short]) == labels_of(GENES) | dict(zip(short, short, strict=True))


@pytest.mark.exhaustive
def test_fitted_lines_are_as_wide_as_they_may_be():
    text = "total effect of the expression of gene A on household_income_2019"
    for width in (0.8, 1.5, 3.0):
        lines = fitted(text, width, 10.0)
        assert widest(lines, 10.0) <= width
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert fitted(text, 20.0, 10.0) == [text]
    assert fitted("W", 0.01, 10.0) == ["W"]  # nothing narrower can be done


@pytest.fixture(scope="module")
def genes():
    data = osp.simulate.linear_gaussian(len(GENES), 100, variables=GENES, rng=1).data
    return osp.learn(data, standardize=True)


def test_rows_and_columns_of_the_matrix_are_told_apart(genes, check_legible):
    ax = osp.plot.edges(genes, order="data")
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert rows == list(labels_of(GENES).values())
    assert [label.get_text() for label in ax.get_xticklabels()] == rows
    assert len(set(rows)) == len(GENES)
    check_legible(ax)
    backward = osp.plot.edges(genes, order=GENES[::-1])
    assert [label.get_text() for label in backward.get_yticklabels()] == rows[::-1]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "chosen", parameters([{}, {"of": GENES[0]}, {"on": GENES[3]}, {"of": GENES[0], "on": GENES[3]}], test=[{}])
)
def test_rows_of_effects_are_told_apart(genes, check_legible, chosen):
    ax = osp.plot.effects(genes, n=50, **chosen)
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert len(set(rows)) == len(rows) >= (15 if not chosen else 3 if len(chosen) == 1 else 1)
    below = " ".join(ax.get_xlabel().split())
    assert all(labels_of(GENES)[name] in below for name in chosen.values())
    check_legible(ax, [*ax.get_yticklabels(), *ax.get_xticklabels(), *ax.texts, ax.xaxis.label])


@pytest.mark.parametrize("letter", "xiW")
def test_labels_are_not_cut_off_whatever_their_letters(check_legible, letter):
    names = [f"{letter * 70}{k}" for k in range(4)]
    check_legible(osp.plot.edges(pd.DataFrame(np.eye(4, k=1) / 2, index=names, columns=names)))


def test_boxes_of_the_graph_are_told_apart():
    names = [f"{'concentration ' * 3}{gene}{' in tissue' * 4}" for gene in "ABC"]
    ax = osp.plot.posterior_graph(pd.DataFrame(np.triu(np.full((3, 3), 0.6), 1), index=names, columns=names))
    assert len({text.get_text() for text in ax.texts}) == 3
