"""What `pip install orderspn` brings along: packages, their sizes, and when they are loaded.

    python -m benchmarks.installed_sizes     # builds a wheel, installs it in a new environment, and writes the tables

docs/installation.md shows the tables. Versions are those of constraints.txt.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TABLES = Path(__file__).with_suffix(".md")

PURPOSE = {
    "arviz-stats": "R-hat and effective sample sizes of chains",
    "click": "the command line",
    "cloudpickle": "sends tasks to workers of other machines",
    "joblib": "spreads work over clusters",
    "msgspec": "checks the content of files against a schema",
    "narwhals": "reads pandas, polars and other tables alike",
    "networkx": "graphs, as they are given back",
    "numba": "compiles the kernels",
    "numpy": "arrays",
    "pandas": "tables, as they are given back, and reading files",
    "rich": "tables on terminals, progress bars",
    "scipy": "linear algebra for numba, special functions",
}
"""What each dependency is for."""

EXTRAS = {
    "plot": "pictures: `orderspn.plot`, `orderspn plot`",
    "explore": "the explorer: `orderspn explore`, `posterior.explore()`",
    "files": "Excel and Parquet files",
    "jax": "`method='dibs'`, weights learned by gradient",
}
"""What each extra is for."""

INSTALLED = """
import importlib.metadata, json, re
found = {}
for package in importlib.metadata.distributions():
    paths = {file.locate() for file in package.files or ()}
    size = sum(path.stat().st_size for path in paths if path.is_file())
    needs = [re.match(r"[\\w.-]+", text).group().lower() for text in package.requires or () if "extra ==" not in text]
    found[package.metadata["Name"].lower()] = (package.version, size, needs)
print(json.dumps(found))
"""
LOADED = """
import importlib.metadata, json, sys
{code}
loaded = {{name.partition(".")[0] for name in sys.modules}}
owners = importlib.metadata.packages_distributions()
print(json.dumps(sorted({{owner.lower() for name in loaded for owner in owners.get(name, ())}})))
"""
LEARN = "import orderspn as osp; data = osp.load_sachs(log=True).data; "
STEPS = {
    "`import orderspn`": "import orderspn",
    "`learn`, exact": LEARN + "osp.learn(data).edge_probabilities()",
    "`learn`, a circuit": LEARN + "osp.learn(data, method='trust').edge_probabilities()",
    "the command line": "from orderspn.cli.main import main\ntry:\n    main(['demo'])\nexcept SystemExit:\n    pass",
}
"""From little to much; a package is loaded by the first of them that needs it."""

LATER = "other features"


class Package(NamedTuple):
    """An installed package: its version and size, what it needs, and what loads it first."""

    version: str
    size: int
    needs: Sequence[str]
    loaded: str = LATER


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = built(folder / "dist")
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        before = set(json.loads(run(folder, python, "-c", INSTALLED)))
        install(folder, python, str(wheel))
        loaded = {
            step: json.loads(last_line(run(folder, python, "-c", LOADED.format(code=c)))) for step, c in STEPS.items()
        }
        alone = packages(json.loads(run(folder, python, "-c", INSTALLED)), before, loaded)
        extras = {}
        for extra in EXTRAS:
            known = set(json.loads(run(folder, python, "-c", INSTALLED)))
            install(folder, python, f"orderspn[{extra}] @ {wheel.as_uri()}")
            extras[extra] = packages(json.loads(run(folder, python, "-c", INSTALLED)), known, {})
    TABLES.write_text(tables(alone, extras), encoding="utf-8")
    print(TABLES.read_text(encoding="utf-8"))


def built(folder: Path) -> Path:
    """Build a wheel of the source."""
    run(ROOT, sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT)
    (wheel,) = folder.iterdir()
    return wheel


def install(folder: Path, python: Path, what: str) -> None:
    """Install with the versions that tests run with."""
    run(folder, python, "-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", what)


def run(folder: Path, *command: object) -> str:
    """Run a program in a folder: its output."""
    return subprocess.run([*map(str, command)], cwd=folder, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def last_line(text: str) -> str:
    """The last line: a command prints before."""
    return text.splitlines()[-1]


def packages(
    found: Mapping[str, tuple[str, int, Sequence[str]]], known: set[str], loaded: Mapping[str, Sequence[str]]
) -> dict[str, Package]:
    """The packages that were not known before, largest first."""
    new = {
        name: Package(*about, next((step for step, names in loaded.items() if name in names), LATER))
        for name, about in found.items()
        if name not in known
    }
    return dict(sorted(new.items(), key=lambda item: -item[1].size))


def tables(alone: Mapping[str, Package], extras: Mapping[str, Mapping[str, Package]]) -> str:
    """The tables of the page."""
    system = f"{platform.system()} ({platform.machine()})"
    lines = [
        f"Measured with Python {platform.python_version()} on {system}, with the files that Python compiles.",
        "",
        "| package | version | MB | what for | loaded by |",
        "| --- | --- | ---: | --- | --- |",
    ]
    for name, package in alone.items():
        users = [other for other, about in alone.items() if name in about.needs]
        purpose = "" if name == "orderspn" else PURPOSE.get(name, f"for {' and '.join(users)}")
        version = "" if name == "orderspn" else package.version  # it would change with every commit
        lines.append(f"| {name} | {version} | {megabytes(package.size)} | {purpose} | {package.loaded} |")
    lines += [
        f"| **all** | | **{total(alone)}** | | |",
        "",
        "| extra | MB more | packages | what for |",
        "| --- | ---: | --- | --- |",
    ]
    for extra, new in extras.items():
        lines.append(f"| `[{extra}]` | {total(new)} | {', '.join(new)} | {EXTRAS[extra]} |")
    return "\n".join(lines) + "\n"


def megabytes(size: int) -> str:
    """A size in MB, with one decimal if it is small."""
    return f"{size / 1e6:.0f}" if size >= 10e6 else f"{size / 1e6:.1f}"


def total(found: Mapping[str, Package]) -> str:
    """The size of all packages together."""
    return megabytes(sum(package.size for package in found.values()))


if __name__ == "__main__":
    main()
