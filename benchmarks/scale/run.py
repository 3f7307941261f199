"""Measure quality, time and memory at scale, each cell in a process of its own, and write docs/scale.md.

python -m benchmarks.scale.run              # about 20 minutes; finished cells are kept in results.json
python -m benchmarks.scale.run --only d=32  # cells whose names contain this
python -m benchmarks.scale.run --fresh      # measure everything again
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.kept_cells import measure_cells
from benchmarks.scale.report import write_report

RESULTS = Path(__file__).parent / "results.json"

CELLS: dict[str, tuple[str, dict[str, Any]]] = {}
for _data in range(10):
    CELLS[f"d=32 N=100 fair data {_data}"] = (
        "quality",
        {"d": 32, "n_rows": 100, "prior": "fair", "data": _data, "second_seed": True, "regular": _data < 3},
    )
for _prior in ("fair", "uniform"):
    for _rows in (100, 1000):
        for _data in range(3):
            CELLS[f"d=64 N={_rows} {_prior} data {_data}"] = (
                "quality",
                {"d": 64, "n_rows": _rows, "prior": _prior, "data": _data, "second_seed": _prior == "fair"},
            )
for _rows in (100, 1000):
    for _data in range(3):
        CELLS[f"search d=64 N={_rows} uniform data {_data}"] = (
            "search",
            {"d": 64, "n_rows": _rows, "prior": "uniform", "data": _data},
        )
for _data in range(2):
    CELLS[f"d=100 N=1000 fair data {_data}"] = ("quality", {"d": 100, "n_rows": 1000, "prior": "fair", "data": _data})
for _data in range(3):
    CELLS[f"d=128 N=1000 fair data {_data}"] = ("quality", {"d": 128, "n_rows": 1000, "prior": "fair", "data": _data})
for _d in (500, 1000):
    CELLS[f"d={_d} N=1000 fair data 0"] = ("quality", {"d": _d, "n_rows": 1000, "prior": "fair", "data": 0})
for _d in (50, 100, 200, 500):
    CELLS[f"best d={_d} N=1000"] = ("best", {"d": _d, "n_rows": 1000, "data": 0})
for _name in ("ecoli70", "magic-niab"):
    for _data in range(1):
        CELLS[f"{_name} N=500 data {_data}"] = ("network", {"name": _name, "n_rows": 500, "data": _data})
for _d in (10, 15, 20, 25, 30, 45, 90, 180):
    CELLS[f"cost d={_d} N=1000"] = ("cost", {"d": _d, "n_rows": 1000})  # others are among the cells above
for _rows in (100, 1000, 10_000, 100_000):
    CELLS[f"cost d=40 N={_rows}"] = ("cost", {"d": 40, "n_rows": _rows})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--report", action="store_true", help="only write the page again")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell is not None:
        from benchmarks.scale import cells

        kind, settings = CELLS[arguments.cell]
        print(json.dumps(getattr(cells, kind)(**settings)))
        return
    names = [] if arguments.report else [name for name in CELLS if arguments.only in name]
    write_report(measure_cells("benchmarks.scale.run", names, RESULTS, fresh=arguments.fresh))


if __name__ == "__main__":
    main()
