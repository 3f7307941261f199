"""Ancestors and descendants: whether one variable influences another at all, along any path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.names import variable_index
from orderspn.display.progress import Progress
from orderspn.models.ancestor_matrix import ancestor_matrix, descendant_sets
from orderspn.posterior.state import PosteriorState
from orderspn.queries.edges import EdgesLike

if TYPE_CHECKING:
    import pandas as pd


class AncestorQueries(PosteriorState):
    """Questions about directed paths."""

    def ancestor_probabilities(self, given: EdgesLike = None, *, progress: Progress = "auto") -> pd.DataFrame:
        """Return the probability that one variable is an ancestor of another: that it influences it along any path.

        It is exact in posteriors over all orders of up to 15 variables (without context ones), and counted in samples
        of graphs. In all others it is estimated from 10,000 draws; see `ancestor_standard_errors`.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            Row = ancestor, column = descendant; 0 on the diagonal.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> ancestors, edges = posterior.ancestor_probabilities(), posterior.edge_probabilities()
        >>> bool((ancestors >= edges - 1e-9).to_numpy().all())
        True
        """
        with self._showing(progress):
            probabilities, _ = ancestor_matrix(self.given(given)._model, with_errors=False)
        return self._ancestor_frame(probabilities)

    def ancestor_standard_errors(self, given: EdgesLike = None, *, progress: Progress = "auto") -> pd.DataFrame:
        """Return the Monte Carlo standard errors of `ancestor_probabilities`.

        They are 0 for exact probabilities, and NaN where they are not known (see `standard_error`).

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            Row = ancestor, column = descendant.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> float(posterior.ancestor_standard_errors().to_numpy().max())
        0.0
        """
        with self._showing(progress):
            _, errors = ancestor_matrix(self.given(given)._model)
        return self._ancestor_frame(errors)

    def descendant_sets(self, variable: str, given: EdgesLike = None, *, top: int | None = None) -> pd.DataFrame:
        """Return the posterior over whole sets of descendants of a variable: all that it influences.

        Parameters
        ----------
        variable : str
        given : str or Edges, optional
            Evidence to condition on.
        top : int, optional
            Number of sets to return, the most probable ones (default: all).

        Returns
        -------
        pandas.DataFrame
            Columns `descendants` (tuple of names), `probability` and `standard_error`, which is 0 where probabilities
            are exact; most probable first.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> sets = posterior.descendant_sets("PIP3")
        >>> round(float(sets["probability"].sum()), 9)
        1.0
        """
        import pandas as pd

        source = variable_index(variable, self._model.variables)
        count = None if top is None else check_integer("top", top, 1)
        found = descendant_sets(self.given(given)._model, source)
        names = self._model.variables
        return pd.DataFrame(
            {
                "descendants": [tuple(n for n, own in zip(names, row, strict=True) if own) for row in found.members],
                "probability": found.probabilities,
                "standard_error": found.standard_errors,
            }
        )[:count]

    def _ancestor_frame(self, matrix: np.ndarray) -> pd.DataFrame:
        return self._square_frame(matrix).rename_axis(index="ancestor", columns="descendant")
