"""Whether limits hold: seconds that `learn` takes under `time_limit`, and bytes under `memory_limit`.

python -m benchmarks.limits             # both tables
python -m benchmarks.limits time        # one of them
python -m benchmarks.limits memory

Each case has a process of its own. A first one, whose result does not count, fills the cache of compiled functions;
loading them is part of the time. Memory is that of `learn` and of edge probabilities, the same under evidence, most
probable graphs and samples, above that after a small problem of the same kind (on Linux).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from benchmarks.data import linear_gaussian

MIB = 2**20
ROWS = 500

SHORTEST = 0.01
"""A limit in seconds that nothing can keep: what is done whatever the limit."""

TIMES = [
    {"method": method, "d": d, "time_limit": limit}
    for method in ("trust", "gadget")
    for d in (20, 40, 100, 200)
    for limit in (SHORTEST, 5.0, 20.0)
]

MEMORY: list[dict[str, Any]] = [
    {"method": "exact", "d": 16, "limit": 4096},
    {"method": "exact", "d": 19, "limit": 4096},
    {"method": "exact", "d": 19, "limit": 256},
    {"method": "exact", "d": 20, "limit": 4096},
    {"method": "exact", "d": 20, "limit": 512},
    {"method": "exact", "d": 20, "limit": 64},
    {"method": "exact", "d": 22, "limit": 4096},
    {"method": "exact", "d": 25, "limit": 4096},
    {"method": "exact", "d": 28, "limit": 16384},  # about three minutes
    {"method": "exact", "d": 19, "limit": 4096, "candidates": 10, "outsiders": 1},
    {"method": "exact", "d": 12, "limit": 4096, "target": "dag"},
    {"method": "exact", "d": 14, "limit": 4096, "target": "dag"},
    {"method": "exact", "d": 14, "limit": 128, "target": "dag"},
    {"method": "trust", "d": 30, "limit": 4096, "effort": 0.05},
    {"method": "trust", "d": 30, "limit": 256, "effort": 0.05},
    {"method": "trust", "d": 40, "limit": 4096, "effort": 0.05},
    {"method": "trust", "d": 40, "limit": 512, "effort": 0.05},
    {"method": "trust", "d": 100, "limit": 4096, "effort": 0.02},
    {"method": "trust", "d": 100, "limit": 1024, "effort": 0.02},
    {"method": "gadget", "d": 40, "limit": 4096, "effort": 0.05},
    {"method": "gadget", "d": 40, "limit": 256, "effort": 0.05},
    {"method": "gadget", "d": 100, "limit": 4096, "effort": 0.02},
    {"method": "dibs", "d": 16, "limit": 4096, "effort": 0.05},
    {"method": "dibs", "d": 16, "limit": 64, "effort": 0.05},
    {"method": "dibs", "d": 40, "limit": 4096, "effort": 0.05},
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["time", "memory"])
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case is not None:
        case = json.loads(arguments.case)
        print(json.dumps((time_of if "time_limit" in case else memory_of)(case)))
        return
    if arguments.what != "memory":
        for method in ("trust", "gadget"):
            in_process({"method": method, "d": 30, "time_limit": SHORTEST})
        print("| method | variables | limit, s | seconds | processor seconds | within | less of |")
        print("| --- | ---: | ---: | ---: | ---: | --- | --- |")
        for case in TIMES:
            print(row_of_time(case, in_process(case)), flush=True)
        print()
    if arguments.what != "time":
        for method in ("exact", "trust", "gadget", "dibs"):
            in_process({"method": method, "d": 6, "limit": 4096})
        print("| method | variables | limit, MiB | estimate, MiB | peak above a small problem, MiB | within |")
        print("| --- | ---: | ---: | ---: | ---: | --- |")
        for case in MEMORY:
            print(row_of_memory(case, in_process(case)), flush=True)


def in_process(case: dict[str, Any]) -> dict[str, Any]:
    """Measure one case in a new process."""
    command = [sys.executable, "-m", "benchmarks.limits", "--case", json.dumps(case)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, Any] = json.loads(output)
    return found


def time_of(case: dict[str, Any]) -> dict[str, Any]:
    """Seconds of `learn` under a time limit, from the call on."""
    import orderspn as osp

    warnings.simplefilter("ignore")
    data = linear_gaussian(case["d"], ROWS)
    clock, processor = time.perf_counter(), time.process_time()
    posterior = osp.learn(data, method=case["method"], time_limit=case["time_limit"])
    return {
        "seconds": time.perf_counter() - clock,
        "processor": time.process_time() - processor,
        "shortened": posterior.settings["shortened"],
    }


def row_of_time(case: dict[str, Any], found: dict[str, Any]) -> str:
    limit, seconds = case["time_limit"], found["seconds"]
    held = "the least" if limit == SHORTEST else "yes" if seconds <= max(1.2 * limit, limit + 3.0) else "NO"
    less = ", ".join(f"{name} {done}/{usual}" for name, (done, usual) in found["shortened"].items())
    return (
        f"| {case['method']} | {case['d']} | {limit:g} | {seconds:.1f} | {found['processor']:.1f} | {held} | {less} |"
    )


def memory_of(case: dict[str, Any]) -> dict[str, Any]:
    """The estimate, and bytes at the peak of learning and asking, less those of a small problem; or the refusal."""
    import orderspn as osp
    from orderspn.core.errors import InvalidValue
    from orderspn.methods import memory

    warnings.simplefilter("ignore")
    settings = {name: case[name] for name in ("target", "outsiders", "effort") if name in case}
    method = osp.methods.METHODS[case["method"]](**settings)
    large = case["method"] in ("trust", "gadget")
    small = method.with_settings(effort=0.01) if large else method
    ask(osp.learn(linear_gaussian(22 if large else 6, ROWS), method=small, candidates=3 if large else 2))
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak
    before = kibibytes("VmRSS")
    estimates: list[int] = []
    about = {"method": method, "candidates": case.get("candidates", "auto")}
    check = memory.Demand.check

    def noted(demand: memory.Demand, limit: int) -> None:
        estimates.append(demand.needed)
        check(demand, limit)

    setattr(memory.Demand, "check", noted)  # noqa: B010
    try:
        ask(osp.learn(linear_gaussian(case["d"], ROWS), memory_limit=case["limit"] * MIB, **about))
    except InvalidValue as refusal:
        return {"estimate": estimates[-1], "refused": str(refusal)}
    return {
        "estimate": estimates[-1],
        "peak": 1024 * (kibibytes("VmHWM") - before),
    }


def kibibytes(field: str) -> int:
    """Memory of this process, as Linux tells it: now (VmRSS), or at the peak (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def ask(posterior: Any) -> None:
    """Ask the usual questions, with and without evidence."""
    first, second = posterior.variables[:2]
    posterior.edge_probabilities()
    likely = posterior.edge_probabilities().loc[first, second] > 0.5
    given = posterior.given(f"{first} {'->' if likely else '!->'} {second}")
    given.edge_probabilities()
    posterior.most_probable_graph()
    given.most_probable_graph()
    posterior.sample(1000, rng=0)
    given.sample(1000, rng=0)


def row_of_memory(case: dict[str, Any], found: dict[str, Any]) -> str:
    name = f"{case['method']}{', DAGs' if case.get('target') else ''}{', outsiders' if case.get('outsiders') else ''}"
    start = f"| {name} | {case['d']} | {case['limit']} | {found['estimate'] / MIB:.0f} |"
    if "refused" in found:
        return f"{start} | refused |"
    return f"{start} {found['peak'] / MIB:.0f} | {'yes' if found['peak'] <= case['limit'] * MIB else 'NO'} |"


if __name__ == "__main__":
    main()
