"""Distributions of this package, and fresh environments that know nothing of the source."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build(source, folder, *kinds):
    """Build distributions of a source folder (a wheel by way of the sdist, or the given kinds) and return them."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder), *kinds, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(Path(folder).iterdir())


@dataclass(frozen=True)
class Room:
    """A virtual environment in a folder of its own, outside the source."""

    folder: Path

    @classmethod
    def made_in(cls, folder):
        """Make the environment, with nothing but pip."""
        folder.mkdir()
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        return cls(folder)

    @property
    def programs(self):
        return self.folder / "venv" / ("Scripts" if os.name == "nt" else "bin")

    def install(self, *requirements):
        """Install with the versions that tests run with."""
        command = [self.programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        command += ["--constraint", ROOT / "constraints.txt", *requirements]
        done = subprocess.run([*map(str, command)], cwd=self.folder, env=_environment(), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def run(self, program, *arguments):
        """Run a program of the environment: exit code, output and errors."""
        # Its home is the room as well, so that neither settings nor compiled kernels come from elsewhere.
        environment = {**_environment(), "HOME": str(self.folder), "USERPROFILE": str(self.folder)}
        command = [str(self.programs / program), *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, encoding="utf-8"
        )
        return done.returncode, done.stdout, done.stderr

    def answer(self, program, *arguments):
        """Run a program that must succeed without a word on the error stream: its output."""
        code, output, errors = self.run(program, *arguments)
        assert (code, errors) == (0, ""), errors
        return output

    def refusal(self, program, *arguments):
        """Run a program that must refuse, with exit code 2 and one line: that line."""
        code, output, errors = self.run(program, *arguments)
        assert (code, output) == (2, ""), output + errors
        assert errors.count("\n") == 1
        return errors


def _environment():
    """The variables of this process without those that lead Python to other code."""
    foreign = ("PYTHON", "VIRTUAL_ENV", "NUMBA_", "PYTEST_", "COVERAGE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {**kept, "PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1"}
