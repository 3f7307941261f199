"""Interventional distributions on the command line."""

import pandas as pd
import pytest

import orderspn as osp

NAMES = {"smoke": "smoke", "bronc": "bronc=now", "dysp": "[red]dysp"}
GIVEN = "bronc=now -> [red]dysp"
ASKED = NAMES["dysp"]


@pytest.fixture(scope="module")
def patients():
    """Levels that hold the sign between a variable and its level, and a variable that does."""
    data = osp.load_asia().data[list(NAMES)].rename(columns=NAMES)
    return osp.learn(data.replace({"yes": "a=1", "no": "a=0"}))


@pytest.fixture(scope="module")
def patients_file(patients, tmp_path_factory):
    path = tmp_path_factory.mktemp("patients") / "posterior.npz"
    patients.save(path)
    return path


@pytest.mark.parametrize("do", [{}, {"smoke": "a=1"}, {"smoke": "a=0", "bronc=now": "a=1"}], ids=str)
@pytest.mark.parametrize("given", [None, GIVEN])
def test_answers_are_the_librarys(run, run_json, run_csv, patients, patients_file, do, given):
    settings = [part for name, level in do.items() for part in ("--do", f"{name}={level}")]
    options = [*settings, "--n-graphs", 50, "--rng", 4, *(["--given", given] if given else [])]
    expected = patients.interventional(ASKED, do, given, n_graphs=50, rng=4)
    answer = run_json("interventional", patients_file, ASKED, *options)
    assert answer.pop("levels") == expected.rename_axis("level").reset_index().to_dict("records")
    assert answer == {"variable": ASKED, "do": do, "given": given}
    table = run_csv("interventional", patients_file, ASKED, *options).set_index("level")
    pd.testing.assert_frame_equal(table, expected, check_names=False, check_exact=True, check_index_type=False)
    question = f"{ASKED} | do({', '.join(f'{name} = {level}' for name, level in do.items())})" if do else ASKED
    condition = f", given {given}" if given else ""
    text = run("interventional", patients_file, ASKED, *options).stdout
    assert text.startswith(f"P({question}){condition}, with 90% credible intervals\n")
    assert all(f"{value:.4f}" in text for value in expected.to_numpy().ravel())


def test_a_thousand_graphs_unless_told(run_json, patients, patients_file):
    expected = patients.interventional(ASKED, {"smoke": "a=1"}, rng=2)
    answer = run_json("interventional", patients_file, ASKED, "--do", "smoke=a=1", "--rng", 2)
    assert [row["mean"] for row in answer["levels"]] == expected["mean"].tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lung"], "unknown variable 'lung'"),
        ([ASKED, "--do", "smoke"], "--do must be written X=LEVEL, such as --do smoke=yes; got 'smoke'."),
        ([ASKED, "--do", "smok=a=1"], "unknown variable 'smok': did you mean 'smoke'?"),
        ([ASKED, "--do", "smoke=a=2"], "unknown level 'a=2' of 'smoke': did you mean 'a=1'"),
        ([ASKED, "--do", "smoke="], "unknown level '' of 'smoke': the levels of 'smoke' are"),
        ([ASKED, "--do", f"{ASKED}=a=1"], "must not contain the queried variable"),
        ([ASKED, "--do", "smoke=a=1", "--do", "smoke=a=0"], "--do sets 'smoke' twice, to 'a=1' and 'a=0'"),
        ([ASKED, "--n-graphs", "0"], "'--n-graphs'"),
    ],
)
def test_mistakes_are_explained(error_of, patients_file, arguments, message):
    assert message in error_of("interventional", patients_file, *arguments)


def test_numbers_have_none(error_of, posterior_file):
    assert "the score 'bge' of this posterior has none" in error_of("interventional", posterior_file, "A")
