"""Reports on single effects and their paths on the command line."""

import json

import pandas as pd
import pytest

import orderspn as osp
from orderspn.cli.effect_reports import NUMBERS

PAIR = ("A", "dose, mg")
GIVEN = 'A -> "heart rate", "[red]x" !-> größe'


@pytest.fixture(scope="module")
def clinic():
    data = osp.load_asia().data[["smoke", "bronc", "dysp"]][:400].copy()
    data["age"] = (["old", "young", "middle"] * 200)[:400]
    return osp.learn(data, check=False)


@pytest.fixture(scope="module")
def clinic_file(clinic, tmp_path_factory):
    path = tmp_path_factory.mktemp("clinic") / "posterior.npz"
    clinic.save(path)
    return path


@pytest.mark.parametrize("given", [None, GIVEN])
def test_an_effect_is_that_of_the_library(run, run_json, run_csv, posterior, posterior_file, given):
    options = ["--n-samples", 200, "--rng", 4, "--level", 0.8, *(["--given", given] if given else [])]
    expected = posterior.effect(*PAIR, given, n_samples=200, rng=4, level=0.8)
    answer = run_json("effect", posterior_file, *PAIR, *options)
    for name in NUMBERS:
        assert answer[name] == getattr(expected, name)
        assert answer[f"{name}_error"] == expected.standard_errors[name]
    assert (answer["cause"], answer["effect"], answer["level"]) == (*PAIR, 0.8)
    assert (answer["given"] is None) == (given is None)
    sets = expected.parent_sets[["parents", "probability", "mean", "flips"]].assign(
        parents=[list(names) for names in expected.parent_sets["parents"]]
    )
    assert answer["parent_sets"] == sets.to_dict("records")
    row = run_csv("effect", posterior_file, *PAIR, *options).iloc[0]
    assert [row[name] for name in NUMBERS] == [getattr(expected, name) for name in NUMBERS]
    text = run("effect", posterior_file, *PAIR, *options).stdout
    assert text.startswith("Total effect of A on dose, mg (units of the data)")
    assert f"{expected.mean:.4f}" in text
    assert "exact" in text
    assert "80% interval, low" in text
    assert f"{expected.no_path:.4f}" in text
    assert "causes of A" in text


def test_units(run_json, posterior, posterior_file):
    answer = run_json("effect", posterior_file, *PAIR, "--units", "sd", "--n-samples", 50)
    assert answer["mean"] == posterior.effect(*PAIR, units="sd", n_samples=50).mean


@pytest.mark.parametrize("given", [None, GIVEN])
def test_paths_are_those_of_the_library(run, run_json, run_csv, posterior, posterior_file, given):
    options = ["--n-samples", 200, "--rng", 4, "--top", 3, *(["--given", given] if given else [])]
    expected = posterior.paths(*PAIR, given, top=3, n_samples=200, rng=4)
    expected = expected.assign(path=[list(names) for names in expected["path"]])
    assert len(expected) > 1
    assert run_json("paths", posterior_file, *PAIR, *options) == expected.to_dict("records")
    table = run_csv("paths", posterior_file, *PAIR, *options)
    table["path"] = table["path"].map(json.loads)
    pd.testing.assert_frame_equal(table, expected, check_exact=True)
    text = run("paths", posterior_file, *PAIR, *options).stdout
    assert text.startswith("Causal paths from A to dose, mg")
    assert " -> ".join(expected["path"][0]) in text


def test_no_path(run, run_json, posterior_file):
    arguments = ["paths", posterior_file, *PAIR, "--given", '"dose, mg" < A', "--n-samples", 20]
    assert run(*arguments).stdout.rstrip().endswith(": none in any drawn graph")
    assert run_json(*arguments) == []


def test_categories(run, run_json, clinic, clinic_file):
    answer = run_json(
        "effect", clinic_file, "bronc", "dysp", "--from", "yes", "--to", "no", "--of", "no", "--n-samples", 100
    )
    expected = clinic.effect("bronc", "dysp", levels=("yes", "no"), of="no", n_samples=100)
    assert answer["mean"] == expected.mean
    assert answer["about"] == "change of P(dysp = no) when bronc is set from yes to no"
    assert "contribution" not in run("paths", clinic_file, "smoke", "dysp", "--n-samples", 100).stdout


def test_numbers_from_and_to(run_json, posterior, posterior_file):
    answer = run_json("effect", posterior_file, *PAIR, "--from", "-1", "--to", "0.5", "--n-samples", 50)
    assert answer["mean"] == posterior.effect(*PAIR, levels=(-1.0, 0.5), n_samples=50).mean


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["smoke", "lung"], "unknown variable 'lung'"),
        (["smoke", "smoke"], "cause and effect must be two variables"),
        (["smoke", "dysp", "--from", "no"], "--from and --to belong together"),
        (["smoke", "dysp", "--from", "no", "--to", "maybe"], "unknown level 'maybe' of 'smoke'"),
        (["age", "dysp"], "--from and --to must be given, the two values that 'age' is set to"),
        (["age", "dysp"], "Pass for example --from middle --to old,"),
        (["smoke", "age"], "--of must be given, the level of 'age'"),
        (["smoke", "age"], "Pass for example --of young."),
        (["smoke", "dysp", "--n-samples", "1"], "--n-samples must be"),
    ],
)
def test_mistakes_are_explained(error_of, clinic_file, arguments, message):
    assert message in error_of("effect", clinic_file, *arguments)
