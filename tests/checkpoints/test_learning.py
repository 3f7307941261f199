"""`learn` with a checkpoint: the same posterior, also after the process was killed, and no other question's parts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import orderspn as osp
from clusters.problems import PROBLEMS, TRUST, content, learned
from orderspn.chains.runs import Runs
from orderspn.core.errors import InvalidValue

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_checkpoint_changes_no_bit(name, tmp_path):
    expected = content(learned(name), tmp_path)
    assert content(learned(name, checkpoint=tmp_path / "parts"), tmp_path) == expected
    assert content(learned(name, checkpoint=tmp_path / "parts", n_jobs=1), tmp_path) == expected


def test_a_finished_search_is_not_repeated(tmp_path, monkeypatch):
    learned("trust", checkpoint=tmp_path)
    monkeypatch.setattr(Runs, "_walked", lambda *_: pytest.fail("it walked"))
    learned("trust", checkpoint=tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.parametrize(
    ("problem", "trials"),
    [
        pytest.param("trust", 3, marks=pytest.mark.thorough),
        *(pytest.param(name, 30, marks=pytest.mark.exhaustive) for name in PROBLEMS),
    ],
)
def test_killed_at_any_time_it_ends_with_the_same_file(problem, trials, tmp_path):
    command = [sys.executable, "-m", "checkpoints.killed", str(tmp_path), problem, str(trials), "0"]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["different"] == 0
    assert found["kills"] >= trials, "most children were killed at work"
    assert found["left_behind"] > 0


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """A folder with the parts of a search."""
    folder = tmp_path_factory.mktemp("parts")
    learned("trust", checkpoint=folder)
    return folder


class TestOtherQuestions:
    @pytest.mark.parametrize(
        ("changed", "named"),
        [
            ({"rng": 6}, "rng"),
            ({"missing": 0.01}, "imputations"),
            ({"method": TRUST.with_settings(effort=0.06)}, "effort"),
            ({"method": TRUST.with_settings(runs=3)}, "runs"),
            ({"runs": 3}, "runs"),
            ({"prior": "uniform"}, "prior"),
            ({"prior": lambda size: 0.5**size}, "prior"),
            ({"candidates": 3}, "candidates"),
            ({"max_parents": 3}, "max_parents"),
            ({"knowledge": "X1 -> X2"}, "knowledge"),
            ({"context": ["X1"]}, "context"),
            ({"score": osp.scores.BGe(alpha_mu=2.0)}, "score"),
            ({"standardize": False}, "data"),
            ({"memory_limit": 2**31}, "memory_limit"),
        ],
    )
    def test_they_are_refused(self, parts, changed, named):
        with pytest.raises(InvalidValue, match=rf"belongs to another call of learn .*{named}.*another folder"):
            learned("trust", checkpoint=parts, **changed)

    def test_threads_are_no_other_question(self, parts):
        learned("trust", checkpoint=parts, n_jobs=2)
        learned("trust", checkpoint=parts, n_jobs=1)

    @pytest.mark.parametrize(
        ("changed", "told"), [({"time_limit": 5.0}, "time_limit do not go together"), ({"rng": None}, "Pass rng=0")]
    )
    def test_what_could_not_be_repeated(self, tmp_path, changed, told):
        with pytest.raises(InvalidValue, match=told):
            learned("trust", checkpoint=tmp_path, **changed)
        assert list(tmp_path.iterdir()) == []


def test_a_generator_is_a_seed(tmp_path):
    one, two, other = (
        learned("trust", checkpoint=tmp_path / str(seed), rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert one.edge_probabilities().equals(two.edge_probabilities())
    assert not one.edge_probabilities().equals(other.edge_probabilities())


def test_an_exact_posterior_keeps_little(tmp_path):
    exact = learned("trust", method="exact", checkpoint=tmp_path)
    assert exact.edge_probabilities().equals(learned("trust", method="exact").edge_probabilities())


class TestRuns:
    def test_more_of_them_are_compared(self):
        assert learned("trust", runs=7).settings["diagnostics"]["runs"] == 7
        assert learned("trust", method=TRUST.with_settings(runs=1)).settings["diagnostics"]["runs"] == 1
        assert learned("gadget", runs=6).settings["n_runs"] == 6

    def test_the_default_is_four(self):
        assert learned("trust").settings["diagnostics"]["runs"] == 4

    def test_an_exact_posterior_has_none(self):
        with pytest.raises(InvalidValue, match=r"runs is for methods that search.*runs=5"):
            learned("trust", method="exact", runs=5)

    @pytest.mark.parametrize("runs", [0, -1, 2.5, "4"])
    def test_it_is_a_positive_number(self, runs):
        with pytest.raises((ValueError, TypeError), match="runs"):
            learned("trust", runs=runs)
        with pytest.raises((ValueError, TypeError), match="runs"):
            osp.methods.Trust(runs=runs)
