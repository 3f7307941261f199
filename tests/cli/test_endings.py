"""How the program ends: one line for a user's mistake, a traceback for a bug, silence for a closed pipe."""

import errno
import os
import subprocess
import sys

import pytest

import orderspn as osp
from helpers.levels import parameters
from orderspn.cli import output


def test_a_missing_file_is_named(error_of, tmp_path):
    missing = tmp_path / "missing.npz"
    assert error_of("edges", missing) == f"cannot read {str(missing)!r}: No such file or directory."
    assert "No such file" in error_of("learn", tmp_path / "missing.csv", "-o", tmp_path / "p.npz")


def test_a_foreign_file_is_refused(error_of, data_file):
    assert "not a posterior saved by orderspn" in error_of("info", data_file)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["query", "A -> heart"], "unknown variable 'heart': did you mean 'heart rate'?"),
        (["query", "A heart"], "write edges as"),
        (["edges", "--given", "A -> größe -> A"], "form a cycle"),
        (["parents", "a"], "did you mean 'A'?"),
        (["edges", "--top", "0"], "'--top'"),
        (["edges", "--min-probability", "2"], "'--min-probability'"),
        (["edges", "--bogus"], "--bogus"),
        (["sample", "-n", "many"], "'many' is not a valid integer"),
    ],
)
def test_mistakes_are_explained_in_one_line(error_of, posterior_file, arguments, message):
    command, *rest = arguments
    assert message in error_of(command, posterior_file, *rest)


def test_usage_errors_say_where_to_look(error_of):
    assert error_of("edges").endswith("(see 'orderspn edges --help')")
    assert "nonsense" in error_of("nonsense")


def test_a_bug_shows_itself(invoke, posterior_file, monkeypatch):
    def broken(self, given=None):
        raise ValueError("a bug")

    monkeypatch.setattr(osp.Posterior, "edge_probabilities", broken)
    with pytest.raises(ValueError, match="a bug"):
        invoke("edges", posterior_file)


def test_an_interruption_ends_with_130_and_one_line(invoke, posterior_file, monkeypatch):
    def interrupted(self, given=None):
        raise KeyboardInterrupt

    monkeypatch.setattr(osp.Posterior, "edge_probabilities", interrupted)
    result = invoke("edges", posterior_file)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "orderspn: interrupted\n")


def test_too_little_memory_is_no_bug(invoke, posterior_file, monkeypatch):
    def exhausted(self, given=None):
        raise MemoryError

    monkeypatch.setattr(osp.Posterior, "edge_probabilities", exhausted)
    result = invoke("edges", posterior_file)
    assert result.exit_code == 2
    assert result.stderr == "orderspn: error: there is not enough free memory.\n"


def test_help_and_version(run):
    assert run("--version").stdout == f"orderspn {osp.__version__}\n"
    assert run().stdout == run("--help").stdout
    commands = "learn edges query map sample effects effect paths interventional parents info plot demo reproduce "
    commands += "design update"
    for command in commands.split():
        assert f"orderspn {command} " in run(command, "--help").stdout  # an example


def test_help_loads_nothing_heavy():
    code = "import sys, orderspn.cli.main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "numpy", "pandas", "rich", "matplotlib", "networkx"} & set(loaded)


@pytest.mark.thorough
def test_piped_output_is_plain(start, posterior_file, posterior):
    process = start("edges", posterior_file, "--min-probability", 0)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert b"\x1b" not in out
    assert b"heart rate" in out
    assert len(out.splitlines()) == 1 + 2 + 5 * 4  # title, header and its rule, edges


@pytest.mark.thorough
def test_a_mistake_in_a_process_of_its_own(start, posterior_file):
    process = start("query", posterior_file, "A -> missing")
    out, err = process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert err.startswith(b"orderspn: error: unknown variable 'missing'")
    assert err.count(b"\n") == 1


FORMS = [
    pytest.param([], marks=pytest.mark.thorough),
    pytest.param(["--csv"], marks=pytest.mark.exhaustive),
    pytest.param(["--json"], marks=pytest.mark.exhaustive),
    ["--help"],
]


@pytest.mark.parametrize("form", FORMS[:2])
def test_a_closed_pipe_is_no_error_to_report(start, posterior_file, form):
    process = start("sample", posterior_file, "-n", 5000, *form)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.parametrize(
    ("problem", "windows", "gone"),
    [
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), False, True),
        (OSError(errno.EINVAL, "Invalid argument"), True, True),  # what Windows says of a closed pipe
        (OSError(errno.EINVAL, "Invalid argument"), False, False),
        (OSError(errno.EINVAL, "Invalid argument", "table.csv"), True, False),
        (OSError(errno.ENOSPC, "No space left on device"), True, False),
        (None, True, False),
    ],
)
def test_how_systems_tell_of_a_closed_pipe(monkeypatch, problem, windows, gone):
    monkeypatch.setattr(output, "WINDOWS", windows)
    assert output.reader_is_gone(problem) == gone


def ended(redirection, *arguments):
    """Exit code and error stream of the program run by a shell that redirects its streams."""
    command = [sys.executable, "-m", "orderspn", *map(str, arguments)]
    done = subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", *command], capture_output=True, text=True)
    return done.returncode, done.stderr


@pytest.mark.thorough
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
@pytest.mark.parametrize("form", FORMS)
def test_a_full_disk_is_reported_in_one_line(posterior_file, form):
    assert ended(">/dev/full", "edges", posterior_file, *form) == (
        1,
        "orderspn: error: cannot write the output: No space left on device.\n",
    )


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name == "nt", reason="there is no such shell")
@pytest.mark.parametrize("form", FORMS)
def test_an_output_that_was_closed_is_no_error(posterior_file, form):
    assert ended(">&-", "edges", posterior_file, *form) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
@pytest.mark.thorough
@pytest.mark.parametrize(
    "redirection", parameters(["2>&-", "2>/dev/full", ">&- 2>&-", ">/dev/full 2>&1"], test=[">&- 2>&-"])
)
def test_exit_codes_hold_where_errors_cannot_be_told(posterior_file, redirection):
    assert ended(redirection, "query", posterior_file, "A -> missing") == (2, "")


def test_an_unforeseen_end_of_a_file_is_no_interruption(invoke, posterior_file, monkeypatch):
    def broken(self, given=None):
        raise EOFError

    monkeypatch.setattr(osp.Posterior, "edge_probabilities", broken)
    with pytest.raises(RuntimeError, match="a file ended too early"):
        invoke("edges", posterior_file)
