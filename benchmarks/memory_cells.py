"""Peak memory of one posterior and its queries, each above an interpreter that has compiled everything.

python -m benchmarks.memory_cells '{"method": "trust", "variables": 40, "gib": 2}'

A process measures one cell: it learns and asks a small problem in the same way, so that all functions are loaded; then
it forgets the peak, learns under `memory_limit`, and asks each question in turn. What earlier answers left in memory
counts. The data are few rows of a dense graph: variables claim all candidates that they may have, which they do not in
noise, and orders differ so much that circuits share few blocks. The peak is what Linux tells (`VmHWM`), in MiB above
the start. Searches are short, but not by a time limit, which would make the plan smaller: memory is measured, not time.
A question that takes too long is interrupted, and its peak counts up to there.
"""

from __future__ import annotations

import ctypes
import gc
import json
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import orderspn as osp

GIB, KIB = 2**30, 2**10
ROWS, PARENTS = 30, 6
SMALL = {"trust": 21, "missing values, trust": 21, "trust with the oracle dibs": 7}
"""Variables of the small problem, where 6 are not enough for the same functions."""

LONGEST, LONGEST_LEARNING = 40, 600
"""Seconds after which a question is interrupted, and learning."""

EFFORTS = {40: 0.2, 100: 0.1, 300: 0.02, 1000: 0.005}
"""Effort of searches up to so many variables: enough that most orders differ."""

SHORTER = {"gadget": (100, 0.05), "dibs": (40, 0.05), "trust with the oracle dibs": (40, 0.2)}
"""Methods that take longer: beyond so many variables, so much of that effort. Steps are fewer, not smaller."""

Cell = dict[str, Any]

METHODS = ("exact", "exact over DAGs", "trust", "trust with the oracle dibs", "gadget", "dibs")
"""The methods of cells; before any but the second may be "missing values, "."""

QUESTIONS: dict[str, Callable[[osp.Posterior], Any]] = {
    "edges": lambda posterior: posterior.edge_probabilities(),
    "given": lambda posterior: posterior.given(likely_edge(posterior)).edge_probabilities(),
    "best": lambda posterior: posterior.best_graph(effort=0.01),
    "samples": lambda posterior: posterior.sample(1000, rng=0),
    "effects": lambda posterior: posterior.causal_effects(),
    "estimated": lambda posterior: posterior.estimate_effects(200),
    "ancestors": lambda posterior: posterior.ancestor_probabilities(),
    "coverage": lambda posterior: posterior.coverage(),
    "judge": lambda posterior: posterior.judge(np.eye(len(posterior.variables), k=1, dtype=int)),
}


def likely_edge(posterior: osp.Posterior) -> str:
    """Return the edge whose probability is nearest to one half, as evidence that has a probability."""
    edges, names = posterior.edge_probabilities().to_numpy(), posterior.variables
    cause, effect = np.unravel_index(np.abs(edges - 0.5).argmin(), edges.shape)
    return f"{names[cause]} {'->' if edges[cause, effect] > 0.0 else '!->'} {names[effect]}"


