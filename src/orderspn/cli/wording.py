"""Messages of the library in the words of the command line: `memory_limit=` is `--memory-limit` here."""

from __future__ import annotations

import re

_OPTIONS = {
    "alpha_mu": "--alpha-mu",
    "alpha_w": "--alpha-w",
    "block_size": "--block-size",
    "candidates": "--candidates",
    "chains": "--chains",
    "effort": "--effort",
    "equivalent_sample_size": "--equivalent-sample-size",
    "expansion": "--expansion",
    "interventions": "--interventions",
    "knowledge": "--knowledge",
    "max_parents": "--max-parents",
    "memory_limit": "--memory-limit",
    "method": "--method",
    "min_probability": "--min-probability",
    "n_graphs": "--graphs",
    "n_jobs": "--jobs",
    "n_orders": "--orders",
    "oracle": "--oracle",
    "outsiders": "--outsiders",
    "refine": "--refine",
    "score": "--score",
    "standardize": "--standardize",
    "target": "--target",
    "targets": "--targets",
    "time_limit": "--time-limit",
    "variables": "--columns",
    "weights": "--weights",
}
_NAME = rf"(?<![\w'\"-])({'|'.join(_OPTIONS)})"
_WITH_VALUE = re.compile(rf"{_NAME}=(?:'(\w+)'|(\d+)\b)")
_WITHOUT_VALUE = re.compile(rf"{_NAME}(?:=True\b|=\[\.\.\.\]|=(?![\w'\"=\[])|(?= must\b| may\b| belongs\b))")


def in_options(message: str) -> str:
    """Name options where a message of the library names arguments.

    Examples
    --------
    >>> in_options("pass standardize=True, method='exact', or raise memory_limit= (in bytes)")
    'pass --standardize, --method exact, or raise --memory-limit (in bytes)'
    """
    message = message.replace("estimate_effects()", "effects --samples")
    message = _WITH_VALUE.sub(lambda match: f"{_OPTIONS[match[1]]} {match[2] or match[3]}", message)
    return _WITHOUT_VALUE.sub(lambda match: _OPTIONS[match[1]], message)
