"""Whole graphs: the most probable ones, and draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orderspn.core.arguments import check_choice, check_effort, check_integer
from orderspn.core.errors import InvalidValue
from orderspn.core.memory import check_answer
from orderspn.core.randomness import RNGLike
from orderspn.display.progress import Progress
from orderspn.models import ancestry
from orderspn.queries.edges import EdgesLike, as_edges
from orderspn.queries.most_probable import BestGraph, MostProbableGraph
from orderspn.queries.sampling import GraphSamples, graph_bytes

if TYPE_CHECKING:
    pass

from orderspn.posterior.state import PosteriorState


class GraphQueries(PosteriorState):
    """Questions whose answers are graphs."""

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

        The families of a circuit are limited to save memory, in dense graphs too much (`learn` warns). Without
        evidence, the search with BGe or BIC is not held back by that: parents are any that the knowledge and
        `max_parents` allow. This posterior may then give the graph the probability 0, as with an order that it does not
        cover. With `outsiders=0`, the default for candidates that were named, parents are among the candidates.

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
            return ancestry.best_graph(self._model, self._evidence, added, factor, rng)

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
        check_answer(count * graph_bytes(d), f"{count:,} graphs of {d} variables", "Draw fewer.", self._memory)
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
