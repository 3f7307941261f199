"""Pictures of single effects: what is drawn is what the report says."""

import numpy as np
import pytest

import orderspn as osp
from orderspn.plot.effect_figure import density

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def report(posterior):
    return posterior.effect("Erk", "Akt", n_samples=1500)


def labelled(ax):
    return {line.get_label(): line for line in ax.lines}


def test_density_spike_and_interval(report, check_legible):
    ax = osp.plot.effect(report)
    lines = labelled(ax)
    curve = lines[f"with a path: {1.0 - report.no_path:.0%}"]
    spike = lines[f"no path, exactly 0: {report.no_path:.0%}"]
    assert 0.1 < report.no_path < 0.9
    assert np.trapezoid(curve.get_ydata(), curve.get_xdata()) == pytest.approx(1.0 - report.no_path, abs=0.01)
    assert spike.get_xdata().tolist() == [0.0, 0.0]
    assert spike.get_ydata()[1] > 0.0
    assert lines["90% interval"].get_xdata().tolist() == list(report.interval)
    assert lines[f"mean {report.mean:.3g}"].get_xdata() == [report.mean]
    assert [text.get_text() for text in ax.texts] == [f"{report.no_path:.0%}"]
    assert f"probability {report.no_path:.2f}" in ax.get_label()
    check_legible(ax)


def test_the_density_is_that_of_the_draws(report):
    """The share of its area below any place is that of the draws."""
    places = np.linspace(-1.0, 1.5, 4000)
    heights = density(report, places)
    steps = np.cumsum(heights) * (places[1] - places[0])
    drawn = report.draws.values[report.draws.connected]
    for cut in np.quantile(drawn, [0.2, 0.5, 0.8]):
        share = np.mean((report.draws.values < cut) & report.draws.connected)
        assert np.interp(cut, places, steps) == pytest.approx(share, abs=0.02)


def test_from_a_posterior(posterior, report, check_legible):
    ax = osp.plot.effect(posterior, "Erk", "Akt", n=1500)
    assert set(labelled(ax)) == set(labelled(osp.plot.effect(report)))
    ax = osp.plot.effect(posterior, "Raf", "Mek", "Raf -> Mek, PKA !-> Raf", n=200, level=0.5)
    assert "given Raf -> Mek, PKA !-> Raf" in ax.get_xlabel().replace("\n", " ")
    assert "50% interval" in labelled(ax)
    assert not any("no path" in str(label) for label in labelled(ax))
    check_legible(ax)


def test_nothing_but_the_spike(posterior, check_legible):
    ax = osp.plot.effect(posterior, "Akt", "Erk", "Erk < Akt", n=100)
    assert "no path, exactly 0: 100%" in labelled(ax)
    assert not any("with a path" in str(label) for label in labelled(ax))
    check_legible(ax)


def test_weighted_draws(posterior):
    report = posterior.effect("Erk", "Akt", n_samples=500, target="dag")
    curve = density(report, np.linspace(-1.0, 2.0, 3000))
    assert curve.sum() * 3.0 / 3000 == pytest.approx(1.0 - report.no_path, abs=0.01)


def test_categories():
    clinic = osp.learn(osp.load_asia().data[["smoke", "bronc", "dysp"]], n_jobs=1)
    ax = osp.plot.effect(clinic, "bronc", "dysp", levels=("yes", "no"), of="no", n=100)
    assert ax.get_xlabel() == "change of P(dysp = no) when bronc is set from yes to no"


def test_axes_of_the_user(report):
    from matplotlib.figure import Figure

    own = Figure().add_subplot()
    assert osp.plot.effect(report, ax=own) is own


def test_mistakes_are_explained(posterior, report):
    with pytest.raises(TypeError, match="source must be a posterior or the result of"):
        osp.plot.effect([1.0])
    with pytest.raises(ValueError, match="cause and effect must be names of two variables"):
        osp.plot.effect(posterior, "Erk")
    with pytest.raises(ValueError, match="need a posterior; got a report"):
        osp.plot.effect(report, given="Erk -> Akt")
