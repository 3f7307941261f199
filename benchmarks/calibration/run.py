"""Measure how right probabilities are on tables of known origin, and write docs/calibration.md.

python -m benchmarks.calibration.run                # about 15 minutes; finished cells are kept in results.json
python -m benchmarks.calibration.run --only linear  # cells whose names contain this
python -m benchmarks.calibration.run --fresh        # measure cells that are kept again
python -m benchmarks.calibration.run --report       # only write the page again

Several runs at once share the work if each has its own --only. Settings are in arms.py, kinds of data in tables.py.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.calibration.arms import GROUPS
from benchmarks.calibration.cells import measure_cell
from benchmarks.calibration.page import write_page
from benchmarks.calibration.tables import FAMILIES
from benchmarks.kept_cells import keep, read_results

RESULTS = Path(__file__).parent / "results.json"
CELLS = {f"{family} | {group}": (family, group) for group in GROUPS for family in FAMILIES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--report", action="store_true", help="only write the page again")
    parser.add_argument("--no-page", action="store_true", help="measure and keep, without writing the page")
    arguments = parser.parse_args()
    for name, cell in CELLS.items():
        if not arguments.report and arguments.only in name and (arguments.fresh or name not in read_results(RESULTS)):
            keep(RESULTS, name, measure_cell(*cell))
            print(name, file=sys.stderr, flush=True)
    if not arguments.no_page:
        write_page(read_results(RESULTS))


if __name__ == "__main__":
    main()
