"""`python -m fuzz --cases 10000`: the long run; it ends with 1 if any case is a fault."""

import argparse
import sys

from fuzz.campaign import run, table


def main():
    """Run, print the table and the faults."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

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
