"""DiBS next to dibs-lib, and TRUST-D next to both. Writes docs/dibs.md.

python -m benchmarks.dibs.run                # hours of dibs-lib; cells that are done are kept in results.json
python -m benchmarks.dibs.run --only trust   # cells whose names contain this
python -m benchmarks.dibs.run --fresh        # measure everything again
python -m benchmarks.dibs.run --python PATH  # where dibs-lib is installed, if not here (the extra [benchmarks])

Particles of dibs-lib are kept in the folder --particles and not computed again, unless --fresh.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.dibs.compare import compare
from benchmarks.dibs.mass import mass_held
from benchmarks.dibs.tables import write_page
from benchmarks.dibs.trust_d import trust_d
from benchmarks.kept_cells import measure_cells

RESULTS = Path(__file__).parent / "results.json"
PARTICLES = Path(tempfile.gettempdir()) / "orderspn-dibs"

CELLS: dict[str, dict[str, Any]] = {
    **{f"compare d=16 data={k}": {"d": 16, "data": k} for k in range(2)},
    "compare d=32 data=0": {"d": 32, "data": 0, "cpu_limit": 480.0},
    **{f"mass data={k}": {"data": k} for k in range(5)},
    **{f"trust-d data={k}": {"d": 16, "data": k} for k in range(5)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--report", action="store_true", help="only write the page again")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--particles", type=Path, default=PARTICLES)
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.cell is not None:
        print(json.dumps(measure(given.cell, given.python, given.particles)))
        return
    where = ["--python", given.python, "--particles", str(given.particles)]
    names = [] if given.report else [name for name in CELLS if given.only in name]
    forget = partial(_forget_particles, folder=given.particles) if given.fresh else None
    results = measure_cells("benchmarks.dibs.run", names, RESULTS, fresh=given.fresh, arguments=where, before=forget)
    write_page({name: results[name] for name in CELLS if name in results})


def measure(name: str, python: str, particles: Path) -> dict[str, Any]:
    """The numbers of one cell."""
    warnings.simplefilter("ignore")  # of cycles, which are counted
    settings = CELLS[name]
    if name.startswith("compare"):
        return compare(**settings, python=python, folder=particles)
    return mass_held(**settings) if name.startswith("mass") else trust_d(**settings)


def _forget_particles(name: str, folder: Path) -> None:
    if name.startswith("compare"):
        (folder / f"theirs-{CELLS[name]['d']}-{CELLS[name]['data']}.npz").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
