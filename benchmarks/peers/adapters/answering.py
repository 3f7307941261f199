"""What every adapter speaks: one JSON line for a task on standard input, one for its end on standard output.

A task names a table (`.npz` with `values`, (rows, d), and `levels`, (d,): 0 for a number, k for a category with codes
0 to k - 1), the file for the answer, a seed, and the settings of the method. The answer is an `.npz` with some of

- `cpdag` (d, d), [cause, effect], undirected edges both ways, `dag` where the method claims
  all directions, or `dag_of_class`, any member of the class that it claims;
- `edges` (d, d), probabilities of edges; `resamples`, how many resamples or draws their frequencies are over (0: none);
- `sampled` (m, d, d), graphs that the method finds possible, as CPDAGs or DAGs, and `rows` (m, n), of which rows each
  was made, if they are of resamples;
- `effect_low` and `effect_high` (d, d), 90% intervals of total effects;

and always `cpu_seconds` and `peak_mib`. A method with the setting `compiles_each_shape` is not warmed by a small table,
which would not help it. This file needs NumPy alone: it runs in the environment of each method.
"""

import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path

import numpy as np


def serve(method):
    """Answer tasks by `method(values, levels, seed, settings)`, which returns a dictionary of arrays.

    A function under the key "afterwards" is called when the clock is stopped, and returns more of the answer.
    """
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what packages print must not come between the lines of the protocol
    is_warm = False
    for line in sys.stdin:
        task = json.loads(line)
        try:
            if not is_warm and not task["settings"].get("compiles_each_shape"):
                method(*small_table(task["columns"]), 0, task["settings"])
                is_warm = True
            answer(method, task)
            reply = {"done": True}
        except Exception as error:
            traceback.print_exc()
            reply = {"error": f"{type(error).__name__}: {error}"[:300]}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def answer(method, task):
    with np.load(task["table"]) as table:
        values, levels = table["values"], table["levels"]
    forget_peak()
    started = cpu_seconds()
    found = method(values, levels, task["seed"], task["settings"])
    found["cpu_seconds"] = cpu_seconds() - started
    found["peak_mib"] = peak_mib()
    found |= found.pop("afterwards", dict)()
    np.savez(task["answer"], **{key: np.asarray(value) for key, value in found.items()})


def small_table(columns):
    """A chain of few variables, to load and compile what the first call of a method loads and compiles."""
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.normal(size=(100, columns)), axis=1)
    return (values - values.mean(0)) / values.std(0), np.zeros(columns, dtype=np.int64)


def bootstrap(find, values, seed, resamples):
    """Frequencies of edges in the CPDAGs that `find` makes of resampled rows; undirected ones count half each way."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(len(values), size=(resamples, len(values)))
    found = np.stack([find(values[own]) for own in rows])
    both = found & found.transpose(0, 2, 1)
    return {"edges": (found - 0.5 * both).mean(axis=0), "sampled": found, "rows": rows, "resamples": resamples}


def cpu_seconds():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def forget_peak():
    """Let the peak of memory begin here, where the system can (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        time.sleep(0)


def peak_mib():
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
