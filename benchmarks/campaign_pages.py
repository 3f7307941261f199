"""Campaigns: pages of what `orderspn reproduce design` measured.

`orderspn reproduce design --d 20 --runs 10 --output FOLDER`, then `python -m benchmarks.campaign_pages FOLDER`, renews
the table, page and picture of its number of variables in benchmarks/campaigns, and differences.md, the paired
differences between strategies over all tables there. Strategies that the folder does not have keep the rows that they
have in the table. Page and picture are of the runs that all strategies have.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

from orderspn.experiments.campaigning import DESIGN
from orderspn.experiments.figures import save_figure
from orderspn.experiments.planners import PLANNERS
from orderspn.experiments.report import differences, report
from orderspn.experiments.tables import Row, as_csv, summarize

CAMPAIGNS = Path(__file__).parent / "campaigns"

FILES_OF_A_FOLDER = (
    "Every number is in `results.csv`; `figure.png` and `figure.svg` show them, and `timings.md` has times and memory."
)
FILES_HERE = "Every number is in the table beside this page, and the picture shows them."


def rows_in(path: Path) -> list[Row]:
    """Read a table of results."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Row(
                own["experiment"],
                int(own["d"]),
                own["method"],
                int(own["run"]),
                int(own["seed"]),
                own["metric"],
                int(own["n"]) if own["n"] else None,
                float(own["value"]),
            )
            for own in csv.DictReader(file)
        ]


def renew(folder: Path) -> None:
    """Renew the files of the numbers of variables in a folder of `reproduce`."""
    settings = json.loads((folder / "results.json").read_text(encoding="utf-8"))["settings"]
    measured = rows_in(folder / "results.csv")
    for d in settings["d"]:
        new = [row for row in measured if row.d == d]
        path = CAMPAIGNS / f"variables_{d}.csv"
        known = {row.method for row in new}
        kept = [row for row in rows_in(path) if row.method not in known] if path.exists() else []
        rows = sorted([*new, *kept], key=lambda row: list(PLANNERS).index(row.method))
        names = [name for name in PLANNERS if any(row.method == name for row in rows)]
        path.write_text(as_csv(Row._fields, rows), encoding="utf-8")
        rows = _runs_of_all(rows)
        path.with_suffix(".md").write_text(_page(settings, d, names, rows), encoding="utf-8")
        save_figure(DESIGN.draw(rows, names), folder)
        (folder / "figure.png").replace(path.with_suffix(".png"))


def _runs_of_all(rows: list[Row]) -> list[Row]:
    """Return the rows of runs that every method has: only their means can be compared."""
    methods = {row.method for row in rows}
    common = set.intersection(*({row.run for row in rows if row.method == name} for name in methods))
    return [row for row in rows if row.run in common]


def _page(settings: dict[str, Any], d: int, names: list[str], rows: list[Row]) -> str:
    methods = {name: {str(d): PLANNERS[name].recorded(d, settings["effort"])} for name in names}
    runs = 1 + max(row.run for row in rows)
    own = {**settings, "d": [d], "runs": runs, "methods": methods}
    return report(DESIGN, own, summarize(DESIGN, rows), rows, {}, []).replace(FILES_OF_A_FOLDER, FILES_HERE)


def write_differences() -> None:
    """Write the paired differences over all tables."""
    rows = [row for path in sorted(CAMPAIGNS.glob("variables_*.csv")) for row in rows_in(path)]
    lines = [f"# {DESIGN.title}: paired differences", "Made by `python -m benchmarks.campaign_pages`.", DESIGN.about]
    text = "\n\n".join([*lines, *differences(DESIGN, rows)]) + "\n"
    (CAMPAIGNS / "differences.md").write_text(text, encoding="utf-8")
    print(text)


def main() -> None:
    """Renew pages from folders."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", type=Path, help="folders of orderspn reproduce design")
    for folder in parser.parse_args().folders:
        renew(folder)
    write_differences()


if __name__ == "__main__":
    main()
