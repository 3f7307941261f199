"""The scores of one family as a table with names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidValue
from orderspn.core.names import check_name_sequence, variable_index
from orderspn.scores.answers import read_log_values
from orderspn.scores.choosing import AUTO, Standardize, fit_score, read_for_score
from orderspn.scores.local import subset_sizes
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import SizePrior, log_prior_by_size

if TYPE_CHECKING:
    import pandas as pd

LARGEST_FAMILY = 20
"""Most candidates of a family in a table of all its parent sets: 2**20 rows."""


def family_scores(
    data: Any,
    child: str,
    candidates: Sequence[str] | None = None,
    *,
    score: str | Score = "auto",
    prior: SizePrior = "fair",
    max_parents: int | None = None,
    standardize: Standardize = AUTO,
    variables: Sequence[str] | None = None,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
) -> pd.DataFrame:
    """Score every parent set of one variable.

    Parameters
    ----------
    data : DataFrame or array
    child : str
        The variable whose parent sets are scored.
    candidates : sequence of str, optional
        Variables that may be parents (default: all others).
    score, prior, max_parents, standardize, variables, interventions, targets
        As for `learn`.

    Returns
    -------
    pandas.DataFrame
        Columns `parents` (tuple of names), `log_likelihood`, `log_prior` and `log_score` (their sum), best
        first.

    Examples
    --------
    >>> import orderspn as osp
    >>> table = osp.scores.family_scores(osp.load_sachs(log=True).data, "Akt", ["Erk", "PKA"])
    >>> table["parents"][0]
    ('Erk', 'PKA')
    """
    import pandas as pd

    chosen_score, dataset = read_for_score(score, data, variables, standardize, interventions, targets)
    names = dataset.variables
    child_index = variable_index(child, names)
    if candidates is not None:
        check_name_sequence("candidates", candidates)
    if candidates is None:
        chosen = np.array([i for i in range(len(names)) if i != child_index])
    else:
        chosen = np.array(sorted({variable_index(name, names) for name in candidates}), dtype=np.int64)
    if child_index in chosen:
        raise InvalidValue(f"candidates must not contain the child {child!r} itself.")
    if chosen.size > LARGEST_FAMILY:
        raise InvalidValue(
            f"candidates may have at most {LARGEST_FAMILY} members ({2**LARGEST_FAMILY:,} parent sets); got "
            f"{chosen.size}. Pass fewer candidates."
        )
    cap = len(names) - 1 if max_parents is None else check_integer("max_parents", max_parents, 0)
    fitted = fit_score(chosen_score, dataset)
    answer = fitted.log_likelihoods(child_index, chosen, cap)
    log_likelihood = read_log_values(fitted, "log_likelihoods", answer, (1 << chosen.size,))
    log_prior = log_prior_by_size(prior, len(names))[subset_sizes(chosen.size)]
    log_score = log_likelihood + log_prior
    best_first = np.argsort(-log_score, kind="stable")
    best_first = best_first[log_score[best_first] > -np.inf]
    return pd.DataFrame(
        {
            "parents": _parent_names(best_first, chosen, names),
            "log_likelihood": log_likelihood[best_first],
            "log_prior": log_prior[best_first],
            "log_score": log_score[best_first],
        }
    )


def _parent_names(masks: np.ndarray, candidates: np.ndarray, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return masks over the candidates as tuples of names."""
    labels = [(1 << bit, names[variable]) for bit, variable in enumerate(candidates)]
    return [tuple(name for flag, name in labels if mask & flag) for mask in masks.tolist()]
