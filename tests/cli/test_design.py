"""`orderspn design`: the numbers of `design.experiments` and `design.batch`, for people and programs."""

import pandas as pd
import pytest

import orderspn as osp

FEW = ["--target", "A", "--target", "heart rate", "--draws", 16, "--rows", 20]
TARGETS = ["A", "heart rate"]
SETTINGS = {"targets": TARGETS, "draws": 16, "rows": 20, "progress": False}


def test_json_has_the_numbers(run_json, posterior, posterior_file):
    document = run_json("design", posterior_file, *FEW)
    table = osp.design.experiments(posterior, **SETTINGS)
    assert [row["experiment"] for row in document["experiments"]] == list(table.index)
    for column in ("reduction", "standard_error", "share", "value_per_cost", "draws", "rows"):
        assert [row[column] for row in document["experiments"]] == pytest.approx(table[column].tolist())
    assert (document["question"], document["unit"], document["method"]) == ("graph", "nats", "simulated")
    assert document["now"] == pytest.approx(posterior.entropy())
    named = {row["experiment"]: row["values"] for row in document["experiments"]}
    assert named["observe"] == {}
    assert named["do(A)"]["A"] == pytest.approx(table.loc["do(A)", "values"]["A"])


@pytest.mark.parametrize(
    ("options", "question"),
    [
        (["--question", "A ~> größe"], "A ~> größe"),
        (["--question", "orientation"], "orientation"),
        (["--effect", "A", "heart rate"], ("effect", "A", "heart rate")),
        (["--sign", "A", "heart rate"], ("sign", "A", "heart rate")),
        (["--raise", "größe"], ("raise", "größe")),
        (["--lower", "größe"], ("lower", "größe")),
    ],
)
def test_questions(run_json, posterior, posterior_file, options, question):
    document = run_json("design", posterior_file, "--method", "limit", "--draws", 50, *options)
    table = osp.design.experiments(posterior, question, method="limit", draws=50)
    assert document["question"] == table.attrs["question"]
    assert {row["experiment"]: row["reduction"] for row in document["experiments"]} == pytest.approx(
        table["reduction"].to_dict()
    )


def test_values_costs_pairs_and_evidence(run_json, run_csv, run, posterior, posterior_file):
    options = [*FEW, "--value", "A=-2,2,3", "--cost", "heart rate=3", "--cost", "do(A, heart rate)=5", "--pairs"]
    given = ["--given", "A -> größe"]
    table = osp.design.experiments(
        posterior.given("A -> größe"),
        **SETTINGS,
        values={"A": [-2, 2, 3]},
        costs={"heart rate": 3, "do(A, heart rate)": 5},
        pairs=True,
    )
    document = run_json("design", posterior_file, *options, *given)
    assert document["given"] == "A -> größe"
    costs = {row["experiment"]: row["cost"] for row in document["experiments"]}
    assert costs == {"do(A)": 1.0, "do(heart rate)": 3.0, "do(A, heart rate)": 5.0, "observe": 1.0}
    frame = run_csv("design", posterior_file, *options, *given).set_index("experiment")
    assert frame["reduction"].to_dict() == pytest.approx(table["reduction"].to_dict())
    text = run("design", posterior_file, *options, *given, "--top", 2).stdout
    assert text.startswith("Expected reduction of the uncertainty about: graph, given A -> größe\nNow ")
    assert len(text.splitlines()) == 2 + 2 + 2  # title, head and its rule, experiments
    assert "-2, 2, 3" in run("design", posterior_file, *options).stdout


def test_batches(run_json, run, posterior, posterior_file):
    steps = run_json("design", posterior_file, *FEW, "--size", 2)
    expected = osp.design.batch(posterior, size=2, **SETTINGS)
    assert [row["experiment"] for row in steps] == expected["experiment"].tolist()
    assert [row["reduction"] for row in steps] == pytest.approx(expected["reduction"].tolist())
    assert [row["step"] for row in steps] == [1, 2]
    assert len(run_json("design", posterior_file, *FEW, "--budget", 1.5)) == 1
    assert "diminishing" in run("design", posterior_file, *FEW, "--size", 1).stdout


def test_levels_of_categories(run_json, tmp_path):
    path = tmp_path / "asia.npz"
    osp.learn(osp.load_asia().data[["smoke", "bronc", "dysp"]].head(100)).save(path)
    document = run_json("design", path, "--question", "smoke -> bronc", "--draws", 8, "--value", "smoke=yes")
    named = {row["experiment"]: row["values"] for row in document["experiments"]}
    assert named["do(smoke)"] == {"smoke": ["yes"]}
    assert sorted(named["do(bronc)"]["bronc"]) == ["no", "yes"]


def test_a_picture(run, posterior_file, tmp_path):
    path = tmp_path / "experiments.png"
    run("design", posterior_file, *FEW, "-o", path)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--question", "graph", "--raise", "A"], "exclude each other"),
        (["--target", "B"], "'B'"),
        (["--value", "A"], "--value must be NAME=VALUE"),
        (["--value", "A=high"], "--value must have numbers after =; got 'high'"),
        (["--cost", "A"], "--cost must be NAME=NUMBER"),
        (["--cost", "nobody=1"], "'nobody'"),
        (["--cost", "A=0"], "costs['A']"),
        (["--rows", 0], "--rows"),
        (["--size", 2, "--top", 1], "leave out --size and --budget"),
        (["--budget", 0.5], "budget must pay for one experiment"),
        (["--effect", "A", "A"], "two different variables"),
    ],
)
def test_mistakes(error_of, posterior_file, options, message):
    assert message in error_of("design", posterior_file, *options)


def test_a_search_is_not_repeated_for_the_graph(error_of, run_json, tmp_path, frame):
    path = tmp_path / "searched.npz"
    method = osp.methods.Trust(n_orders=8, effort=0.02)
    osp.learn(pd.DataFrame(frame.to_numpy(), columns=list("ABCDE")), method=method, check=False).save(path)
    assert "--method limit" in error_of("design", path, "--method", "simulate")
    assert run_json("design", path, "--draws", 50)["method"] == "simulated, orders reweighted"
    assert run_json("design", path, "--draws", 50, "--method", "limit")["method"].startswith("limit")
