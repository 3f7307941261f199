"""Put each fault into a copy of the sources, run the tests, and tell which test finds it.

Run with `make mutations`, or `PYTHONPATH=tests python -m mutations --help`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mutations.faults import FAULTS, Fault

ROOT = Path(__file__).parents[2]
COPIED = ("src", "tests", "docs", "benchmarks", "web", "conftest.py", "pyproject.toml", "ARCHITECTURE.md", "Makefile")
FOUND = re.compile(r"^(?:FAILED|ERROR) (\S.*?::.*?)(?: - .*)?$", re.MULTILINE)
"""A test; a file that cannot be collected is no finder."""


def main() -> int:
    """Run the chosen faults; the exit code is 1 if a fault survives."""
    arguments = parsed()
    chosen = [fault for fault in FAULTS if any(part in f"{fault.name} {fault.file}" for part in arguments.only or [""])]
    if not chosen:
        raise SystemExit("no fault has such a name or file")
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        copy_tree(tree)
        for fault in chosen:
            finder = run(fault, tree, arguments)
            survivors += finder is None
            print(f"{fault.file:32} {fault.name:50} {finder or 'SURVIVED'}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} faults were found.")
    return 1 if survivors else 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutations", description=__doc__)
    parser.add_argument("--level", default="test", help="level of the tests (default: test)")
    parser.add_argument("--whole", action="store_true", help="run the whole level, not only the tests named by a fault")
    parser.add_argument("--only", action="append", metavar="TEXT", help="faults whose name or file has this text")
    parser.add_argument("-n", "--processes", default="2", help="processes for the whole level (default: 2)")
    return parser.parse_args()


def copy_tree(tree: Path) -> None:
    tree.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, tree / name, ignore=shutil.ignore_patterns("__pycache__", "_build", "*.nb?", "node_modules")
            )
        else:
            shutil.copy(source, tree / name)


def run(fault: Fault, tree: Path, arguments: argparse.Namespace) -> str | None:
    """Return the test that finds a fault, or None; the tree is whole again at the end."""
    path = tree / "src" / "orderspn" / fault.file
    original = path.read_text(encoding="utf-8")
    assert original.count(fault.find) == 1, f"{fault.name}: its text must be there once"
    path.write_text(original.replace(fault.find, fault.replace), encoding="utf-8")
    try:
        tests = ["-n", arguments.processes] if arguments.whole else fault.tests
        finder = first_failure(tree, tests, arguments.level)
    finally:
        path.write_text(original, encoding="utf-8")
    if finder is not None and first_failure(tree, [finder], arguments.level) is not None:
        raise SystemExit(f"{finder} fails without the fault {fault.name!r}, too")
    return finder


def first_failure(tree: Path, tests: Sequence[str], level: str) -> str | None:
    """Return the first test that fails, or None if all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-rfE", "-p", "no:cacheprovider"]
    # Compiled kernels are found by their content, so that all faults share a cache. Bytecode is found by time and size
    # of its source, which a fault may leave as they are: none is written.
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, "--level", level, *tests], cwd=tree, env=environment, capture_output=True, text=True
    )
    if done.returncode == 0:
        return None
    found = FOUND.search(done.stdout)
    if found is None:
        raise SystemExit(f"pytest ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return found[1]


if __name__ == "__main__":
    sys.exit(main())
