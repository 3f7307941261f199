"""What a posterior is: a distribution over graphs, how it was learned, and the evidence."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import Unavailable
from orderspn.core.memory import check_answer
from orderspn.data.distributions import DISTRIBUTIONS, Distribution, restored
from orderspn.display.progress import Progress, showing
from orderspn.knowledge.context import check_about_context
from orderspn.knowledge.statement import Knowledge
from orderspn.models import ancestry
from orderspn.models.capabilities import MASSES, ORDERS, require
from orderspn.models.protocol import GraphModel
from orderspn.queries.edges import Edges, EdgesLike, as_edges
from orderspn.queries.evidence import check_names
from orderspn.queries.marginals import square_frame
from orderspn.queries.sampling import order_bytes

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.data.units import Units
    from orderspn.missing.imputations import Imputations


class PosteriorState:
    """The model of a posterior, its settings and evidence, and conditioning on more evidence."""

    def __init__(
        self,
        model: GraphModel,
        settings: Mapping[str, Any],
        evidence: Edges | None = None,
        units: Units | None = None,
        imputations: Imputations | None = None,
    ) -> None:
        self._model = model
        self._settings = dict(settings)  # a view of it, as `settings` returns, could not be pickled
        self._evidence = Edges() if evidence is None else evidence
        self._units = units
        self._imputations = imputations

    @property
    def model(self) -> GraphModel:
        """The distribution over graphs that answers the queries, under the evidence."""
        return self._model

    @property
    def variables(self) -> list[str]:
        """Names of the variables, in the order of the data's columns."""
        return list(self._model.variables)

    @property
    def context(self) -> list[str]:
        """Names of the context variables, which are only ever causes; empty if there are none."""
        return [self._model.variables[v] for v in self._model.score.context]

    @property
    def explained(self) -> list[str]:
        """Names of the variables whose causes are asked for: all but the context ones."""
        context = set(self.context)
        return [name for name in self._model.variables if name not in context]

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that this posterior was learned with: method, target, score, prior, candidates, data, seed."""
        return MappingProxyType(copy.deepcopy(dict(self._settings)))

    @property
    def evidence(self) -> Edges:
        """The evidence that this posterior is conditioned on: edges, neighbours and order constraints."""
        return self._evidence

    @property
    def units(self) -> Units | None:
        """The means and standard deviations by which columns were standardized; None if they were not."""
        return self._units

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of `learn`: data that may not fit, a prior that does not suit them, searches that disagree."""
        return tuple(self._settings.get("warnings", ()))

    @property
    def knowledge(self) -> Knowledge:
        """The background knowledge."""
        return Knowledge.from_dict(self._settings.get("knowledge", {}))

    @property
    def candidates(self) -> dict[str, list[str]]:
        """The candidate parents of each variable, which may be its causes in any combination."""
        return self._by_name(self._model.candidates)

    @property
    def outsiders(self) -> dict[str, list[str]]:
        """The outsiders of each variable, which may be its causes besides the candidates, one or two at a time."""
        return self._by_name([np.unique(rows[rows >= 0]) for rows in self._model.outsider_rows])

    @property
    def log_evidence(self) -> float:
        """Log of the sum of prior x likelihood over all covered (order, graph) pairs, or over all graphs.

        A sample of graphs has none.

        Under evidence the sum is over the pairs that satisfy it. For a circuit whose weights are not the optimal ones
        ("sampled", "uniform") it is the unconditional value plus the log probability of the evidence.
        """
        return require(self._model, MASSES, "the log evidence").log_evidence

    def given(self, evidence: EdgesLike) -> Self:
        """Condition on present edges, absent edges, neighbours, order constraints and ancestors.

        Parameters
        ----------
        evidence : str, Edges, pairs or networkx.DiGraph
            Added to the evidence that this posterior already has. `"A < B"` means that A comes before B, with or
            without an edge; each such pair in which A is not a candidate parent of B doubles the tables of B.
            `"A -- B"` means an edge in either direction; each such pair doubles the time of queries, up to 10 pairs.
            `"A ~> B"` means a directed path from A to B, and `"A !~> B"` that there is none: graphs are drawn under all
            other evidence, and those that satisfy it are kept. `summary()` says how many.

        Returns
        -------
        Posterior

        Raises
        ------
        ValueError
            If no graph satisfies the evidence; the message says why.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data).given("PKC -> PKA")
        >>> posterior.probability("PKA -> PKC")
        0.0
        >>> posterior.given("Raf < PKC").evidence
        Edges('PKC -> PKA, Raf < PKC')
        """
        added = as_edges("given", evidence)
        if not added:
            return self
        self._check(added)
        edges = self._evidence & added
        model = ancestry.condition(self._model, edges, added)
        return type(self)(model, self._settings, edges, self._units, self._imputations)

    def imputations(self) -> Imputations:
        """Return the completed tables that a posterior from data with missing values was learned from.

        Each of them has its own component of the mixture. They are not kept in files.

        Returns
        -------
        Imputations
            A sequence of DataFrames; `.missing` has the places of imputed values.

        Examples
        --------
        >>> import numpy as np, orderspn as osp
        >>> data = osp.load_asia().data[["smoke", "bronc", "dysp"]][:300].copy()
        >>> data.loc[::7, "smoke"] = None
        >>> completed = osp.learn(data, imputations=4).imputations()
        >>> bool((completed[0]["smoke"] == data["smoke"])[~completed.missing["smoke"]].all())
        True
        """
        if self._imputations is None:
            raise Unavailable(
                "this posterior has no completed tables: its data had no missing values, or it was loaded from a file. "
                "Learn from the data again."
            )
        return self._imputations

    def distributions(self) -> dict[str, Distribution]:
        """Return how the data of each variable are distributed: histograms of numbers, and counts of levels.

        They describe the rows that the posterior was learned from, in the units of the data and without imputed values.
        Files have them too; `learn(..., distributions=False)` leaves them out.

        Returns
        -------
        dict of str to NumberDistribution, CategoryDistribution or GroupDistribution
            By the names of variables; `.kind` says which of them it is.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_penguins().data[["species", "bill_depth_mm", "body_mass_g"]]
        >>> found = osp.learn(data, imputations=2).distributions()
        >>> found["species"].levels, found["species"].counts
        (('Adelie', 'Chinstrap', 'Gentoo'), (152, 68, 124))
        >>> mass = found["body_mass_g"]
        >>> mass.minimum, mass.maximum, mass.missing
        (2700.0, 6300.0, 2)
        >>> len(mass.counts), len(mass.edges)
        (11, 12)
        """
        kept = self._settings.get(DISTRIBUTIONS)
        if kept is None:
            raise Unavailable(
                "this posterior does not have the distributions of its data: it was learned with distributions=False, "
                "is from a file of an earlier version, or is a mixture of posteriors of different tables. Learn from "
                "the data again; of a mixture, ask posterior.components one by one."
            )
        found = restored(kept)
        return {name: found[name] for name in self._model.variables}

    def _showing(self, progress: Progress) -> AbstractContextManager[object]:
        return showing(progress, self._model.workers.progress)

    def _checked_orders(self, n_orders: int, minimum: int) -> int:
        count, d = check_integer("n_orders", n_orders, minimum), len(self.variables)
        check_answer(
            count * order_bytes(d), f"{count:,} orders of {d} variables", "Draw fewer, n_orders=.", self._memory
        )
        return count

    @property
    def _memory(self) -> int:
        """Bytes that an answer may take."""
        return self._model.workers.memory

    def _check(self, edges: Edges) -> None:
        """Raise an error for unknown variables, and for order constraints if the posterior does not support them."""
        check_names(edges, self._model.variables)
        check_about_context(edges, self.context)
        if edges.before:
            require(self._model, ORDERS, repr(str(Edges(before=edges.before))))

    def _by_name(self, members: Sequence[np.ndarray]) -> dict[str, list[str]]:
        names = self._model.variables
        return {names[child]: [names[v] for v in others] for child, others in enumerate(members)}

    def _square_frame(self, matrix: np.ndarray) -> pd.DataFrame:
        return square_frame(matrix, self._model.variables)
