"""Candidate parents `C_i`: all others, chosen by forward selection, or given by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.masks import MOST_CANDIDATES
from orderspn.core.names import check_name_sequence, quoted, variable_index
from orderspn.core.workers import Workers
from orderspn.scores.local import LocalScore

Candidates = int | str | Mapping[str, Sequence[str]]

ALL_UP_TO = 20
"""Largest number of variables for which every other variable is a candidate by default."""

DEFAULT_SIZE = 16
"""Default number of candidates per variable beyond that: the paper's choice."""


def requested_size(candidates: Candidates, d: int) -> int | None:
    """Check the argument and return the number of candidates per variable; None if they are named or "auto"."""
    if isinstance(candidates, Mapping):
        for child, causes in candidates.items():
            check_name_sequence(f"candidates[{child!r}]", causes)
        return None
    if isinstance(candidates, str):
        if candidates != "auto":
            raise InvalidValue(
                'candidates must be "auto", a number, or a mapping of each variable to its candidate causes; '
                f"got {candidates!r}."
            )
        return None
    if isinstance(candidates, Sequence):
        raise InvalidType("candidates must be a mapping {variable: [causes]}, a number or 'auto'; got a sequence.")
    size = min(check_integer("candidates", candidates, 0), d - 1)
    if size > MOST_CANDIDATES:
        raise InvalidValue(
            f"candidates may be at most {MOST_CANDIDATES} per variable (tables of 2**K parent sets); got {size}. "
            f"Pass candidates={DEFAULT_SIZE}."
        )
    return size


def choose_candidates(
    candidates: int | Mapping[str, Sequence[str]], names: Sequence[str], local: LocalScore, workers: Workers
) -> list[np.ndarray]:
    """Return the candidates of every variable, each an ascending array of indices."""
    d = len(names)
    if isinstance(candidates, Mapping):
        named = _named(candidates, names, local.context)
        return [_allowed(causes, child, names, local) for child, causes in enumerate(named)]
    if candidates == d - 1:
        return [np.flatnonzero(local.rules.allowed[:, child]) for child in range(d)]
    chosen: list[np.ndarray] = [np.empty(0, dtype=np.int64)] * d
    explained = np.setdiff1d(np.arange(d), local.context)

    def fill(child: int) -> None:
        first = local.rules.required_of(child)
        if local.context.size:
            first = np.concatenate([first, _best_explained(local, child, candidates // 2 - first.size)])
        found = forward_selection(local, child, candidates - first.size, start=first)
        chosen[child] = np.sort(np.concatenate([first, found]))

    workers.run([partial(fill, child) for child in explained.tolist()], workers.steps("candidates", explained.size))
    return chosen


def _best_explained(local: LocalScore, child: int, size: int) -> np.ndarray:
    """Return explained variables that are chosen before any context ones: at most half of the candidates.

    Where context variables are many, some of them seem to explain a variable by coincidence, and would take the places
    of the few explained ones that do.
    """
    allowed = np.ones(local.log_prior.size, dtype=bool)
    allowed[local.context] = False
    return forward_selection(local, child, max(size, 0), allowed)


def keeps_all_explained(d: int, n_context: int, size: int) -> bool:
    """Whether all explained variables are candidates beside context ones: if they are at most half of them."""
    return n_context > 0 and d - n_context - 1 <= size // 2


def check_required(counts: Sequence[int], names: Sequence[str]) -> None:
    """Raise an error if a variable has more required causes than it may have candidates."""
    for name, count in zip(names, counts, strict=True):
        if count > MOST_CANDIDATES:
            raise InvalidValue(
                f"{name!r} has {count} required causes; at most {MOST_CANDIDATES} are possible. Require fewer."
            )


def forward_selection(
    score: LocalScore, child: int, size: int, allowed: np.ndarray | None = None, start: np.ndarray | None = None
) -> np.ndarray:
    """Add causes to `start`, by default the required ones, one at a time: each time the one with the best score.

    `allowed` (d,), bool, limits the choice. Fewer than `size` are returned if no more are possible.
    """
    first = score.rules.required_of(child) if start is None else start
    chosen = first
    for _ in range(size):
        # All sets compared in one step have the same size, hence the same prior.
        log_score = score.with_one_more(child, chosen)
        if allowed is not None:
            log_score = np.where(allowed, log_score, -np.inf)
        best = int(np.argmax(log_score))
        if log_score[best] == -np.inf:
            break
        chosen = np.append(chosen, best)
    return chosen[first.size :]


def _allowed(causes: np.ndarray, child: int, names: Sequence[str], local: LocalScore) -> np.ndarray:
    """Return the named candidates that may be causes; required causes that were not named are an error."""
    missing = np.setdiff1d(local.rules.required_of(child), causes)
    if missing.size:
        raise InvalidValue(
            f"candidates[{names[child]!r}] must contain {names[missing[0]]!r}, which knowledge= requires as a cause. "
            "Add it, or remove the edge from knowledge=."
        )
    return causes[local.rules.allowed[causes, child]]


def _named(candidates: Mapping[str, Sequence[str]], names: Sequence[str], context: np.ndarray) -> list[np.ndarray]:
    chosen: list[np.ndarray | None] = [None] * len(names)
    for variable in context.tolist():
        chosen[variable] = np.empty(0, dtype=np.int64)
    for child, causes in candidates.items():
        index = variable_index(child, names)
        check_name_sequence(f"candidates[{child!r}]", causes)
        members = sorted({variable_index(cause, names) for cause in causes})
        if index in members:
            raise InvalidValue(f"candidates[{child!r}] must not contain {child!r} itself.")
        if len(members) > MOST_CANDIDATES:
            raise InvalidValue(f"candidates[{child!r}] may have at most {MOST_CANDIDATES} members; got {len(members)}.")
        if members and index in context:
            raise InvalidValue(
                f"candidates[{child!r}] must be empty or left out, because {child!r} is context and has no causes; got "
                f"{quoted([names[v] for v in members])}."
            )
        chosen[index] = np.array(members, dtype=np.int64)
    missing = [names[i] for i, causes in enumerate(chosen) if causes is None]
    if missing:
        raise InvalidValue(
            f"candidates must name the candidate causes of every variable; {quoted(missing)} missing. "
            "An empty list means that a variable has no causes."
        )
    return [causes for causes in chosen if causes is not None]
