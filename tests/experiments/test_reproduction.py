"""Experiments from end to end, small."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from orderspn.core.errors import MissingExtra
from orderspn.experiments import EXPERIMENTS, figures, methods, reproduce, runner
from orderspn.experiments.experiment import LEARNING, make_run


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_writes_what_it_promises(small, tmp_path, name):
    names = EXPERIMENTS[name].methods[:2]
    done = small(tmp_path, name, d=6, methods=names)
    assert {row.metric for row in done.summary} == {metric.name for metric in EXPERIMENTS[name].metrics}
    assert {row.method for row in done.rows} == {*names, *EXPERIMENTS[name].references}
    assert {path.name for path in done.files} == {path.name for path in tmp_path.iterdir() if path.is_file()}
    text = (tmp_path / "report.md").read_text()
    for metric in EXPERIMENTS[name].metrics:
        assert f"### {metric.label}" in text
    for method in names:
        assert f"| {method} | 2 |" in text


@pytest.mark.thorough
@pytest.mark.parametrize(
    "names",
    [["GADGET", "ORDERSPN"], pytest.param(["GADGET", "TRUST-G", "DIBS", "ORDERSPN"], marks=pytest.mark.exhaustive)],
)
def test_the_number_of_jobs_changes_no_byte(small, lasting, tmp_path, names):
    pytest.importorskip("jax")
    for jobs in (1, 2):
        small(tmp_path / str(jobs), "performance", methods=names, effort=0.01, n_jobs=jobs)
    assert lasting(tmp_path / "1") == lasting(tmp_path / "2")


@pytest.mark.thorough
def test_tables_hold_the_same_numbers(small, tmp_path):
    done = small(tmp_path, "coverage")
    table = pd.read_csv(tmp_path / "results.csv", engine="python")  # the engine that reads numbers exactly
    assert list(table.columns) == ["experiment", "d", "method", "run", "seed", "metric", "n", "value"]
    assert list(table.itertuples(index=False, name=None)) == [tuple(row) for row in done.rows]
    document = json.loads((tmp_path / "results.json").read_text())
    assert document["values"] == [row._asdict() for row in done.rows]
    assert document["settings"]["methods"]["TRUST-G"]["5"]["expansion"] == [16, 6, 2]
    for row in done.summary:
        values = table.query("method == @row.method and metric == @row.metric and n == @row.n")["value"]
        assert (row.runs, row.mean, row.sd, row.median) == pytest.approx(
            (len(values), values.mean(), values.std(), values.median())
        )


def test_one_run_has_no_standard_deviation(small, tmp_path):
    assert {row.sd for row in small(tmp_path, runs=1).summary} == {None}


@pytest.mark.thorough
def test_numbers_can_be_had_again_by_hand(small, tmp_path):
    done = small(tmp_path, "performance", seed=7, runs=2, methods=["EXACT"])
    for row in done.rows:
        if row.metric == "auroc":
            simulation = osp.simulate.linear_gaussian(5, 100, rng=row.seed)
            assert row.value == osp.metrics.auroc(osp.learn(simulation.data, standardize=False), simulation)
    assert {row.seed for row in done.rows} == {7, 8}


@pytest.mark.thorough
def test_the_exact_posteriors_are_the_references(small, tmp_path):
    done = small(tmp_path, "exact", runs=1, methods=["TRUST-G"])
    found = {(row.method, row.metric): row.value for row in done.rows}
    data = make_run(5, 0).simulation.data
    by_order, by_dag = (
        osp.learn(data, standardize=False),
        osp.learn(data, method=osp.methods.Auto(target="dag"), standardize=False),
    )
    error = osp.metrics.edge_error(by_order, by_dag)
    assert found["EXACT", "largest-error-dag"] == found["EXACT-DAG", "largest-error-order"]
    assert found["EXACT", "largest-error-dag"] == pytest.approx(error.largest)
    assert found["EXACT", "mean-error-dag"] == pytest.approx(error.mean)
    assert ("EXACT", "mean-error-order") not in found
    assert 0.0 < found["TRUST-G", "mean-error-order"] < found["TRUST-G", "largest-error-order"]


def test_warnings_of_learning_are_counted_and_not_shown(small, tmp_path, monkeypatch):
    real = runner.run_cell
    monkeypatch.setattr(runner, "run_cell", lambda cell: replace(real(cell), warnings=("chains disagree",)))
    small(tmp_path, methods=["EXACT"])
    assert "- EXACT, d = 5: 2 run(s)" in (tmp_path / "report.md").read_text()
    warnings = json.loads((tmp_path / "results.json").read_text())["warnings"]
    assert warnings["conditional-d5-EXACT-run001"] == ["chains disagree"]


def test_learning_has_other_random_numbers_than_the_data():
    run = make_run(6, 3)
    words = [child.generate_state(4).tolist() for child in np.random.SeedSequence(3).spawn(8)]
    own = [child.generate_state(4).tolist() for child in run.stream(LEARNING).spawn(8)]
    assert not any(word in own for word in words)


def test_tables_without_matplotlib(small, tmp_path, monkeypatch):
    def missing():
        raise MissingExtra('install it with: pip install "orderspn[plot]"')

    monkeypatch.setattr(figures, "require_matplotlib", missing)
    done = small(tmp_path, methods=["EXACT"])
    assert done.notes == ['No figure was drawn: install it with: pip install "orderspn[plot]"']
    assert (tmp_path / "results.csv").exists()
    assert not (tmp_path / "figure.png").exists()


def without_jax(what, also=()):
    raise MissingExtra(f'{what} needs JAX: pip install "orderspn[jax]"')


@pytest.mark.thorough
def test_methods_that_need_jax_are_left_out_without_it(small, tmp_path, monkeypatch):
    monkeypatch.setattr(methods, "require_jax", without_jax)
    done = small(tmp_path, "coverage", methods=None, runs=1)
    assert {row.method for row in done.rows} == {"GADGET", "TRUST-G", "ORDERSPN"}
    assert done.notes == [
        f'{name} is left out: the method {name} needs JAX: pip install "orderspn[jax]"' for name in ("DIBS", "TRUST-D")
    ]
    assert "Note: DIBS is left out" in (tmp_path / "report.md").read_text()


def test_asked_for_they_are_an_error_before_any_work(small, tmp_path, monkeypatch):
    monkeypatch.setattr(methods, "require_jax", without_jax)
    monkeypatch.setattr(runner, "run_cell", pytest.fail)
    with pytest.raises(MissingExtra, match="the method DIBS needs JAX"):
        small(tmp_path, "coverage", methods=["GADGET", "DIBS"])


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("conditonal", {}, "unknown experiment 'conditonal': did you mean 'conditional'"),
        ("coverage", {"methods": ["GADGETS"]}, "unknown method 'GADGETS': did you mean 'GADGET'"),
        ("coverage", {"methods": []}, "at least one method"),
        ("coverage", {"methods": "GADGET"}, "methods must be a list of names"),
        ("coverage", {"d": 64}, "TRUST-G is for up to 32 variables; got d=64"),
        ("exact", {"d": [5, 17]}, "EXACT-DAG is for up to 16 variables; got d=17"),
        ("coverage", {"d": 2}, "d must be an integer at least 3; got 2"),
        ("coverage", {"d": []}, "got none"),
        ("coverage", {"runs": 0}, "runs must be"),
        ("coverage", {"seed": -1}, "seed must be"),
        ("coverage", {"effort": 0}, "effort must be"),
        ("coverage", {"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_mistakes_are_told_before_any_work(tmp_path, monkeypatch, name, arguments, message):
    monkeypatch.setattr(runner, "run_cell", pytest.fail)
    with pytest.raises((ValueError, TypeError), match=message):
        reproduce(name, output=tmp_path, **arguments)


def test_a_folder_that_cannot_be_is_told_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "run_cell", pytest.fail)
    (tmp_path / "file").write_text("")
    with pytest.raises(osp.UserError, match="cannot write to the folder"):
        reproduce("coverage", output=tmp_path / "file")
