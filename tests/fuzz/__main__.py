"""The fuzzer as a program, in a process without threads, whose children can be made by forking.

`python -m fuzz --cases 10000` is the long run; it ends with 1 if any case is a fault. `python -m fuzz --judge FILE ...`
says of each file what comes of reading it as a forged exact posterior.
"""

import argparse
import sys
from pathlib import Path

from fuzz.campaign import run, table
from fuzz.judging import verdict


def main():
    """Run, print the table and the faults."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judge", nargs="+", type=Path)
    arguments = parser.parse_args()
    if arguments.judge:
        for path in arguments.judge:
            print(verdict(path, "exact", None, forged=True))
        return

    def progress(done, faults):
        if done % 500 == 0:
            print(f"{done} of {arguments.cases}, {len(faults)} faults", file=sys.stderr)

    counts, faults = run(arguments.cases, arguments.seed, progress=progress)
    print(table(counts))
    for fault in faults:
        print(*fault, sep=" | ")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
