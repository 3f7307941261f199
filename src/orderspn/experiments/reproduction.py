"""`reproduce`: an experiment from its name to files."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any

from orderspn._version import __version__
from orderspn.core.arguments import check_effort, check_integer, check_path
from orderspn.core.atomic import replacing
from orderspn.core.destination import destination
from orderspn.core.errors import InvalidType, InvalidValue, MissingExtra, UserError, unknown_name
from orderspn.core.workers import available_cores
from orderspn.display.progress import Progress, showing
from orderspn.experiments.approaches import Approach, choose_methods
from orderspn.experiments.cells import EXPERIMENTS, Cell
from orderspn.experiments.experiment import MOST_SEED, Experiment, Outcome
from orderspn.experiments.figures import FIGURES, save_figure
from orderspn.experiments.report import report, timings_csv, timings_markdown
from orderspn.experiments.runner import run_cells
from orderspn.experiments.store import CellStore
from orderspn.experiments.tables import Row, SummaryRow, as_csv, rows_of, summarize

RUNS = 30
"""Default number of runs, as in the paper."""

FEWEST_VARIABLES = 3

TEXTS = ("results.csv", "results.json", "report.md", "timings.csv", "timings.md")
"""Files that are written beside the figures."""

RELEVANT = ("numpy", "numba", "pandas", "jax", "scikit-learn")
"""Packages whose versions the numbers may depend on."""


@dataclass(frozen=True)
class Reproduction:
    """The results of an experiment.

    Attributes
    ----------
    name : str
    rows : list of Row
        Every number: experiment, d, method, run, seed, metric, n, value.
    summary : list of SummaryRow
        Mean, standard deviation and median over runs.
    settings : dict
        Arguments, the arguments of `learn`, and versions.
    notes : list of str
        What was left out, and why.
    files : list of pathlib.Path
        The files that were written.
    """

    name: str
    rows: list[Row]
    summary: list[SummaryRow]
    settings: dict[str, Any]
    notes: list[str]
    files: list[Path]

    def __repr__(self) -> str:
        counts = f"{len(self.rows):,} .rows, {len(self.summary)} in the .summary, {len(self.files)} .files"
        return f"<Reproduction of {self.name!r}: {counts}>"


def reproduce(
    name: str,
    *,
    d: int | Sequence[int] | None = None,
    runs: int = RUNS,
    methods: Sequence[str] | None = None,
    seed: int = 0,
    effort: float = 1.0,
    n_jobs: int | None = None,
    output: str | PathLike[str] | None = None,
    progress: Progress = "auto",
) -> Reproduction:
    """Repeat an experiment: simulate, learn with every method, measure, and write tables and a figure.

    Finished cells (one method on one run) are kept in the folder `cells` of the output. After an interruption, the same
    call continues; with more runs it computes the additional ones. Except for the timings, the files do not depend on
    the number of jobs.

    Parameters
    ----------
    name : str
        The paper's "performance", "coverage", "conditional" or "ablation"; "exact", the distance to the exact
        posteriors; or data as it comes, beside what is usually done with it: "mixed", "nonlinear" or "missing";
        or "design", strategies that choose experiments.
    d : int or sequence of int, optional
        Numbers of variables (default: 16, for "mixed" and "nonlinear" 9, for "missing" and "design" 10). The paper has
        16 and 32.
    runs : int, default 30
        Simulated networks, with the seeds `seed`, `seed + 1`, ...
    methods : sequence of str, optional
        Methods to compare (default: those of the experiment).
    seed : int, default 0
    effort : float, default 1
        Length of the searches, as a multiple of the paper's budget; exact methods do not change.
    n_jobs : int, optional
        Number of processes (default: one for each core). It never changes a result. A script that uses more than one
        needs `if __name__ == "__main__":` around the call, since every process imports the script.
    output : path, optional
        Folder for the files (default: `reproduce-NAME`).
    progress : bool, "auto" or callable, default "auto"
        As for `learn`.

    Returns
    -------
    Reproduction
        With `.rows`, `.summary`, `.settings`, `.notes` and `.files`.

    Examples
    --------
    >>> import orderspn as osp, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = osp.experiments.reproduce("coverage", d=5, runs=2, methods=["EXACT"], n_jobs=1, output=folder)
    >>> [(row.method, row.n, row.mean) for row in done.summary]
    [('EXACT', 1, 1.0), ('EXACT', 2, 1.0), ('EXACT', 4, 1.0)]
    """
    if name not in EXPERIMENTS:
        raise unknown_name(str(name), list(EXPERIMENTS), "experiment")
    experiment = EXPERIMENTS[name]
    dimensions = _dimensions(experiment.d if d is None else d)
    runs = check_integer("runs", runs, 1)
    seed = check_integer("seed", seed, 0, MOST_SEED - runs)
    effort = check_effort(effort)
    jobs = available_cores() if n_jobs is None else check_integer("n_jobs", n_jobs, 1)
    chosen, notes = choose_methods(_names(methods), experiment, dimensions)
    folder = _folder(f"reproduce-{name}" if output is None else output)
    cells = [
        Cell(name, size, method.name, run, seed + run, effort)
        for size in dimensions
        for run in range(runs)
        for method in chosen
    ]
    with showing(progress):
        outcomes = run_cells(cells, CellStore(folder / "cells"), jobs)
    settings = _settings(experiment, dimensions, runs, seed, effort, chosen)
    return _written(experiment, settings, chosen, outcomes, notes, folder)


def _written(
    experiment: Experiment,
    settings: dict[str, Any],
    methods: Sequence[Approach],
    outcomes: Mapping[Cell, Outcome],
    notes: list[str],
    folder: Path,
) -> Reproduction:
    rows = rows_of(experiment, outcomes)
    summary = summarize(experiment, rows)
    messages = {cell.key: list(outcome.warnings) for cell, outcome in outcomes.items() if outcome.warnings}
    document = {
        "settings": settings,
        "notes": notes,
        "summary": [row._asdict() for row in summary],
        "warnings": messages,
        "values": [row._asdict() for row in rows],
    }
    texts = (
        as_csv(Row._fields, rows),
        json.dumps(document, indent=1, allow_nan=False) + "\n",
        report(experiment, settings, summary, rows, outcomes, notes),
        timings_csv(outcomes),
        timings_markdown(experiment.title, outcomes),
    )
    files = [folder / file for file in TEXTS]
    for file, text in zip(files, texts, strict=True):
        with replacing(file) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    try:
        files += save_figure(experiment.draw(rows, [method.name for method in methods]), folder)
    except MissingExtra as problem:
        notes = [*notes, f"No figure was drawn: {problem}"]
    return Reproduction(experiment.name, rows, summary, settings, notes, files)


def _settings(
    experiment: Experiment,
    dimensions: Sequence[int],
    runs: int,
    seed: int,
    effort: float,
    methods: Sequence[Approach],
) -> dict[str, Any]:
    """Everything that the results depend on, as JSON values."""
    return {
        "experiment": experiment.name,
        "d": list(dimensions),
        "runs": runs,
        "seed": seed,
        "effort": effort,
        "protocol": {str(d): experiment.protocol(d) for d in dimensions},
        "methods": {m.name: {str(d): m.recorded(d, effort) for d in dimensions} for m in methods},
        "versions": {"orderspn": __version__, "python": platform.python_version(), **_versions()},
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in RELEVANT:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _dimensions(d: int | Sequence[int]) -> list[int]:
    given = list(d) if isinstance(d, Sequence) and not isinstance(d, str) else [d]
    if not given:
        raise InvalidValue("d must be a number of variables, or several; got none.")
    return sorted({check_integer("d", size, FEWEST_VARIABLES) for size in given})


def _names(methods: Sequence[str] | None) -> list[str] | None:
    if methods is None:
        return None
    if isinstance(methods, str) or not all(isinstance(name, str) for name in methods):
        raise InvalidType(f"methods must be a list of names such as ['GADGET', 'TRUST-G']; got {methods!r}.")
    return list(methods)


def _folder(output: str | PathLike[str]) -> Path:
    """Create the folder and check that files can be written, before the long work."""
    folder = check_path("output", output)
    try:
        (folder / "cells").mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"cannot write to the folder {str(folder)!r}: {problem.strerror or problem}.") from problem
    for file in (*TEXTS, *FIGURES):
        destination(folder / file)
    return folder
