"""`orderspn learn`: files in, the same posterior as the library's out."""

import json
import os
import stat
import warnings

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.devices import protect_devices
from orderspn.cli.options import size


def test_it_saves_the_posterior_of_the_library(run, frame, data_file, tmp_path):
    output = tmp_path / "posterior.npz"
    text = run("learn", data_file, "-o", output, "--rng", 4).stdout
    saved, expected = osp.load(output), osp.learn(frame, rng=4)
    assert saved.settings == expected.settings
    assert saved.log_evidence == expected.log_evidence
    assert text == f"{expected.summary()}\nSaved to {output}\n"


def test_options_reach_the_library(run_json, frame, data_file, tmp_path):
    options = ["--standardize", "--prior", "uniform", "--candidates", 2, "--max-parents", 1, "--n-jobs", 1]
    hyper = ["--alpha-mu", 0.5, "--alpha-w", 9, "--method", "exact", "--memory-limit", "1GiB"]
    answer = run_json("learn", data_file, "-o", tmp_path / "p.npz", *options, *hyper)
    expected = osp.learn(
        frame,
        standardize=True,
        prior="uniform",
        candidates=2,
        max_parents=1,
        score=osp.scores.BGe(alpha_mu=0.5, alpha_w=9.0),
    )
    assert answer["settings"] == dict(expected.settings)
    assert answer["log_evidence"] == expected.log_evidence


def test_circuit_options_reach_the_library(run_json, frame, data_file, tmp_path):
    options = [
        "--method",
        "trust",
        "--expansion",
        "3,1",
        "--block-size",
        2,
        "--oracle",
        "random",
        "--weights",
        "uniform",
    ]
    answer = run_json("learn", data_file, "-o", tmp_path / "p.npz", *options, "--rng", 5, "--t", 0.3)
    expected = osp.learn(
        frame,
        method=osp.methods.Trust(expansion=[3, 1], block_size=2, oracle="random", weights="uniform"),
        score=osp.scores.BGe(t=0.3),
        rng=5,
    )
    assert answer["settings"] == dict(expected.settings)
    assert answer["log_evidence"] == expected.log_evidence
    edges = osp.load(tmp_path / "p.npz").edge_probabilities()
    assert edges.equals(expected.edge_probabilities())


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        (["--variables", "A,größe,heart rate"], ["A", "größe", "heart rate"]),
        (["--variables", "dose, mg", "--variables", "A"], ["dose, mg", "A"]),
        (["--variables", '"dose, mg",[red]x'], ["dose, mg", "[red]x"]),
    ],
)
def test_columns_can_be_chosen(run_json, data_file, tmp_path, options, columns):
    assert run_json("learn", data_file, "-o", tmp_path / "p.npz", *options)["variables"] == columns


def test_tabs_separate_by_the_ending_of_the_name(run_json, frame, tmp_path):
    path = tmp_path / "data.tsv"
    frame.to_csv(path, index=False, sep="\t")
    answer = run_json("learn", path, "-o", tmp_path / "p.npz")
    assert answer["log_evidence"] == osp.learn(frame).log_evidence


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "as a table"),
        ("a,b\n1.5,\n3,\n4,\n", "every value of 'b' is missing"),
        ("a,b,a\n1,2,3\n4,5,7\n", "'a' more than once"),
        (",b,c\n0,2,3\n1,5,7\n", "column 1 of the data has no name"),
        ("a,b\n1,2,3\n4,5,6\n", "more values than the header"),
        ("a,b\n1,2\n4,5,6\n", "as a table"),
        ("a,b\n1.5,2\n1.5,5.5\n", "column 'a' is constant"),
    ],
)
def test_a_table_that_cannot_be_used_is_explained(error_of, tmp_path, text, message):
    path = tmp_path / "data.csv"
    path.write_text(text)
    assert message in error_of("learn", path, "-o", tmp_path / "p.npz")
    assert not (tmp_path / "p.npz").exists()


