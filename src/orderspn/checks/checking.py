"""`check_data`: all checks of a table, and what `learn` would refuse about it, in one report."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from orderspn.checks.finding import Finding
from orderspn.checks.refusals import invalid_values, is_constant, values_in, wrong_kinds
from orderspn.checks.report import DataReport
from orderspn.checks.suite import by_severity, findings_in, names_of_checks
from orderspn.core.arguments import check_choice
from orderspn.core.errors import UserError
from orderspn.data.categories import Categories
from orderspn.data.columns import Columns, is_frame
from orderspn.data.dataset import Dataset
from orderspn.data.interventions import read_with_interventions
from orderspn.data.kinds import Kind, checked_kinds
from orderspn.data.mixed import MixedTable, Table
from orderspn.missing.cells import cells_of, missing_in
from orderspn.missing.filling import filled
from orderspn.scores.choosing import AUTO, Standardize, kinds_of, read_for_score
from orderspn.scores.protocol import Score
from orderspn.scores.registry import SCORES, reads

REFUSED = ("missing values", "infinite values", "constant column", "column type")
"""Names of the checks for what `learn` refuses."""

ENOUGH_COMPLETE = 0.5
"""Share of rows without missing values from which other rows are left out; otherwise cells are filled."""


def check_data(
    data: Any,
    variables: Sequence[str] | None = None,
    *,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    score: str | Score = AUTO,
    kinds: Mapping[str, Kind] | None = None,
) -> DataReport:
    """Check whether a table fits the assumptions of `learn`, and list everything that may go wrong.

    Errors are what `learn` refuses: infinite values, constant and empty columns, columns that are neither numbers nor
    categories. Warnings are those of `learn`: strong skewness or heavy tails, relations far from linear, rows that
    depend on the rows before, copies and linear combinations of columns, identifiers, nearly constant columns, fewer
    rows than variables. Notes are hints that may be harmless, and missing values, which `learn` imputes. Of a
    large table a sample of the rows is checked.

    Parameters
    ----------
    data, variables, interventions, targets, score, kinds
        As for `learn`. Rows in which a variable was intervened on do not count for its distribution.

    Returns
    -------
    DataReport
        A sequence of findings, which prints as a table; `to_frame()` returns a DataFrame.

    Examples
    --------
    >>> import numpy as np, orderspn as osp
    >>> data = osp.simulate.linear_gaussian(4, n_rows=200, rng=1).data
    >>> report = osp.check_data(data.assign(X2=np.exp(3 * data["X2"]), row=np.arange(200.0), X4=1.0))
    >>> [(finding.severity, finding.check, finding.variables) for finding in report]
    [('error', 'constant column', ('X4',)), ('warning', 'identifier', ('row',)), ('warning', 'skewness', ('X2',))]
    >>> print(report[2].remedy)
    Take logarithms of it (np.log).
    """
    if isinstance(data, Dataset | Categories | MixedTable):
        standardize: Standardize = AUTO if isinstance(data, MixedTable) else False
        table = read_for_score(score, data, variables, standardize, interventions, targets, kinds)[1]
        return _report(table, [], table.n_rows, table.n_variables)
    columns, intervened = read_with_interventions(data, variables, interventions, targets)
    given = checked_kinds(kinds, columns)
    n_rows = len(next(iter(columns.values()))) if columns else 0
    found = wrong_kinds(columns, _reads(score), [name for name, kind in given.items() if kind == "category"])
    left_out = {name for finding in found if finding.severity == "error" for name in finding.variables}
    given |= {name: "category" for finding in found for name in finding.variables if name not in left_out}
    usable = {name: column for name, column in columns.items() if name not in left_out}
    found += invalid_values(usable)
    names, rows = _complete(usable, found, n_rows)
    if len(names) < 2 or rows.sum() < 2:
        found.append(_too_small(len(names), int(rows.sum())))
        return DataReport(tuple(by_severity(found)), n_rows, len(columns), None, REFUSED)
    mask = None if intervened is None else intervened[rows][:, [list(columns).index(name) for name in names]]
    part = _part(data, columns, names, rows)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            own = {name: kind for name, kind in given.items() if name in names}
            table = read_for_score(score, part, names, AUTO, mask, kinds=own)[1]
    except UserError as problem:
        found.append(_refusal(str(problem)))
        return DataReport(tuple(by_severity(found)), n_rows, len(columns), None, REFUSED)
    found += [Finding("column type", (), str(warning.message), "", "note") for warning in caught]
    return _report(table, found, n_rows, len(columns))


def _refusal(message: str) -> Finding:
    """Return an error of the reader as a finding; its first sentence is the problem, the others are the remedy."""
    problem, _, remedy = message.partition(". ")
    return Finding("column type", (), f"{problem.removesuffix('.')}.", remedy, "error")


def _reads(score: str | Score) -> str | None:
    """Return how a score reads a table; None if the columns decide."""
    if isinstance(score, str):
        check_choice("score", score, (AUTO, *SCORES))
    if score == AUTO:
        return None
    chosen = SCORES[score]() if isinstance(score, str) else score
    return None if getattr(chosen, "reads_groups", False) else reads(chosen)


def _report(table: Table, found: Sequence[Finding], n_rows: int, n_variables: int) -> DataReport:
    everything = by_severity([*found, *findings_in(table)])
    kinds = set(kinds_of(table).values())
    read_as = (
        "categories" if kinds == {"category"} else "numbers" if "category" not in kinds else "numbers and categories"
    )
    return DataReport(tuple(everything), n_rows, n_variables, read_as, (*REFUSED, *names_of_checks(table)))


def _complete(columns: Columns, found: Sequence[Finding], n_rows: int) -> tuple[list[str], np.ndarray]:
    """Return the columns and the rows that `learn` would accept, so that the other checks can be made on them."""
    reasons: dict[str, set[str]] = {}
    for finding in found:
        for name in finding.variables if finding.severity != "warning" else ():
            reasons.setdefault(name, set()).add(finding.check)
    incomplete = {"missing values", "infinite values"}
    names = [name for name in columns if reasons.get(name, set()) <= incomplete and not missing_in(columns[name]).all()]
    rows = np.ones(n_rows, dtype=bool)
    for name in names:
        if name in reasons:
            rows &= ~_invalid(columns[name])
    if rows.sum() >= ENOUGH_COMPLETE * n_rows:
        return [name for name in names if not is_constant(values_in(columns[name], rows))], rows
    finite = [name for name in names if "infinite values" not in reasons.get(name, set())]
    return finite, np.ones(n_rows, dtype=bool)


def _invalid(column: Any) -> np.ndarray:
    missing = missing_in(column)
    own = np.asarray(column if isinstance(column, np.ndarray) else column.to_numpy())
    return missing | np.isinf(own) if own.dtype.kind == "f" else missing


def _part(data: Any, columns: Columns, names: list[str], rows: np.ndarray) -> Any:
    """Return some columns and rows of a table, as a table of its kind; a frame where missing cells are filled."""
    chosen_columns = {name: columns[name] for name in names}
    cells = cells_of(chosen_columns)
    if cells.missing[rows].any():
        return filled(chosen_columns, cells, np.random.default_rng(0))
    if not is_frame(data):
        return np.array([columns[name][rows] for name in names]).T
    import narwhals as nw

    frame = nw.from_native(data, eager_only=True)
    chosen = {str(name): name for name in frame.columns}
    return frame.select([nw.col(chosen[name]) for name in names]).filter(rows.tolist()).to_native()


def _too_small(n_variables: int, n_rows: int) -> Finding:
    return Finding(
        "column type",
        (),
        f"{n_variables} column(s) and {n_rows} row(s) can be used; at least 2 of both are needed.",
        "Correct the other errors first.",
        "error",
    )