def in_process(cell: Cell) -> dict[str, Any]:
    """Measure a cell in a new process."""
    command = [sys.executable, "-m", "benchmarks.memory_cells", json.dumps(cell)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent.parent)
    if done.returncode:
        return {"failed": f"exit {done.returncode}", "errors": done.stderr[-2000:]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(cell: Cell) -> dict[str, Any]:
    """Return MiB at the peak of learning and of each question; text where there is no answer.

    A cell may name the questions that are asked (without names, all are), and the seconds that each may take.
    """
    warnings.simplefilter("ignore")
    asked = {name: QUESTIONS[name] for name in cell.get("questions", QUESTIONS)}
    limit = round(cell["gib"] * GIB)
    small = learned(cell | {"variables": SMALL.get(cell["method"], 6)}, limit)
    for question in asked.values():
        answer(question, small)
    loaded([small], limit)
    del small
    give_back()  # else what the small problem used would hide as much of the peak
    start = kibibytes("VmRSS")
    found: dict[str, Any] = {}
    forget_the_peak()
    clock = time.perf_counter()
    posterior = answer(lambda _: learned(cell, limit), None, LONGEST_LEARNING)
    peak = (kibibytes("VmHWM") - start) // KIB
    if isinstance(posterior, str):
        seconds = round(time.perf_counter() - clock)
        return {"learn": f"{peak}+" if posterior == "long" else posterior, "seconds": seconds}
    found["learn"] = peak
    for name, question in asked.items():
        forget_the_peak()
        answered = answer(question, posterior, cell.get("longest", LONGEST))
        peak = (kibibytes("VmHWM") - start) // KIB
        reason = answered if isinstance(answered, str) else ""
        found[name] = f"{peak}+" if reason == "long" else reason or peak
    found |= sizes_of(posterior)
    settings = posterior.settings
    for name in ("n_orders", "n_graphs", "candidates", "outsiders"):
        if name in settings:
            found[f"settings.{name}"] = settings[name]
    kept = [posterior]
    del posterior
    longest = cell.get("longest", LONGEST)
    read = answer(lambda kept: loaded(kept, limit, start), kept, max(longest, LONGEST))
    found["file"] = f"{(kibibytes('VmHWM') - start) // KIB}+" if read == "long" else read
    found["longest"] = longest
    found["seconds"] = round(time.perf_counter() - clock)
    return found


def sizes_of(posterior: osp.Posterior) -> dict[str, Any]:
    """Return how much of what was planned there is: parent sets of all families, and blocks of a circuit."""
    families = getattr(posterior.model, "families", None)
    if families is None:
        return {}
    sets = sum(family.log_score.size for family in families)
    return {"parent sets": sets, "blocks": answer(lambda posterior: posterior.size.blocks, posterior)}


def loaded(kept: list[osp.Posterior], limit: int, start: int = 0) -> int:
    """Write the posterior to a file, let go of it, and return MiB above the start at the peak of reading the file."""
    import orderspn as osp

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "posterior.osp"
        kept.pop().save(path)
        give_back()
        forget_the_peak()
        osp.load(path, memory_limit=limit).edge_probabilities()
    return (kibibytes("VmHWM") - start) // KIB


def learned(cell: Cell, limit: int) -> osp.Posterior:
    """Learn the posterior of a cell, with as little work as possible."""
    import orderspn as osp

    name = cell["method"].removeprefix("missing values, ")
    d = cell["variables"]
    method = method_of(name, effort_of(name, d))
    data = dense_data(d)
    options: dict[str, Any] = {"candidates": cell.get("candidates", "auto")}
    if cell["method"] != name:
        data[np.random.default_rng(0).random(data.shape) < 0.02] = np.nan
        options["imputations"] = 4
    return osp.learn(data, method=method, memory_limit=limit, **options)


def effort_of(name: str, d: int) -> float:
    """Return the effort of a method with d variables."""
    effort = next(effort for most, effort in EFFORTS.items() if d <= most)
    usual_up_to, share = SHORTER.get(name, (d, 1.0))
    return effort if d <= usual_up_to else share * effort


def dense_data(d: int) -> np.ndarray:
    """Return rows of a linear graph in which each variable has up to `PARENTS` parents."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(ROWS, d))
    for v in range(1, d):
        causes = rng.choice(v, size=min(v, PARENTS), replace=False)
        data[:, v] += data[:, causes] @ rng.normal(scale=0.7, size=causes.size)
        data[:, v] /= data[:, v].std()
    return data


def method_of(name: str, effort: float) -> Any:
    """Return a method with a short search."""
    from orderspn import methods
    from orderspn.oracles.dibs import Dibs

    made: dict[str, Callable[[], Any]] = {
        "exact": lambda: methods.Exact(),
        "exact over DAGs": lambda: methods.Exact(target="dag"),
        "trust": lambda: methods.Trust(effort=effort),
        "trust with the oracle dibs": lambda: methods.Trust(oracle=Dibs(steps=round(100 * effort))),
        "gadget": lambda: methods.Gadget(effort=effort),
        "dibs": lambda: methods.DiBS(effort=effort),
    }
    return made[name]()


class _TooLong(BaseException):
    """Not an Exception, which `load` takes for a damaged file."""


@contextmanager
def interrupted(seconds: int) -> Iterator[None]:
    """Interrupt what takes longer, between two calls of compiled functions."""

    def stop(*_: Any) -> None:
        raise _TooLong

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def answer(question: Callable[[Any], Any], posterior: Any, seconds: int = LONGEST) -> Any:
    """Return the answer, or why there is none: "long", "none" (the model cannot answer) or "refused" (memory)."""
    from orderspn.core.errors import Unavailable

    try:
        with interrupted(seconds):
            return question(posterior)
    except _TooLong:
        return "long"
    except SystemError as problem:  # of numba, if the interrupt came while it made arrays of a result
        if not isinstance(problem.__cause__, _TooLong):
            raise
        return "long"
    except Unavailable:
        return "none"
    except ValueError as refusal:
        if "the limit" in str(refusal):
            return "refused"
        raise


def kibibytes(field: str) -> int:
    """Memory of this process, as Linux tells it: now (VmRSS), or at the peak (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def give_back() -> None:
    """Give memory that is no longer used back to the system."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(ctypes.c_size_t(0))


def forget_the_peak() -> None:
    """Have the peak begin at what is used now."""
    Path("/proc/self/clear_refs").write_text("5")


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
