"""The graph over time, and context variables in the other pictures."""

import matplotlib.colors
import numpy as np
import pytest

import orderspn as osp
from orderspn.plot.colours import CONTEXT_FILL, LABEL_FILL


@pytest.fixture(scope="module")
def truth():
    return osp.simulate.vector_autoregression(3, 300, lags=2, rng=3)


@pytest.fixture(scope="module")
def posterior(truth):
    return osp.learn(**osp.time_series.lagged(truth.data, 2))


def boxes(ax):
    """Colour of the box of each label, by the position of its middle."""
    return {
        (round(float(b.get_x() + b.get_width() / 2), 6), round(float(b.get_y() + b.get_height() / 2), 6)): (
            matplotlib.colors.to_hex(b.get_facecolor())
        )
        for b in ax.patches
        if hasattr(b, "get_boxstyle")
    }


class TestTimeGraph:
    def test_slices_side_by_side(self, posterior):
        ax = osp.plot.time_graph(posterior)
        at = {text.get_text(): text.get_position()[0] for text in ax.texts if text.get_fontweight() == "bold"}
        assert list(at) == ["t-2", "t-1", "t"]
        assert at["t-2"] < at["t-1"] < at["t"]
        columns = {}
        for (x, _), colour in boxes(ax).items():
            columns.setdefault(x, []).append(colour)
        assert columns == {
            round(at["t-2"], 6): [CONTEXT_FILL] * 3,
            round(at["t-1"], 6): [CONTEXT_FILL] * 3,
            round(at["t"], 6): [LABEL_FILL] * 3,
        }

    def test_edges_and_numbers(self, posterior):
        edges = posterior.edge_probabilities()
        probable = int((edges >= 0.1).to_numpy().sum())
        ax = osp.plot.time_graph(posterior, min_probability=0.1)
        drawn = [line.get_label() for line in ax.lines if " -> " in line.get_label()]
        assert len(drawn) == probable
        numbers = [text.get_text() for text in ax.texts if text.get_text()[:2] in ("0.", "1.")]
        assert sorted(numbers) == sorted(f"{p:.2f}" for p in edges.to_numpy()[edges.to_numpy() >= 0.1])
        assert "the most probable" in ax.get_label()

    def test_given(self, posterior):
        ax = osp.plot.time_graph(posterior, given="X1[t-2] -> X2[t]")
        assert "given" in " ".join(text.get_text() for text in ax.texts)

    def test_other_context(self, truth):
        data = truth.data.assign(season=np.arange(len(truth.data)) % 4 * 1.0)
        data["X1"] = data["X1"] + data["season"]
        table = osp.time_series.lagged(data, 1, context=["season"])
        ax = osp.plot.time_graph(osp.learn(**table, check=False))
        assert {"context", "season"} <= {text.get_text() for text in ax.texts}

    def test_refuses_other_posteriors(self):
        with pytest.raises(osp.UserError, match=r"Learn from a table of osp.time_series.lagged"):
            osp.plot.time_graph(osp.learn(osp.load_asia().data))


class TestContext:
    def test_graph(self, posterior):
        ax = osp.plot.posterior_graph(posterior)
        colours = list(boxes(ax).values())
        assert colours.count(LABEL_FILL) == 3
        edges = posterior.edge_probabilities()
        with_edges = int((edges.loc[posterior.context] >= 0.1).any(axis=1).sum())
        assert colours.count(CONTEXT_FILL) == with_edges
        keys = [t.get_text() for legend in ax.artists for t in getattr(legend, "get_texts", list)()]
        left_out = 6 - with_edges
        assert f"context variable ({left_out} without edges left out)" in keys or not left_out

    def test_matrix_has_no_columns_for_context(self, posterior):
        ax = osp.plot.edges(posterior)
        columns = [label.get_text() for label in ax.get_xticklabels()]
        rows = [label.get_text() for label in ax.get_yticklabels()]
        assert sorted(columns) == sorted(posterior.explained)
        assert set(rows[-3:]) == set(posterior.explained)
        assert set(rows[:-3]) <= set(posterior.context)

    def test_matrix_leaves_out_context_without_edges(self):
        rng = np.random.default_rng(0)
        values = rng.normal(size=(5000, 6))
        values[:, 5] += 3 * values[:, 0]
        names = ["used", "a", "b", "c", "X", "Y"]
        posterior = osp.learn(values, variables=names, context=names[:4], prior=lambda k: 1e-4**k)
        ax = osp.plot.edges(posterior, given="used -> Y, X !-> Y")
        assert next(label.get_text() for label in ax.get_yticklabels()) == "used"
        assert ax.get_ylabel() == "cause (3 context variables without probable edges left out)"

    def test_without_context_nothing_is_said(self):
        ax = osp.plot.posterior_graph(osp.learn(osp.load_asia().data))
        keys = [t.get_text() for legend in ax.artists for t in getattr(legend, "get_texts", list)()]
        assert not any("context" in key for key in keys)
        assert set(boxes(ax).values()) == {LABEL_FILL}
