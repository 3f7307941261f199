"""Probabilities of edges, of sets of parents, and of places in the order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from orderspn.core.arguments import check_integer
from orderspn.core.names import variable_index
from orderspn.display.progress import Progress
from orderspn.models import ancestry
from orderspn.models.capabilities import MASSES, ORDERS, require
from orderspn.queries.edges import EdgesLike, as_edges

if TYPE_CHECKING:
    import pandas as pd


from orderspn.posterior.state import PosteriorState


class ProbabilityQueries(PosteriorState):
    """Questions whose answers are probabilities."""

    def log_probability(self, event: EdgesLike, given: EdgesLike = None) -> float:
        """Return the log of `probability`; -inf for an impossible event. Exact also if the probability underflows.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> posterior.log_probability("Raf -> Mek, Mek -> Raf")
        -inf
        """
        base = self.given(given)
        edges = as_edges("event", event)
        self._check(edges)
        return ancestry.log_probability(base._model, base._evidence, edges) if edges else 0.0

    def probability(self, event: EdgesLike, given: EdgesLike = None) -> float:
        """Return the probability of an event: of edges, neighbours, order constraints and ancestors together.

        Parameters
        ----------
        event : str, Edges, pairs or networkx.DiGraph
            For example `"A -> B, C !-> D"`, `"A -- B"` for an edge in either direction, or `"A < B"` for A before B in
            the order. Pairs `[("A", "B")]` are present edges. An impossible event has probability 0. `"A ~> B"` means
            a directed path from A to B, and `"A !~> B"` that there is none. For the descendants of one variable this is
            exact in posteriors over all orders of up to 15 variables; else it is estimated from 10,000 draws, always
            the same ones (see `standard_error`).
        given : str or Edges, optional
            Evidence to condition on.

        Returns
        -------
        float

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> p = posterior.probability("Erk -> Akt") + posterior.probability("Erk !-> Akt")
        >>> round(p, 9)
        1.0
        >>> round(posterior.probability("Erk -- Akt") + posterior.probability("Erk !-- Akt"), 9)
        1.0
        >>> posterior.probability("Mek -> Erk") < posterior.probability("Mek ~> Erk")
        True
        """
        return math.exp(self.log_probability(event, given))

    def standard_error(self, event: EdgesLike, given: EdgesLike = None) -> float:
        """Return the Monte Carlo standard error of `probability`: how much the answer varies between seeds.

        It is 0 for exact posteriors. A sample of graphs (`method="gadget"`) has the standard error of a mean over the
        draws of Markov chains, with their autocorrelation. A circuit from sampled orders (`method="trust"`) has that of
        its orders, and of half a draw whose answer could be anything, because some sets of orders may never have been
        drawn; events that the evidence decides have the error 0. About 95% of the answers of a circuit are within two
        standard errors of the exact ones.

        It is NaN where it is not known: if all sampled graphs agree; for circuits whose weights are not shares of
        sampled orders (those of an oracle, and weights other than "sampled"); and for the particles of method "dibs".
        Parent sets that were left out are not part of it (`settings["lost_share"]`). For ancestors that are estimated
        from draws, it is the error of these draws, and for a circuit also the largest error of its edges.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data
        >>> osp.learn(data, method="exact").standard_error("Raf -> Mek")
        0.0
        >>> circuit = osp.learn(data, method="trust")
        >>> 0.0 < circuit.standard_error("Raf -> Mek", given="PKA -> Raf") < 0.05
        True
        """
        edges = as_edges("event", event)
        self._check(edges)
        base = self.given(given)
        return ancestry.standard_error(base._model, base._evidence, edges) if edges else 0.0

    def edge_probabilities(self, given: EdgesLike = None, *, progress: Progress = "auto") -> pd.DataFrame:
        """Return the probability of every edge.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            Row = cause, column = effect; columns of context variables are 0.

        Examples
        --------
        >>> import orderspn as osp
        >>> edges = osp.learn(osp.load_sachs(log=True).data).edge_probabilities()
        >>> round(float(edges.to_numpy().sum()), 3)  # expected number of edges
        6.222
        """
        with self._showing(progress):
            return self._square_frame(self.given(given)._model.edge_matrix())

    def edge_standard_errors(self, given: EdgesLike = None) -> pd.DataFrame:
        """Return the Monte Carlo standard errors of `edge_probabilities`, as `standard_error` of each edge.

        For a circuit this takes about as long as `edge_probabilities`.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.

        Returns
        -------
        pandas.DataFrame
            Row = cause, column = effect; 0 for exact probabilities, NaN for unknown errors.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data, method="trust", rng=0)
        >>> exact = osp.learn(osp.load_sachs(log=True).data, method="exact")
        >>> off = abs(posterior.edge_probabilities() - exact.edge_probabilities())
        >>> bool((off <= 5 * posterior.edge_standard_errors() + 1e-6).to_numpy().all())
        True
        """
        return self._square_frame(self.given(given)._model.edge_standard_errors())

    def parent_sets(self, child: str, given: EdgesLike = None, *, top: int | None = None) -> pd.DataFrame:
        """Return the posterior over the parent sets of one variable.

        Parameters
        ----------
        child : str
        given : str or Edges, optional
            Evidence to condition on.
        top : int, optional
            Number of parent sets to return, the most probable ones (default: all).

        Returns
        -------
        pandas.DataFrame
            Columns `parents` (tuple of names) and `probability`, most probable first.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> table = posterior.parent_sets("Akt", top=2)
        >>> list(table.columns), len(table)
        (['parents', 'probability'], 2)
        """
        import pandas as pd

        index = variable_index(child, self._model.variables)
        limit = None if top is None else check_integer("top", top, 1)
        parents, probabilities = self.given(given)._model.parent_sets(index, limit)
        return pd.DataFrame({"parents": parents, "probability": probabilities})

    def precedence(self, given: EdgesLike = None) -> pd.DataFrame:
        """Return the probability that one variable comes before another in the order.

        Returns
        -------
        pandas.DataFrame
            Row before column; 0 on the diagonal. Context variables come before all others, and are not ordered among
            each other: 0 in both directions.

        Examples
        --------
        >>> import orderspn as osp
        >>> before = osp.learn(osp.load_sachs(log=True).data).precedence()
        >>> round(float(before.loc["Raf", "Mek"] + before.loc["Mek", "Raf"]), 9)
        1.0
        """
        frame = self._square_frame(require(self.given(given)._model, ORDERS, "precedence").precedence())
        return frame.rename_axis(index="before", columns="after")

    def entropy(self, given: EdgesLike = None) -> float:
        """Return the entropy of the posterior in nats: over (order, graph) pairs, or over graphs with target "dag".

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> posterior.entropy("Raf -> Mek") < posterior.entropy()
        True
        """
        return require(self.given(given)._model, MASSES, "the entropy").entropy()
