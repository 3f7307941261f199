"""The effect of reading a file, observed in a child process with limits of memory and time."""

import math
import os
import resource
import signal
import warnings

import numpy as np

import orderspn as osp
from fuzz.seeds import CELL, CELL_KIND
from orderspn.core.errors import Unavailable
from orderspn.experiments.store import CellStore

MEMORY_LIMIT = 64 * 2**20
"""What a file may demand."""

ROOM = 1536 * 2**20
"""Address space that a child may take besides what it was born with: kernels and their compilation need some."""

SECONDS = 20

SAME, REFUSED, SOUND = "same", "refused", "sound"


def answers_of(path, kind):
    """Everything that a file has to say, as values that can be compared; None if it was refused."""
    return _outcome(path) if kind == CELL_KIND else _posterior(path)


def _posterior(path):
    try:
        posterior = osp.load(path, n_jobs=1, memory_limit=MEMORY_LIMIT)
    except osp.UnreadableFile as refusal:
        if str(path) in str(refusal):
            return None
        raise RuntimeError(f"the refusal does not name the file: {refusal}") from refusal
    questions = {
        "log_evidence": lambda: posterior.log_evidence,
        "edges": lambda: posterior.edge_probabilities().to_numpy(),
        "effects": lambda: posterior.estimate_effects(20, rng=1).mean.to_numpy(),
        "sample": lambda: posterior.sample(20, rng=1).adjacency,
        "best": lambda: posterior.most_probable_graph().edges,
        "candidates": lambda: posterior.candidates,
        "summary": posterior.summary,
        "evidence": lambda: posterior.evidence,
    }
    return {name: _answer(question) for name, question in questions.items()}


def _answer(question):
    """What is not known of a kind of posterior is an answer as well."""
    try:
        return question()
    except Unavailable as unknown:
        return str(unknown)


def _outcome(path):
    """The outcome of a cell; damage is told by a warning and computed again."""
    path.replace(path.parent / f"{CELL.key}.json")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = CellStore(path.parent).find(CELL)
        except osp.UnreadableFile:
            return None
    if found is None:
        assert not caught or "is computed again" in str(caught[0].message)
        return None
    return {"values": found.values, "edges": found.edges, "warnings": found.warnings, "timings": found.timings}


def is_sound(answers, kind):
    """Whether answers of a forged file are those of some posterior: finite, and probabilities."""
    if kind == CELL_KIND:
        return all(math.isfinite(value.value) for value in answers["values"])
    edges, evidence = answers["edges"], answers["log_evidence"]
    probabilities = np.isfinite(edges).all() and (edges >= 0.0).all() and (edges + edges.T <= 1.0 + 1e-6).all()
    return bool(probabilities) and (isinstance(evidence, str) or math.isfinite(evidence))


def equal(one, other):
    """Whether answers are the same to the last bit; the summary may differ in the lines about learning."""
    return one.keys() == other.keys() and all(
        np.array_equal(value, other[name], equal_nan=True) if isinstance(value, np.ndarray) else value == other[name]
        for name, value in one.items()
        if name != "summary"
    )


def verdict(path, kind, expected, forged):
    """`same`, `refused`, for forgeries also `sound`; or what else happened, which is a fault."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        _in_child(path, kind, expected, forged, write_end)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        told = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return told or f"ended with {os.WEXITSTATUS(status)}"


def _in_child(path, kind, expected, forged, pipe):
    """Never returns."""
    told = "nothing was told"
    try:
        signal.alarm(SECONDS)
        with open("/proc/self/statm") as sizes:
            now = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, now + ROOM))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = _judged(answers_of(path, kind), kind, expected, forged)
    except BaseException as problem:
        told = f"{type(problem).__name__}: {problem}"[:300]
    finally:
        os.write(pipe, told.encode(errors="replace"))
        os._exit(0)


def _judged(answers, kind, expected, forged):
    if answers is None:
        return REFUSED
    if expected is not None and equal(answers, expected):
        return SAME
    return SOUND if forged and is_sound(answers, kind) else "other answers"
