"""Run the field's methods on the field's data, and write docs/peers.md.

python -m benchmarks.peers.run                                            # all; finished cells are kept in results.json
python -m benchmarks.peers.run --method flop --data boss-er10 --repeat 0  # a single row, again, printed and not kept
python -m benchmarks.peers.run --report                                   # only write the page again

`make peers` installs the methods. Names of methods are in methods.py, of data in tables.py.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import nullcontext
from pathlib import Path

from joblib import parallel_config

from benchmarks.peers.cells import measure_rows
from benchmarks.peers.methods import METHODS
from benchmarks.peers.tables import FAMILIES

RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", nargs="+", choices=METHODS, default=list(METHODS), metavar="METHOD")
    parser.add_argument("--data", nargs="+", choices=FAMILIES, default=list(FAMILIES), metavar="DATA")
    parser.add_argument("--repeat", type=int, nargs="+", help="measure these repeats again, print them, keep nothing")
    parser.add_argument("--fresh", action="store_true", help="measure cells that are kept again")
    parser.add_argument("--report", action="store_true", help="only write the page again")
    parser.add_argument("--no-page", action="store_true", help="measure and keep, without writing the page")
    parser.add_argument("--backend", help="spread rows over a backend of joblib, such as loky or dask")
    parser.add_argument("--jobs", type=int, default=-1, help="workers of the backend")
    arguments = parser.parse_args()
    methods = [METHODS[name] for name in arguments.method]
    families = [FAMILIES[name] for name in arguments.data]
    if arguments.repeat is not None:
        for family in families:
            if not all(0 <= repeat < family.repeats for repeat in arguments.repeat):
                parser.error(f"--repeat must be below {family.repeats} for {family.name}; got {arguments.repeat}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "results.json")
            print(json.dumps(measure_rows(methods, families, path, repeats=arguments.repeat), indent=1))
        return
    if not arguments.report:
        chosen = parallel_config(arguments.backend, n_jobs=arguments.jobs) if arguments.backend else nullcontext()
        with chosen:
            measure_rows(methods, families, RESULTS, fresh=arguments.fresh)
    if not arguments.no_page:
        from benchmarks.peers.page import write_page

        write_page(json.loads(RESULTS.read_text()))


if __name__ == "__main__":
    main()
