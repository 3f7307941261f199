"""The paper's experiments, and those beyond it, at full length. Writes docs/results.md and its figures.

python -m benchmarks.paper.run                     # about an hour on two cores; finished cells are kept
python -m benchmarks.paper.run --only conditional  # one of them
python -m benchmarks.paper.run --report            # only write the page and draw its figures again

Numbers are kept in results.json; cells in the folder --cells.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from pathlib import Path
from typing import Any

import orderspn as osp
from benchmarks.paper.page import FIGURES, write_page
from benchmarks.paper.plans import PLANS, Plan
from orderspn.experiments.cells import EXPERIMENTS
from orderspn.experiments.figures import save_figure
from orderspn.experiments.tables import Row

RESULTS = Path(__file__).parent / "results.json"
CELLS = Path(tempfile.gettempdir()) / "orderspn-paper"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(PLANS))
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--cells", type=Path, default=CELLS)
    parser.add_argument("--n-jobs", type=int)
    given = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name, plan in PLANS.items():
        if not given.report and given.only in (None, name):
            results[name] = measured(name, plan, given.cells / name, given.n_jobs)
            RESULTS.write_text(_by_line(results))
    for name in results:
        draw(name, PLANS[name], [Row(*row) for row in results[name]["rows"]])
    write_page({name: results[name] for name in PLANS if name in results})


def measured(name: str, plan: Plan, folder: Path, n_jobs: int | None = None) -> dict[str, Any]:
    """Rows and timings of every method."""
    rows: list[Row] = []
    timings: list[dict[str, str]] = []
    for runs, methods in plan.groups.items():
        done = osp.experiments.reproduce(
            plan.experiment,
            d=plan.d,
            runs=runs,
            methods=methods,
            n_jobs=n_jobs,
            output=folder,
            progress=_tell(name, runs),
        )
        # References come with every group, and count in their own.
        rows += [row for row in done.rows if row.method in methods]
        kept = csv.DictReader((folder / "timings.csv").read_text().splitlines())
        timings += [cell for cell in kept if cell["method"] in methods]
    return {"rows": [list(row) for row in rows], "timings": timings}


def draw(name: str, plan: Plan, rows: list[Row]) -> None:
    """A figure of all methods."""
    figure = EXPERIMENTS[plan.experiment].draw(rows, plan.methods)
    with tempfile.TemporaryDirectory() as folder:
        picture = next(path for path in save_figure(figure, Path(folder)) if path.suffix == ".png")
        FIGURES.mkdir(exist_ok=True)
        (FIGURES / f"{name}.png").write_bytes(picture.read_bytes())


def _by_line(results: dict[str, Any]) -> str:
    """JSON with a line for each experiment: tens of thousands of numbers."""
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in results.items()) + "\n}\n"


def _tell(name: str, runs: int) -> Any:
    def progress(work: str, done: int, total: int) -> None:
        print(f"{name}, {runs} runs: {done} of {total} {work}", flush=True)

    return progress


if __name__ == "__main__":
    main()
