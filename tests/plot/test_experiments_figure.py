"""The value of experiments: a bar for each, with its error, and observation to compare with."""

import numpy as np
import pandas as pd
import pytest

import orderspn as osp


def table_of(names, *, costs=None, question="graph"):
    values = np.linspace(1.0, 0.1, len(names))
    cost = np.ones(len(names)) if costs is None else np.array(costs)
    frame = pd.DataFrame(
        {"reduction": values, "standard_error": 0.05 * values, "cost": cost, "value_per_cost": values / cost},
        index=pd.Index(names, name="experiment"),
    ).sort_values("value_per_cost", ascending=False)
    frame.attrs = {"question": question, "unit": "nats", "now": 4.5, "method": "simulated"}
    return frame


def widths(ax):
    return {bar.get_label().lstrip("_"): bar.patches[0].get_width() for bar in ax.containers}


def errors(ax):
    found = {}
    for line in ax.lines:
        label = str(line.get_label()).lstrip("_")
        if label.startswith("error of "):
            found[label.removeprefix("error of ")] = line.get_xdata()
    return found


def test_bars_and_errors(check_legible):
    table = table_of(["do(A)", "do(B)", "observe", "do(C)"])
    ax = osp.plot.experiments(table)
    assert widths(ax) == pytest.approx(table["reduction"].to_dict())
    for name, (low, high) in errors(ax).items():
        value, error = table.loc[name, ["reduction", "standard_error"]]
        assert (low, high) == pytest.approx((value - 2 * error, value + 2 * error))
    assert len(errors(ax)) == 4
    assert [text.get_text() for text in ax.get_yticklabels()] == list(table.index)
    assert ax.get_xlabel() == "expected reduction (nats); now 4.5"
    assert ax.get_title(loc="left") == "question: graph"
    assert ax.get_label() == (
        "Expected reduction of uncertainty about the question graph in nats, largest first: do(A) 1.00, do(B) 0.70, "
        "observe 0.40, do(C) 0.10."
    )
    assert any(patch.get_hatch() for patch in ax.patches)
    check_legible(ax)


def test_costs_divide_the_bars():
    table = table_of(["do(A)", "do(B)", "observe"], costs=[10.0, 1.0, 0.5])
    ax = osp.plot.experiments(table)
    assert widths(ax) == pytest.approx(table["value_per_cost"].to_dict())
    low, high = errors(ax)["do(A)"]
    assert (high - low) / 4 == pytest.approx(0.005)
    assert "per cost" in ax.get_xlabel()
    assert list(widths(ax)) == ["do(B)", "observe", "do(A)"]


def test_the_best_and_observation_are_shown():
    table = table_of([*(f"do(X{k})" for k in range(60)), "observe"])
    assert len(widths(osp.plot.experiments(table))) == 31
    assert list(widths(osp.plot.experiments(table, top=2))) == ["do(X0)", "do(X1)", "observe"]


def test_many_long_names_and_a_long_question(check_legible):
    names = [f"do(expression of interleukin {k} in plasma (pg/ml))" for k in range(29)]
    check_legible(osp.plot.experiments(table_of([*names, "observe"], question=names[0] * 3)))
    check_legible(osp.plot.experiments(table_of(["do($A$)", "observe"], question="$A -> B")))


def test_axes_of_the_user_and_mistakes():
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert osp.plot.experiments(table_of(["do(A)", "observe"]), ax=ax) is ax
    with pytest.raises(TypeError, match=r"design\.experiments"):
        osp.plot.experiments(pd.DataFrame({"A": [1.0]}))
    with pytest.raises(ValueError, match="top"):
        osp.plot.experiments(table_of(["do(A)"]), top=0)


def test_a_table_from_a_posterior():
    network = osp.simulate.LinearGaussianNetwork([[0, 1], [0, 0]], variables=["A", "B"])
    table = osp.design.experiments(osp.learn(network.sample(50, rng=0)), "A -> B", draws=8)
    assert set(widths(osp.plot.experiments(table))) == {"do(A)", "do(B)", "observe"}
