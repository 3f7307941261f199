"""`orderspn reproduce`: an experiment, of the paper or beyond it, from simulated data to tables and a figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import reporting
from orderspn.cli.options import FILE, POSITIVE, factors, format_options
from orderspn.cli.output import Answer, Table, number_text, progress_bars, show

if TYPE_CHECKING:
    from orderspn.experiments.reproduction import Reproduction
    from orderspn.experiments.tables import SummaryRow

NAMES = ("performance", "coverage", "conditional", "ablation", "exact", "mixed", "nonlinear", "missing", "design")


@click.command(short_help="Repeat an experiment of the paper or this package.")
@click.argument("name", metavar="NAME", type=click.Choice(NAMES))
@click.option(
    "--d",
    type=factors,
    metavar="D1,D2,...",
    help="Numbers of variables [default: 16; mixed, nonlinear: 9; missing, design: 10].",
)
@click.option("--runs", type=POSITIVE, default=30, show_default=True, help="Simulated networks.")
@click.option("--methods", metavar="A,B,...", help="Methods to compare [default: those of the experiment].")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the first run.")
@click.option("--effort", type=float, default=1.0, show_default=True, help="Multiple of the paper's budget.")
@click.option("--n-jobs", type=POSITIVE, help="Processes [default: all cores]; never changes a result.")
@click.option("-o", "--output", type=FILE, help="Folder for the files [default: reproduce-NAME].")
@format_options
def reproduce(
    name: str,
    d: list[int] | None,
    runs: int,
    methods: str | None,
    seed: int,
    effort: float,
    n_jobs: int | None,
    output: Path | None,
    form: str | None,
) -> None:
    """Repeat an experiment, NAME, on simulated networks: of the paper, or of data as it comes.

    \b
    NAME is one of
      performance   four metrics for every method
      coverage      whether several true edges at once have any probability
      conditional   edge probabilities once some true edges are known
      ablation      structure and weights of a circuit, learned or not
      exact         distance to the exact posteriors
      mixed         numbers and categories in one table, beside codes and bins
      nonlinear     curves, beside lines and bins
      missing       missing values, beside complete rows and filled cells
    design        strategies that choose the next experiment

    Tables, a figure and a report are written to a folder. Finished cells are kept there, and the same command continues
    after an interruption.

    \b
    Examples:
      orderspn reproduce conditional --runs 5
      orderspn reproduce performance --d 16,32 --methods GADGET,TRUST-G,ORDERSPN
      orderspn reproduce missing --runs 10
    """
    from orderspn.experiments import reproduce as run

    folder = Path(f"reproduce-{name}") if output is None else output
    names = None if methods is None else [part.strip() for part in methods.split(",") if part.strip()]
    try:
        with progress_bars(form) as progress, reporting("write to the folder", folder):
            done = run(
                name,
                d=d,
                runs=runs,
                methods=names,
                seed=seed,
                effort=effort,
                n_jobs=n_jobs,
                output=folder,
                progress=progress,
            )
    except KeyboardInterrupt:
        click.echo(f"orderspn: finished cells are kept in {folder}; the same command continues from there", err=True)
        raise
    show(_answer(done, folder), form)


def _answer(done: Reproduction, folder: Path) -> Answer:
    document = {
        "settings": done.settings,
        "summary": [row._asdict() for row in done.summary],
        "notes": done.notes,
        "files": [str(path) for path in done.files],
    }
    table = Table(["d", "metric", "n", "method", "runs", "mean", "sd", "median"], done.summary)
    saved = f"\nSaved in {folder}: {', '.join(path.name for path in done.files)}"
    return Answer(document, table, [_side_by_side(done), *(f"\n{note}" for note in done.notes), saved])


def _side_by_side(done: Reproduction) -> Table:
    """One row per method, one column per metric: means with standard deviations."""
    metrics = list(dict.fromkeys(row.metric for row in done.summary))
    cells = {(row.d, row.n, row.method, row.metric): _mean(row) for row in done.summary}
    places = {method: place for place, method in enumerate(done.settings["methods"])}
    lines = sorted(
        {(row.d, row.n, row.method, row.runs) for row in done.summary},
        key=lambda line: (line[0], line[1] or 0, places[line[2]]),
    )
    several = any(n is not None for _, n, *_ in lines)
    rows = [
        [
            str(d),
            *([str(n)] if several else []),
            method,
            runs,
            *(cells.get((d, n, method, name), "") for name in metrics),
        ]
        for d, n, method, runs in lines
    ]
    return Table(["d", *(["n"] if several else []), "method", "runs", *metrics], rows)


def _mean(row: SummaryRow) -> str:
    return number_text(row.mean) + ("" if row.sd is None else f" ± {number_text(row.sd)}")
