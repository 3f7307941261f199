"""A pair of variables as a document: the effect of one on the other, as a number or as a curve, and its paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from orderspn.core.errors import UserError
from orderspn.explorer.numbers import number

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.posterior import Posterior

PATHS = 8
"""Number of paths in the panel of a pair."""

DRAWS, FEWER_DRAWS = 1000, 400
"""Number of graphs that effects are averaged over, and for many variables, whose graphs take longer to draw."""

FEW_VARIABLES = 24
"""Number of variables up to which means are exact, and all draws are taken: a panel must not take long."""


def pair_document(under: Posterior, cause: str, effect: str) -> dict[str, Any]:
    """Return what is known about the effect of one variable on another.

    Returns
    -------
    dict
        With `effect`, `paths` and `curve`; each of them is None where the posterior cannot answer, and `reasons` has
        the messages.
    """
    reasons: dict[str, str] = {}
    found = {
        "effect": _tried(reasons, "effect", lambda: _effect(under, cause, effect)),
        "paths": _tried(reasons, "paths", lambda: _paths(under, cause, effect)),
        "curve": None,
    }
    if found["effect"] is None or not found["effect"]["linear"]:
        found["curve"] = _tried(reasons, "curve", lambda: _curve(under, cause, effect))
    return {**found, "reasons": reasons}


def _tried(reasons: dict[str, str], name: str, answer: Callable[[], Any]) -> Any:
    try:
        return answer()
    except UserError as problem:
        reasons[name] = str(problem)
        return None


def _draws(under: Posterior) -> int:
    return DRAWS if len(under.variables) <= FEW_VARIABLES else FEWER_DRAWS


def _effect(under: Posterior, cause: str, effect: str) -> dict[str, Any]:
    mean = "exact" if len(under.variables) <= FEW_VARIABLES else "draws"
    report = under.effect(cause, effect, n_samples=_draws(under), mean=mean, progress=False)
    return {
        "about": report.about,
        "linear": report.about.startswith("total effect"),
        "mean": number(report.mean),
        "error": number(report.standard_errors["mean"]),
        "low": number(report.low),
        "high": number(report.high),
        "level": report.level,
        "positive": number(report.positive),
        "negative": number(report.negative),
        "no_path": number(report.no_path),
    }


def _paths(under: Posterior, cause: str, effect: str) -> list[dict[str, Any]]:
    frame = under.paths(cause, effect, top=PATHS, n_samples=_draws(under), progress=False)
    linear = "contribution" in frame.columns
    return [
        {
            "path": list(row["path"]),
            "probability": number(row["probability"]),
            "contribution": number(row["contribution"]) if linear else None,
        }
        for row in frame.to_dict("records")
    ]


def _curve(under: Posterior, cause: str, effect: str) -> dict[str, Any]:
    """Return the mean of the effect for values of the cause, or the probabilities of its levels."""
    return _curve_document(under.effect_curve(cause, effect, n_samples=_draws(under), progress=False))


def _curve_document(frame: pd.DataFrame) -> dict[str, Any]:
    nested = frame.index.nlevels == 2
    places = [entry if nested else (entry, None) for entry in frame.index]
    return {
        "points": [
            {
                "at": at if isinstance(at, str) else number(at),
                "level": None if of is None else str(of),
                **{name: number(value) for name, value in row.items()},
            }
            for (at, of), row in zip(places, frame[["mean", "low", "high"]].to_dict("records"), strict=True)
        ],
    }