@pytest.fixture
def patients_file(tmp_path):
    path = tmp_path / "patients.csv"
    osp.load_asia().data[["smoke", "lung", "bronc", "dysp"]].to_csv(path, index=False)
    return path


@pytest.mark.parametrize("options", [[], ["--score", "auto"], ["--score", "bdeu"]])
def test_categories(run, patients_file, tmp_path, options):
    text = run("learn", patients_file, "-o", tmp_path / "p.npz", *options).stdout
    expected = osp.learn(pd.read_csv(patients_file))
    assert osp.load(tmp_path / "p.npz").log_evidence == expected.log_evidence
    assert "bdeu (equivalent_sample_size=1), fair prior" in text


def test_the_strength_of_the_prior_of_categories(run_json, patients_file, tmp_path):
    for name in ([], ["--score", "bdeu"]):
        answer = run_json("learn", patients_file, "-o", tmp_path / "p.npz", "--equivalent-sample-size", 4, *name)
        assert answer["settings"]["score"] == {"name": "bdeu", "equivalent_sample_size": 4.0, "rows": 2000}


def test_integers_as_either(run_json, tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("a,b\n-1,0\n0,1\n1,-1\n0,0\n")
    for name in ("bge", "bdeu"):
        answer = run_json("learn", path, "-o", tmp_path / "p.npz", "--score", name)
        assert answer["settings"]["score"]["name"] == name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score", "bdeu", "--alpha-mu", 2], "--alpha-mu belongs to --score bge"),
        (["--score", "bge", "--equivalent-sample-size", 2], "--equivalent-sample-size belongs to --score bdeu"),
        (["--t", 2, "--equivalent-sample-size", 2], "--equivalent-sample-size belongs to --score bdeu"),
        (["--equivalent-sample-size", 0], "--equivalent-sample-size must be a finite number greater than 0"),
        (["--standardize"], "--standardize is for numbers (--score bge)"),
    ],
)
def test_options_of_the_other_score(error_of, patients_file, tmp_path, options, message):
    assert message in error_of("learn", patients_file, "-o", tmp_path / "p.npz", *options)


def test_effects_of_categories_are_refused(run, error_of, patients_file, tmp_path):
    run("learn", patients_file, "-o", tmp_path / "p.npz")
    assert "total effects need weights of edges" in error_of("effects", tmp_path / "p.npz")


def test_bytes_that_are_no_text_are_explained(error_of, tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"a,b\n\xff\xfe,2\n")
    assert "not UTF-8" in error_of("learn", path, "-o", tmp_path / "p.npz")


def test_a_column_without_a_name_may_stay_unused(run_json, frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path)  # with row numbers
    answer = run_json("learn", path, "-o", tmp_path / "p.npz", "--variables", "A,größe")
    assert answer["variables"] == ["A", "größe"]


@pytest.mark.parametrize("header", ["0.5,0.25", "x,y"])
def test_a_missing_header_is_suspected(invoke, tmp_path, header):
    path = tmp_path / "data.csv"
    path.write_text(f"{header}\n1.5,2.5\n3,1\n5,7\n")
    result = invoke("learn", path, "-o", tmp_path / "p.npz")
    assert result.exit_code == 0
    assert ("has only numbers" in result.stderr) == (header == "0.5,0.25")


def test_warnings_take_one_line_and_leave_json_alone(invoke, tmp_path):
    path = tmp_path / "data.csv"
    pd.DataFrame(np.random.default_rng(0).normal(size=(9, 2)) * 1e-3, columns=["a", "b"]).to_csv(path, index=False)
    result = invoke("learn", path, "-o", tmp_path / "p.npz", "--json", "--no-standardize")
    assert result.exit_code == 0
    assert result.stderr.startswith("orderspn: warning: the values of 'a', 'b' vary so little")
    assert "pass --standardize" in result.stderr
    assert result.stderr.count("\n") == 1
    assert json.loads(result.stdout)["variables"] == ["a", "b"]


