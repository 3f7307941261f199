"""A small posterior with awkward names, learned by the program itself, and ways to run it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import orderspn as osp
from orderspn.cli.main import main

NAMES = ["A", "heart rate", "dose, mg", "[red]x", "größe"]


@pytest.fixture(scope="session")
def data_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(11)
    values = rng.normal(size=(120, len(NAMES)))
    values[:, 1] += 0.9 * values[:, 0]
    values[:, 2] -= 0.7 * values[:, 1]
    values[:, 4] += 0.5 * values[:, 0] + 0.4 * values[:, 3]
    path = tmp_path_factory.mktemp("data") / "data.csv"
    pd.DataFrame(values, columns=NAMES).to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def frame(data_file: Path) -> pd.DataFrame:
    return pd.read_csv(data_file)


@pytest.fixture(scope="session")
def posterior(frame: pd.DataFrame) -> osp.Posterior:
    return osp.learn(frame, rng=3)


@pytest.fixture(scope="session")
def posterior_file(posterior: osp.Posterior, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("posterior") / "posterior.npz"
    posterior.save(path)
    return path


@pytest.fixture(scope="session")
def invoke() -> Callable[..., Result]:
    """Run a command in this process; an exception that it does not handle fails the test."""
    runner = CliRunner(catch_exceptions=False)
    return lambda *arguments: runner.invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def run(invoke: Callable[..., Result]) -> Callable[..., Result]:
    """Run a command that must succeed without a word on the error stream."""

    def succeed(*arguments: object) -> Result:
        result = invoke(*arguments)
        assert (result.exit_code, result.stderr) == (0, "")
        return result

    return succeed


@pytest.fixture
def run_json(run: Callable[..., Result]) -> Callable[..., object]:
    def parse(*arguments: object) -> object:
        return json.loads(run(*arguments, "--json").stdout, parse_constant=pytest.fail)

    return parse


@pytest.fixture
def run_csv(run: Callable[..., Result], tmp_path: Path) -> Callable[..., pd.DataFrame]:
    def parse(*arguments: object) -> pd.DataFrame:
        path = tmp_path / "answer.csv"
        path.write_bytes(run(*arguments, "--csv").stdout_bytes)
        return pd.read_csv(path, engine="python")  # the engine that reads numbers exactly

    return parse


@pytest.fixture
def error_of(invoke: Callable[..., Result]) -> Callable[..., str]:
    """Run a command that must fail with one line; gives the message."""

    def fail(*arguments: object) -> str:
        result = invoke(*arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("orderspn: error: ")
        assert result.stderr.count("\n") == 1
        assert result.stderr.endswith("\n")
        return result.stderr.removeprefix("orderspn: error: ").rstrip("\n")

    return fail


@pytest.fixture
def start() -> Callable[..., subprocess.Popen[bytes]]:
    """Start the program as a process of its own, its output piped."""

    def popen(*arguments: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "orderspn", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return popen
