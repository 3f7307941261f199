"""A posterior from a table with missing values: the mixture of the posteriors of completed tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.chains.diagnostics import rhat_limit_of
from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.core.errors import InvalidValue
from orderspn.core.heard import Heard, without_warnings
from orderspn.core.names import quoted
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.data.categories import Categories
from orderspn.data.columns import Columns, listed
from orderspn.data.dataset import Dataset
from orderspn.data.describing import described
from orderspn.data.distributions import DISTRIBUTIONS
from orderspn.data.interventions import columns_and_entries, read_with_interventions
from orderspn.data.mixed import MixedTable, Table
from orderspn.imputation.augmentation import BURN_IN, CHAINS, augment
from orderspn.knowledge.context import read_context
from orderspn.methods.problem import SearchState
from orderspn.missing.cells import Cells, cells_of
from orderspn.missing.filling import check_columns, check_rows, filled
from orderspn.missing.imputations import Imputations, drawn_values
from orderspn.missing.tables import columns_in, owners, refilled
from orderspn.mixture import Mixture, mix
from orderspn.posterior import Posterior
from orderspn.scores.capabilities import completing
from orderspn.scores.choosing import fit_score
from orderspn.scores.protocol import MarginalLikelihood, Score
from orderspn.solving import Solved

if TYPE_CHECKING:
    import pandas as pd

ASSUMPTION = "missing at random"


@dataclass(frozen=True, eq=False)
class Incomplete:
    """A table with missing values: its columns, and which of their cells are missing."""

    columns: Columns
    cells: Cells
    index: Any
    interventions: Any

    @classmethod
    def found_in(cls, data: Any, variables: Sequence[str] | None, interventions: Any) -> Incomplete | None:
        """Return the table if it has missing values, and otherwise None; tables that were read before have none."""
        if isinstance(data, Dataset | Categories | MixedTable):
            return None
        if isinstance(data, np.ma.MaskedArray) and data.dtype.kind == "f":
            data = data.filled(np.nan)
        columns, entries = columns_and_entries(data, variables, interventions)
        if not columns or not len(next(iter(columns.values()))):
            return None
        cells = cells_of(columns)
        return cls(columns, cells, getattr(data, "index", None), entries) if cells.n_missing else None

    def frame(self, rng: np.random.Generator) -> pd.DataFrame:
        """Return the table with every missing cell drawn from its column."""
        check_columns(self.cells)
        check_rows(self.cells)
        return filled(self.columns, self.cells, rng, self.index)

    def complete_rows(self, targets: Any, groups: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """Return the rows without missing cells, and which columns or groups were intervened on in them."""
        check_columns(self.cells)
        rows = np.flatnonzero(~self.cells.missing.any(axis=1))
        frame = filled(self.columns, self.cells, np.random.default_rng(0), self.index)
        columns, intervened = read_with_interventions(frame, None, self.interventions, targets, groups)
        named = [*columns, *(name for name in groups if name not in columns)]
        mask = None if intervened is None else type(frame)(intervened[rows], columns=named, index=frame.index[rows])
        return frame.iloc[rows], mask

    def given_frame(self, like: pd.DataFrame) -> pd.DataFrame:
        """Return the columns as they were given; those with declared levels have the type of a filled frame."""
        own = {name: listed(column) for name, column in self.columns.items()}
        frame = type(like)(own, index=self.index)
        return frame.astype({name: like[name].dtype for name in frame if hasattr(like[name], "cat")})

    def report(self, handled: str) -> dict[str, Any]:
        """Return what `settings` say about missing values."""
        return {
            "handled": handled,
            "cells": self.cells.n_missing,
            "columns": self.cells.by_column,
            "patterns": self.cells.n_patterns,
            "complete_rows": self.cells.n_complete_rows,
        }


def learn_by_imputation(
    incomplete: Incomplete,
    read: Callable[[pd.DataFrame, Any], tuple[Score, Table]],
    learn: Callable[[Table, Score, np.random.SeedSequence, SearchState | None, Checkpoint], Solved],
    context: Sequence[str] | None,
    n_imputations: int,
    seed: np.random.SeedSequence,
    workers: Workers,
    heard: Heard,
    distributions: bool,
    open_checkpoint: Callable[[Table, MarginalLikelihood], Checkpoint] = lambda *_: NOT_KEPT,
) -> Mixture:
    """Learn from completed tables, and mix their posteriors; perhaps keep the distributions of what was observed.

    `open_checkpoint` is given the first filled table and the score that is fitted to it.
    """
    filling, *chains, augmenting = seed.spawn(CHAINS + 2)
    frame = incomplete.frame(generator_of(filling))
    score, table = read(frame, incomplete.interventions)
    places = [incomplete.cells.columns.index(name) for name in columns_in(table)]
    missing = incomplete.cells.missing[:, places]
    _check_interventions(table, missing)
    with without_warnings():
        # Units and bases stay those of the first filling, so that all sweeps have the same prior.
        fitted = fit_score(score, table)
        checkpoint = open_checkpoint(table, fitted)
        settled = completing(fitted).unfitted
        starts = [refilled(table, missing, generator_of(own)) for own in chains[: min(CHAINS, n_imputations)]]
        found = augment(
            starts,
            missing,
            lambda own, seed, resumed, kept: learn(own, settled, seed, resumed, kept),
            settled,
            read_context(context, table.variables),
            n_imputations,
            augmenting,
            workers,
            checkpoint,
        )
    report = {
        **incomplete.report("imputed"),
        "assumption": ASSUMPTION,
        "imputations": n_imputations,
        "chains": found.chains,
        "burn_in": BURN_IN,
        "rhat_edges": found.rhat_edges,
    }
    heard.add(disagreement(found.rhat_edges, n_imputations, table.n_variables))
    recorded: dict[str, Any] = {"missing": report, "warnings": list(heard.messages)}
    if distributions:
        recorded[DISTRIBUTIONS] = described(table, missing)
    mixture = mix([_with(posterior, recorded) for posterior in found.posteriors], weights="equal")
    drawn = [drawn_values(own, missing, frame, table) for own in found.tables]
    imputations = Imputations(incomplete.given_frame(frame), _frame_of(missing, table, incomplete.index), drawn)
    return Mixture(mixture.model, mixture.settings, mixture.evidence, mixture.units, imputations)


def disagreement(rhat: float | None, n_imputations: int, n_variables: int) -> list[str]:
    """Return a warning if chains of imputations disagree; otherwise none."""
    if rhat is None or rhat <= rhat_limit_of(CHAINS, n_imputations // CHAINS, n_variables**2):
        return []
    return [
        f"chains of imputations disagree (R-hat {rhat:.2f} of edge probabilities): they may change with another seed. "
        "Pass a larger imputations=."
    ]


def _check_interventions(table: Table, missing: np.ndarray) -> None:
    """Raise an error for missing values of variables that were intervened on in the same row."""
    if table.intervened is None:
        return
    both = missing & table.intervened[:, owners(table)]
    if both.any():
        names = [columns_in(table)[place] for place in np.flatnonzero(both.any(axis=0)).tolist()]
        raise InvalidValue(
            f"{int(both.sum())} value(s) of {quoted(names)} are missing in rows in which they were intervened on; "
            "nothing tells what they were set to. Fill them in, or drop those rows."
        )


def _with(posterior: Posterior, recorded: Mapping[str, Any]) -> Posterior:
    """Return a posterior with settings that are the same for all completed tables."""
    return Posterior(posterior.model, {**posterior.settings, **recorded}, posterior.evidence, posterior.units)


def _frame_of(missing: np.ndarray, table: Table, index: Any) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(missing, columns=columns_in(table), index=index)
