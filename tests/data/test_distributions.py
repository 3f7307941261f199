"""Distributions from unknown sources: what is refused, and why."""

import pytest

from orderspn.data.distributions import CategoryDistribution, check_distributions, restored

NUMBER = {
    "kind": "number",
    "first": -0.5,
    "last": 2.5,
    "counts": [1, 0, 3],
    "mean": 1.5,
    "sd": 0.9,
    "minimum": 0.0,
    "maximum": 2.0,
}
CATEGORY = {"kind": "category", "levels": ["no", "yes"], "counts": [1, 3]}
GROUP = {"kind": "group", "columns": {"E": NUMBER, "F": NUMBER}}


def test_all_kinds():
    found = restored({"A": NUMBER, "B": {**CATEGORY, "missing": 2}, "C": GROUP})
    assert found["A"].edges.tolist() == [-0.5, 0.5, 1.5, 2.5]
    assert isinstance(found["B"], CategoryDistribution)
    assert found["B"].missing == 2
    assert found["C"].columns["F"] == found["A"]
    check_distributions({"A": found["A"], "C": found["C"]}, 4, {"A": "number", "C": "group"})


def test_they_do_not_change():
    found = restored({"A": NUMBER})["A"]
    with pytest.raises(AttributeError):
        found.mean = 2.0
    assert hash(found) == hash(restored({"A": {**NUMBER, "missing": 0}})["A"])


REFUSED = {
    "another kind": ({**NUMBER, "kind": "curve"}, "Invalid value 'curve'"),
    "no kind": ({key: value for key, value in NUMBER.items() if key != "kind"}, "kind"),
    "no mean": ({key: value for key, value in NUMBER.items() if key != "mean"}, "missing required field `mean`"),
    "more": ({**NUMBER, "more": 1}, "unknown field `more`"),
    "no counts": ({**NUMBER, "counts": []}, "length >= 1"),
    "too many counts": ({**NUMBER, "counts": [1] * 25}, "length <= 24"),
    "a negative count": ({**NUMBER, "counts": [-1]}, ">= 0"),
    "a count that is no integer": ({**NUMBER, "counts": [0.5]}, "int"),
    "an infinite end": ({**NUMBER, "last": float("inf")}, "float"),
    "a mean that is no number": ({**NUMBER, "mean": float("nan")}, "float"),
    "a mean that is text": ({**NUMBER, "mean": "1.5"}, "float"),
    "a negative deviation": ({**NUMBER, "sd": -1.0}, ">= 0"),
    "no width": ({**NUMBER, "first": 2.5}, "ends where it begins"),
    "a mean beyond the maximum": ({**NUMBER, "mean": 2.2}, "not in their order"),
    "a minimum beyond the end": ({**NUMBER, "minimum": -1.0}, "not in their order"),
    "levels without counts": ({**CATEGORY, "levels": ["no", "yes", "perhaps"]}, "numbers of its levels"),
    "a level twice": ({**CATEGORY, "levels": ["no", "no"]}, "same name"),
    "too many levels": ({**CATEGORY, "levels": list(map(str, range(25))), "counts": [1] * 25}, "length <= 24"),
    "others below zero": ({**CATEGORY, "others": -1}, ">= 0"),
    "a group of nothing": ({"kind": "group", "columns": {}}, "length >= 1"),
    "a group of categories": ({"kind": "group", "columns": {"E": CATEGORY}}, "category"),
    "text": ("a histogram", "object"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    value, reason = REFUSED[name]
    with pytest.raises(ValueError, match=reason):
        restored({"A": value})


def test_rows_and_kinds_are_those_of_the_data():
    for value in (NUMBER, CATEGORY, GROUP):
        with pytest.raises(ValueError, match="number of rows of the distribution of 'A'"):
            check_distributions(restored({"A": value}), 5, None)
        with pytest.raises(ValueError, match="not one of its kind"):
            check_distributions(restored({"A": value}), 4, {"A": "number" if value is CATEGORY else "category"})