def test_a_place_that_cannot_be_written_is_named_before_any_work(error_of, data_file, tmp_path):
    assert "it is a folder" in error_of("learn", data_file, "-o", tmp_path)
    assert "does not exist" in error_of("learn", tmp_path / "no-data.csv", "-o", tmp_path / "no" / "p.npz")


def test_the_memory_limit_speaks_of_options(error_of, data_file, tmp_path):
    message = error_of("learn", data_file, "-o", tmp_path / "p.npz", "--memory-limit", "100B")
    assert "raise --memory-limit" in message
    assert "--variables" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [("4GiB", 4 * 2**30), ("500MB", 500 * 10**6), ("1.5g", 3 * 2**29), ("64 KiB", 2**16), ("7", 7), ("9B", 9)],
)
def test_sizes_are_read(text, expected):
    assert size(text) == expected


@pytest.mark.parametrize("text", ["4XB", "GiB", "-1", "4iB", "1e9", ""])
def test_what_is_no_size_is_refused(error_of, data_file, tmp_path, text):
    assert "is not a size" in error_of("learn", data_file, "-o", tmp_path / "p.npz", f"--memory-limit={text}")


@pytest.mark.skipif(os.name != "posix", reason="devices")
def test_output_to_a_device(run, data_file, monkeypatch):
    protect_devices(monkeypatch)
    run("learn", data_file, "-o", "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_scores_to_choose_from_are_those_of_the_package():
    from orderspn.cli.learn import learn
    from orderspn.scores.choosing import AUTO
    from orderspn.scores.registry import SCORES

    choices = next(option.type.choices for option in learn.params if option.name == "score")
    own = [name for name in SCORES if name != "bge-groups"]  # which BGe becomes by itself
    assert list(choices) == [AUTO, *own]


def test_distributions_can_be_left_out(run_json, frame, data_file, tmp_path):
    path = tmp_path / "p.npz"
    assert run_json("learn", data_file, "-o", path)["settings"]["distributions"]["A"]["kind"] == "number"
    assert osp.load(path).distributions() == osp.learn(frame).distributions()
    assert "distributions" not in run_json("learn", data_file, "-o", path, "--no-distributions")["settings"]
    with pytest.raises(osp.UserError, match="distributions=False"):
        osp.load(path).distributions()


def test_tables_about_a_posterior_do_not_list_distributions(run, run_json, run_csv, posterior_file, frame, tmp_path):
    osp.mix([osp.learn(frame), osp.learn(frame[:100])], "equal").save(tmp_path / "mixed.npz")
    for path in (posterior_file, tmp_path / "mixed.npz"):
        assert not run_csv("info", path)["property"].str.contains("distributions").any()
        assert "'counts'" not in run("info", path, "--csv").stdout
        assert "minimum" not in run("info", path).stdout
    assert set(run_json("info", posterior_file)["settings"]["distributions"]) == set(frame)


def test_a_checkpoint_and_more_runs(invoke, error_of, frame, data_file, tmp_path):
    method = ["--method", "trust", "--block-size", 2, "--n-orders", 24, "--effort", 0.05, "--no-check", "--runs", 6]
    options = ["--checkpoint", tmp_path / "parts", *method]
    for number in range(2):
        assert invoke("learn", data_file, "-o", tmp_path / f"{number}.npz", *options).exit_code == 0
    assert (tmp_path / "0.npz").read_bytes() == (tmp_path / "1.npz").read_bytes()
    saved = osp.load(tmp_path / "0.npz")
    assert saved.settings["diagnostics"]["runs"] == 6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a search that is short
        chosen = osp.methods.Trust(block_size=2, n_orders=24, effort=0.05, runs=6)
        expected = osp.learn(frame, method=chosen, check=False)
    assert saved.log_evidence == expected.log_evidence
    refused = error_of("learn", data_file, "-o", tmp_path / "2.npz", *options, "--rng", 1)
    assert "belongs to another call of learn (rng: [0] there, [1] here)" in refused
