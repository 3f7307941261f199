"""An environment for each peer, in `.peers`, and the packages that data come from.

python -m benchmarks.peers.environments          # make those that are missing
python -m benchmarks.peers.environments --again  # make all of them anew
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".peers"

REQUIREMENTS: dict[str, list[list[str]]] = {
    "flop": [["numpy", "flopsearch==0.3.0"]],
    "causal-learn": [["causal-learn==0.1.4.8"]],
    "pgmpy": [["pgmpy==1.1.2"]],
    "pyagrum": [["pyagrum==3.3.1", "pandas"]],
    "lingam": [["lingam==1.13.0", "setuptools"]],
    # The linear models need no torch, which is larger than all other environments together.
    "dagma": [["numpy", "scipy", "tqdm", "igraph"], ["--no-deps", "dagma==1.1.1"]],
    "dibs": [["dibs-lib==1.3.3"]],
    "sources": [["--no-deps", "pgmpy==0.1.26", "daosim==0.0.5", "numpy"]],
}
"""What `pip install` is called with, one call after the other. "sources" has data: the last pgmpy that bundles the
discrete networks of the bnlearn repository, and the simulations of DaO."""

OURS = "orderspn"


def interpreter(environment: str) -> Path | None:
    """Return the Python of an environment, or None if it is not installed; ours is the one that runs this."""
    if environment == OURS:
        return Path(sys.executable)
    if environment == "r":
        return Path(sys.executable) if shutil.which("Rscript") else None
    found = FOLDER / environment / "bin" / "python"
    return found if (FOLDER / environment / "installed").exists() else None


def packages(environment: str) -> Path:
    """Return the folder with the packages of an environment."""
    return next((FOLDER / environment / "lib").glob("python*/site-packages"))


def make(environment: str) -> bool:
    """Make an environment; whether all of its packages could be installed."""
    folder = FOLDER / environment
    venv.create(folder, with_pip=True, clear=True)
    for packages_wanted in REQUIREMENTS[environment]:
        command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *packages_wanted]
        if subprocess.run(command, check=False).returncode != 0:
            return False
    (folder / "installed").touch()
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    for name in REQUIREMENTS:
        if arguments.again or interpreter(name) is None:
            print(name, "installed" if make(name) else "could not be installed: its cells will be left out", flush=True)


if __name__ == "__main__":
    main()
