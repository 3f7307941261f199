"""Measure how right probabilities are on tables of known origin, and write docs/calibration.md.

python -m benchmarks.calibration.run                # about 15 minutes; finished cells are kept in results.json
python -m benchmarks.calibration.run --only linear  # cells whose names contain this
python -m benchmarks.calibration.run --fresh        # measure cells that are kept again
python -m benchmarks.calibration.run --report       # only write the page again

Settings are in arms.py, kinds of data in tables.py.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.calibration.arms import GROUPS
from benchmarks.calibration.tables import FAMILIES
from benchmarks.kept_cells import measure_cells

RESULTS = Path(__file__).parent / "results.json"
CELLS = {f"{family} | {group}": (family, group) for group in GROUPS for family in FAMILIES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--report", action="store_true", help="only write the page again")
    parser.add_argument("--processes", type=int, default=2, help="tables that are learned at once")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell is not None:
        from benchmarks.calibration.cells import measure_cell

        print(json.dumps(measure_cell(*CELLS[arguments.cell], arguments.processes)))
        return
    names = [] if arguments.report else [name for name in CELLS if arguments.only in name]
    module, processes = "benchmarks.calibration.run", ("--processes", str(arguments.processes))
    results = measure_cells(module, names, RESULTS, fresh=arguments.fresh, arguments=processes)
    from benchmarks.calibration.page import write_page

    write_page(results)


if __name__ == "__main__":
    main()
