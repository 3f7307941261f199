"""The class `Posterior`: a posterior over causal graphs with all its queries."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from orderspn.core.arguments import check_choice, check_effort, check_fraction, check_integer, check_path
from orderspn.core.errors import InvalidValue, Unavailable
from orderspn.core.memory import check_answer
from orderspn.core.names import variable_index
from orderspn.core.randomness import RNGLike, seed_sequence
from orderspn.display.progress import Progress, showing
from orderspn.display.summaries import Summary
from orderspn.display.text import cut
from orderspn.knowledge.context import check_about_context
from orderspn.knowledge.statement import Knowledge
from orderspn.models import orientations
from orderspn.models.capabilities import COVERAGE, EXACT_EFFECTS, MASSES, ORDERS, SIZE, require
from orderspn.models.protocol import GraphModel
from orderspn.queries.edges import Edges, EdgesLike, as_edges
from orderspn.queries.effect_curves import CurveDraws, CurveQuestion, curve_draws
from orderspn.queries.effect_units import EffectUnits, effect_scale
from orderspn.queries.effects import EffectEstimate, EffectSamples, check_linear, draw_effects
from orderspn.queries.evidence import check_names
from orderspn.queries.interventional import InterventionalDraws, Question, categories_behind, interventional_draws
from orderspn.queries.marginals import square_frame
from orderspn.queries.most_probable import BestGraph, MostProbableGraph
from orderspn.queries.sampling import GraphSamples, graph_bytes, order_bytes
from orderspn.scores.capabilities import columns_behind

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.data.units import Units
    from orderspn.lattice.coverage import Coverage, Size
    from orderspn.missing.imputations import Imputations
    from orderspn.scores.column_model import ColumnModel


EFFECT_COPIES = 3
"""Number of arrays of the size of all draws of effects that are in memory at once."""


class Posterior:
    """A posterior over causal graphs. Its answers are exact unless it is a sample of graphs.

    It is made by `learn` or `load` and never changes: conditioning returns a new posterior. With the target "order" it
    is `p(order, graph) prop. to prod_i prior_i(parents) x likelihood_i(parents)` over all pairs of a graph and one of
    its topological orders, so a graph counts once for each of its orders. With "dag" every graph counts once. Answers
    of a sample (`method="gadget"`) are frequencies, those of particles (`method="dibs"`) are weighted shares.

    Every query takes evidence as `given`: present edges, absent edges, neighbours and order constraints, as a string
    (`"A -> B, C !-> D, A -- C, A < D"`) or as `Edges`. Pairs such as `[("A", "B")]`, and a networkx.DiGraph, are
    present edges; all others may be present or absent. Neighbours (`A -- C`) have an edge in either direction. Order
    constraints such as `A < D` need a posterior over orders (target "order", methods "exact" and "trust").

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data)
    >>> round(posterior.log_evidence, 3)
    -12379.534
    >>> round(posterior.probability("Raf -> Mek", given="PKA -> Raf"), 3)
    0.152
    >>> round(posterior.probability("Raf -> Mek", given="PKA -> Raf, Raf < Mek"), 3)
    1.0
    """

    def __init__(
        self,
        model: GraphModel,
        settings: Mapping[str, Any],
        evidence: Edges | None = None,
        units: Units | None = None,
        imputations: Imputations | None = None,
    ) -> None:
        self._model = model
        self._settings = settings
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
        """Condition on present edges, absent edges, neighbours and order constraints.

        Parameters
        ----------
        evidence : str, Edges, pairs or networkx.DiGraph
            Added to the evidence that this posterior already has. `"A < B"` means that A comes before B, with or
            without an edge; each such pair in which A is not a candidate parent of B doubles the tables of B.
            `"A -- B"` means an edge in either direction; each such pair doubles the time of queries, up to 10 pairs.

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
        model = orientations.condition(self._model, edges, added)
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
        return orientations.log_probability(base._model, base._evidence, edges) if edges else 0.0

    def probability(self, event: EdgesLike, given: EdgesLike = None) -> float:
        """Return the probability of an event: of edges, neighbours and order constraints together.

        Parameters
        ----------
        event : str, Edges, pairs or networkx.DiGraph
            For example `"A -> B, C !-> D"`, `"A -- B"` for an edge in either direction, or `"A < B"` for A before B in
            the order. Pairs `[("A", "B")]` are present edges. An impossible event has probability 0.
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
        Parent sets that were left out are not part of it (`settings["lost_share"]`).

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
        return orientations.standard_error(base._model, edges) if edges else 0.0

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

    def most_probable_graph(self, given: EdgesLike = None, *, progress: Progress = "auto") -> MostProbableGraph:
        """Find the graph with the highest score among those that satisfy the evidence.

        For a circuit, it is the graph of the most probable (order, graph) pair that it covers; with weights other than
        "elbo" this is not always the graph with the highest score. Ties between graphs with equal scores (such as
        Markov-equivalent ones) are broken by the names of variables.

        Parameters
        ----------
        given : str or Edges, optional
            A partial graph to complete.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        MostProbableGraph
            With `.graph` (networkx.DiGraph), `.order`, `.log_probability` of both together (of the graph alone with
            target "dag"), `.log_score`, and `.edges`, the graph as an event.

        Examples
        --------
        >>> import orderspn as osp
        >>> best = osp.learn(osp.load_sachs(log=True).data).most_probable_graph(given="Mek -> Raf")
        >>> best.graph.has_edge("Mek", "Raf")
        True
        """
        with self._showing(progress):
            return self.given(given)._model.most_probable_graph()

    def best_graph(
        self, given: EdgesLike = None, *, effort: float = 1.0, rng: RNGLike = 0, progress: Progress = "auto"
    ) -> BestGraph:
        """Search for the graph with the highest score over all orders, also those that a circuit does not cover.

        `most_probable_graph` is exact for the orders of this posterior; this is a search over all orders, by tempered
        chains with the scores raised to a power. For exact posteriors both return the same graph, and for a sample both
        return its best graph.

        Parameters
        ----------
        given : str or Edges, optional
            A partial graph to complete, also one that no order of this posterior allows.
        effort : float, default 1
            Length of the search, as a multiple of the default.
        rng : int, SeedSequence, Generator or None, default 0
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        BestGraph
            With `.graph` (networkx.DiGraph), `.order`, `.log_score` and `.edges`, the graph as an event.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data, method="trust")
        >>> exact = osp.learn(osp.load_sachs(log=True).data, method="exact")
        >>> abs(posterior.best_graph().log_score - exact.most_probable_graph().log_score) < 1e-6
        True
        """
        factor = check_effort(effort)
        added = as_edges("given", given)
        self._check(added)
        with self._showing(progress):
            return orientations.best_graph(self._model, self._evidence, added, factor, rng)

    def sample(
        self,
        n: int,
        given: EdgesLike = None,
        rng: RNGLike = None,
        *,
        target: str | None = None,
        progress: Progress = "auto",
    ) -> GraphSamples:
        """Draw graphs from the posterior, each with an order; from a sample of graphs with replacement.

        Parameters
        ----------
        n : int
            Number of graphs.
        given : str or Edges, optional
            Evidence to condition on.
        rng : int, SeedSequence, Generator or None
            The same seed gives the same draws, with any number of threads.
        target : {"dag"}, optional
            Let every graph count once. Draws from an order-modular posterior get importance weights: the inverse of the
            number of covered topological orders, or of their weight in a circuit.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        GraphSamples
            With `.adjacency` (n, d, d), `.orders` (n, d) and `.to_networkx()`; with a target also `.weights` and their
            `.quality`.

        Examples
        --------
        >>> import orderspn as osp
        >>> samples = osp.learn(osp.load_sachs(log=True).data).sample(100, rng=0)
        >>> samples.adjacency.shape
        (100, 11, 11)
        """
        count = check_integer("n", n, 1)
        d = len(self.variables)
        check_answer(count * graph_bytes(d), f"{count:,} graphs of {d} variables", "Draw fewer.")
        own = target is None or (target == self._model.target and target != "mixed")
        if not own and target == "order":
            raise InvalidValue(
                f"a posterior in which each graph counts once (target={self._model.target!r}) cannot be sampled for "
                "target='order'; learn with methods.Exact(target='order') or methods.Trust()."
            )
        if not own:
            check_choice("target", target, ("dag",))
        with self._showing(progress):
            model = self.given(given)._model
            return model.sample(count, rng) if own else model.sample_dags(count, rng)

    def causal_effects(
        self, given: EdgesLike = None, *, units: EffectUnits = "data", progress: Progress = "auto"
    ) -> pd.DataFrame:
        """Return total causal effects, averaged over all orders, graphs and weights.

        The effect of i on j is the change of j per unit change of i under an intervention on i: the mean of
        `(I - B)^-1` over weights B.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.
        units : {"data", "sd"}, default "data"
            Whether the change of j is in the unit of its column, per unit of the column of i, or both are in standard
            deviations of their columns. Standard deviations are known if the columns were standardized.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            Row = cause, column = effect, 1 on the diagonal; effects on context variables are 0.

        Examples
        --------
        >>> import orderspn as osp
        >>> effects = osp.learn(osp.load_sachs(log=True).data).causal_effects()
        >>> bool(effects.loc["Erk", "Akt"] > 0.1)
        True
        """
        with self._showing(progress):
            return self._square_frame(self.given(given)._exact_effects(units))

    def estimate_effects(
        self,
        n_orders: int = 1000,
        given: EdgesLike = None,
        rng: RNGLike = 0,
        *,
        units: EffectUnits = "data",
        progress: Progress = "auto",
    ) -> EffectEstimate:
        """Estimate total causal effects from sampled orders, with standard errors.

        For posteriors for which `causal_effects` takes too long. Given each order, the expectation over graphs and
        weights is exact. Orders too rare to be sampled contribute neither to the mean nor to the standard error.

        Parameters
        ----------
        n_orders : int, default 1000
        given : str or Edges, optional
            Evidence to condition on.
        rng : int, SeedSequence, Generator or None, default 0
        units : {"data", "sd"}, default "data"
            As for `causal_effects`.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        EffectEstimate
            With `.mean` and `.standard_error`, each as `causal_effects`.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> estimate = posterior.estimate_effects(400, rng=0)
        >>> error = abs(estimate.mean - posterior.causal_effects())
        >>> bool(error.to_numpy().max() < 5 * estimate.standard_error.to_numpy().max())
        True
        """
        count = self._checked_orders(n_orders, 2)
        with self._showing(progress):
            mean, error = self.given(given)._estimated_effects(count, rng, units)
        return EffectEstimate(self._square_frame(mean), self._square_frame(error), count)

    def effect_samples(
        self,
        n: int = 1000,
        given: EdgesLike = None,
        rng: RNGLike = None,
        *,
        target: str | None = None,
        units: EffectUnits = "data",
        progress: Progress = "auto",
    ) -> EffectSamples:
        """Draw total causal effects: for each draw a graph, then its weights, and the effects that follow.

        `causal_effects` returns means; this returns draws from the whole distribution, with the uncertainty of graphs
        and weights.

        Parameters
        ----------
        n : int, default 1000
        given : str or Edges, optional
            Evidence to condition on.
        rng : int, SeedSequence, Generator or None
        target : {"dag"}, optional
            As for `sample`.
        units : {"data", "sd"}, default "data"
            As for `causal_effects`.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        EffectSamples
            With `.values` (n, d, d), `.mean`, `.interval(0.9)`, and `.of(cause, effect)`.

        Examples
        --------
        >>> import orderspn as osp
        >>> effects = osp.learn(osp.load_sachs(log=True).data).effect_samples(200, rng=0)
        >>> low, high = effects.interval(0.9)
        >>> bool(low.loc["Erk", "Akt"] <= effects.mean.loc["Erk", "Akt"] <= high.loc["Erk", "Akt"])
        True
        """
        count = check_integer("n", n, 1)
        needed = EFFECT_COPIES * 8 * count * len(self.variables) ** 2
        check_answer(needed, f"{count:,} draws of all effects", "Draw fewer.")
        with self._showing(progress):
            return self.given(given)._drawn_effects(count, rng, target, units)

    def interventional(
        self,
        variable: str,
        do: Mapping[str, object],
        given: EdgesLike = None,
        *,
        n_graphs: int = 1000,
        level: float = 0.9,
        rng: RNGLike = 0,
        target: str | None = None,
        progress: Progress = "auto",
    ) -> pd.DataFrame:
        """Estimate the distribution of a variable under interventions on others: `P(Y | do(X = x))`, for categories.

        It is averaged over sampled graphs, and over the tables of probabilities given each graph. Given a graph the
        mean is exact; the credible interval is that of sampled graphs and tables.

        Parameters
        ----------
        variable : str
            The variable Y.
        do : mapping
            The levels that interventions set other variables to, by name; empty for no intervention. Context variables
            have no distribution of their own, so the level of each of them has to be set.
        given : str or Edges, optional
            Evidence to condition on.
        n_graphs : int, default 1000
            Number of graphs to draw, each with tables.
        level : float, default 0.9
            Probability of the central credible intervals.
        rng : int, SeedSequence, Generator or None, default 0
        target : {"dag"}, optional
            As for `sample`.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            A row for each level of the variable, with columns `mean`, `low` and `high`.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_asia().data)
        >>> known = "smoke -> bronc, bronc -> dysp"
        >>> ill = posterior.interventional("dysp", {"bronc": "yes"}, known, n_graphs=200, rng=0).loc["yes"]
        >>> well = posterior.interventional("dysp", {"bronc": "no"}, known, n_graphs=200, rng=0).loc["yes"]
        >>> bool(well["high"] < ill["low"])
        True
        """
        check_fraction("level", level)
        count = check_integer("n_graphs", n_graphs, 1)
        with self._showing(progress):
            return self.given(given)._interventional_draws(variable, do, count, rng, target).table(level)

    def effect_curve(
        self,
        cause: str,
        effect: str,
        at: Sequence[Any] | None = None,
        *,
        given: EdgesLike = None,
        n_samples: int = 1000,
        level: float = 0.9,
        rng: RNGLike = 0,
        target: str | None = None,
        progress: Progress = "auto",
    ) -> pd.DataFrame:
        """Estimate the mean of one variable when another is set to each of a grid of values: `E[Y | do(X = x)]`.

        It is averaged over sampled graphs; where Y does not follow from X, it does not change with x. For a model of
        lines (`scores.BGe()`) its slope is the effect of `causal_effects`.

        Parameters
        ----------
        cause, effect : str
            The variables X and Y, numbers or categories.
        at : sequence, optional
            Values that X is set to: numbers (default: from two standard deviations below the mean to two above), or
            levels (default: all).
        given : str or Edges, optional
            Evidence to condition on.
        n_samples : int, default 1000
            Number of graphs to draw, each with coefficients.
        level : float, default 0.9
            Probability of the central credible intervals.
        rng : int, SeedSequence, Generator or None, default 0
        target : {"dag"}, optional
            As for `sample`.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            A row for each value of X, with columns `mean`, `low` and `high`: the mean of Y, its average over graphs,
            and the ends of its credible interval. If Y is a category, a row for each value of X and each level of Y,
            with the probability of the level.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data
        >>> curved = osp.learn(data, score=osp.scores.BGe(degree=2), knowledge="Erk -> Akt")
        >>> curve = curved.effect_curve("Erk", "Akt", at=[2.0, 3.0, 4.0], n_samples=200)
        >>> bool(curve.loc[4.0, "low"] > curve.loc[2.0, "high"])
        True
        """
        check_fraction("level", level)
        count = check_integer("n_samples", n_samples, 1)
        with self._showing(progress):
            return self.given(given)._curve_draws(cause, effect, at, count, rng, target).table(level)

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

    @property
    def size(self) -> Size:
        """Size of the model of orders: nodes and edges of its circuit, and the number of covered orders.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data
        >>> posterior = osp.learn(data, method=osp.methods.Trust(expansion=[8], block_size=6))
        >>> posterior.size.blocks
        14
        """
        return require(self._model, SIZE, "size").size()

    def coverage(self, n_orders: int = 1000, rng: RNGLike = 0, *, progress: Progress = "auto") -> Coverage:
        """Return the share of the mass of all orders that this posterior covers, before evidence.

        Exact posteriors cover all of it. For a circuit of up to 20 variables the exact mass is computed; for more, the
        share is estimated from orders sampled by an independent Markov chain.

        Parameters
        ----------
        n_orders : int, default 1000
            Number of orders to sample if the exact mass cannot be computed.
        rng : int, SeedSequence, Generator or None
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        Coverage
            With `.elbo`, `.log_covered`, `.share`, its `.standard_error`, and `.basis`.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data, method="trust", rng=0)
        >>> 0.1 < posterior.coverage().share < 1.0
        True
        """
        count = self._checked_orders(n_orders, 1)
        with self._showing(progress):
            return require(self._model, COVERAGE, "coverage").coverage(count, rng)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the posterior to one `.npz` file, atomically and without pickle; read it with `load`.

        A link is followed, and an existing file keeps its permissions. Raises
        UnwritableFile if the file cannot be written.

        Examples
        --------
        >>> import orderspn as osp, tempfile, pathlib
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     posterior.save(pathlib.Path(folder) / "posterior.npz")
        ...     again = osp.load(pathlib.Path(folder) / "posterior.npz")
        >>> again.log_evidence == posterior.log_evidence
        True
        """
        from orderspn.storage import save

        save(self, check_path("path", path))

    def summary(self) -> Summary:
        """Describe the posterior in a few lines.

        Returns
        -------
        Summary
            A text that shows itself in a prompt, and as a table in a notebook; `.key` explains its terms.

        Examples
        --------
        >>> import orderspn as osp
        >>> print(osp.learn(osp.load_sachs(log=True).data).summary())
        Posterior over causal graphs of 11 variables, learned from 853 rows (standardized)
        ...
        """
        from orderspn.summary import describe

        return describe(self)

    def __repr__(self) -> str:
        condition = f", given {cut(str(self._evidence))!r}" if self._evidence else ""
        n_context = self._model.score.context.size
        context = f" ({n_context} context)" if n_context else ""
        return (
            f"<Posterior: {self._settings['method']}, {len(self._model.variables)} variables{context}, "
            f"{self._settings['rows']} rows{condition}>"
        )

    def _repr_html_(self) -> str:
        from orderspn.summary import posterior_html

        return posterior_html(self)

    def _effect_scale(self, units: EffectUnits) -> np.ndarray | float:
        """Return the factors of effects [cause, effect]; raise an error if edges have no weights."""
        check_linear(self._model.score)
        return effect_scale(self._units, units)

    def _exact_effects(self, units: EffectUnits) -> np.ndarray:
        """Return mean total effects (d, d)."""
        scale = self._effect_scale(units)
        return require(self._model, EXACT_EFFECTS, "causal_effects()").effects() * scale

    def _estimated_effects(self, count: int, rng: RNGLike, units: EffectUnits) -> tuple[np.ndarray, np.ndarray]:
        """Return mean total effects over sampled orders and their standard errors, each (d, d)."""
        scale = self._effect_scale(units)
        mean, error = self._model.estimate_effects(count, rng)
        return mean * scale, error * scale

    def _drawn_effects(self, count: int, rng: RNGLike, target: str | None, units: EffectUnits) -> EffectSamples:
        """Draw graphs, then weights, and return their effects."""
        scale = self._effect_scale(units)
        seeds = seed_sequence(rng).spawn(2)
        samples = self.sample(count, rng=seeds[0], target=target)
        return draw_effects(samples, self._model.score, seeds[1], self._model.workers, scale)

    def _curve_question(self, cause: str, effect: str, at: Sequence[Any] | None) -> tuple[ColumnModel, CurveQuestion]:
        """Return the model of columns, and the question of an effect curve to it."""
        model = columns_behind(self._model.score.likelihood, self._units)
        return model, CurveQuestion.checked(model, cause, effect, at, self.variables)

    def _curve_draws(
        self, cause: str, effect: str, at: Sequence[Any] | None, count: int, rng: RNGLike, target: str | None
    ) -> CurveDraws:
        """Draw graphs and coefficients, and return the mean of the effect for each of them."""
        model, question = self._curve_question(cause, effect, at)
        seeds = seed_sequence(rng).spawn(2)
        samples = self.sample(count, rng=seeds[0], target=target)
        return curve_draws(samples, question, model, seeds[1])

    def _interventional_draws(
        self, variable: str, do: Mapping[str, object], count: int, rng: RNGLike, target: str | None
    ) -> InterventionalDraws:
        """Draw graphs and tables, and return the probabilities of the levels of a variable for each of them."""
        fitted = categories_behind(self._model.score)
        question = Question.checked(variable, do, self._model.variables, fitted, self.context)
        seeds = seed_sequence(rng).spawn(2)
        samples = self.sample(count, rng=seeds[0], target=target)
        return interventional_draws(samples, question, fitted, seeds[1], self._model.workers)

    def _showing(self, progress: Progress) -> AbstractContextManager[object]:
        return showing(progress, self._model.workers.progress)

    def _checked_orders(self, n_orders: int, minimum: int) -> int:
        count, d = check_integer("n_orders", n_orders, minimum), len(self.variables)
        check_answer(count * order_bytes(d), f"{count:,} orders of {d} variables", "Draw fewer, n_orders=.")
        return count

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
