"""Square tables of causes and effects, as lists of pairs and as matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orderspn.cli.output import Answer, Table

if TYPE_CHECKING:
    import pandas as pd

Pair = tuple[str, str, float]


def strongest_pairs(frame: pd.DataFrame, top: int | None = None) -> list[Pair]:
    """All pairs of different variables, those with the largest absolute values first."""
    names = list(frame.index)
    values = frame.to_numpy()
    pairs = [
        (cause, effect, float(values[i, j]))
        for i, cause in enumerate(names)
        for j, effect in enumerate(names)
        if i != j
    ]
    pairs.sort(key=lambda pair: -abs(pair[2]))
    return pairs[:top]


def matrix_answer(frame: pd.DataFrame, title: str) -> Answer:
    """The whole table: rows are causes, columns are effects."""
    names = list(frame.index)
    values: list[list[float]] = frame.to_numpy().tolist()
    rows: list[list[Any]] = [[name, *row] for name, row in zip(names, values, strict=True)]
    table = Table(["cause", *names], rows, foldable=False)
    document = {name: dict(zip(names, row, strict=True)) for name, row in zip(names, values, strict=True)}
    return Answer(document, table, [f"{title} (row = cause, column = effect)", table])


def pairs_answer(pairs: list[Pair], value: str, title: str) -> Answer:
    """One row per pair."""
    table = Table(["cause", "effect", value], pairs)
    return Answer(table.records(), table, [title, table])


def condition(posterior_evidence: object) -> str:
    """The end of a title: what the answer is conditioned on."""
    return f", given {posterior_evidence}" if posterior_evidence else ""
