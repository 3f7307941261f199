"""A graph of the user's before the posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from orderspn.core.randomness import RNGLike
from orderspn.display.progress import Progress
from orderspn.posterior.state import PosteriorState
from orderspn.queries.edges import EdgesLike

if TYPE_CHECKING:
    from orderspn.judging.judgement import Judgement
    from orderspn.posterior.posterior import Posterior


class JudgementQueries(PosteriorState):
    """Questions about a graph that the user brings."""

    def judge(
        self,
        graph: Any,
        given: EdgesLike = None,
        *,
        keep: EdgesLike = None,
        level: float = 0.05,
        n_samples: int = 1000,
        rng: RNGLike = 0,
        missing_variables: str = "error",
        progress: Progress = "auto",
    ) -> Judgement:
        """Judge a graph: how probable it is, whether it is implausible, what contradicts it, and what is better.

        A graph is called implausible if all graphs that are at most as probable have together a posterior probability
        below `level`. If graph and data come from the prior and the model, a true graph is called so no more often
        than the level says.

        Parameters
        ----------
        graph : networkx graph, str, path, pairs, DataFrame, array, or model of pgmpy
            A graph over the variables of this posterior. Text is edges (`"A -> B, B -- C"`), DOT, GML, or DAGitty
            (`"dag { A -> B  C <- D }"`); files end in .dot, .gv, .gml, .dagitty or .txt. Undirected edges, and edges in
            both directions, may have either direction, as in a CPDAG. Bidirected edges are refused.
        given : str or Edges, optional
            Evidence to condition on.
        keep : str, Edges or pairs, optional
            Edges that the suggested graph keeps (default: those of the graph that are more probable than not).
        level : float, default 0.05
        n_samples : int, default 1000
            Number of graphs to draw for the tail probability; a sample of graphs is used as a whole.
        rng : int, SeedSequence, Generator or None, default 0
        missing_variables : {"error", "isolated"}, default "error"
            What it means that the graph does not name a variable of this posterior: a mistake, or that it has no edges.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        Judgement
            With `.implausible`, `.log_probability`, `.tail`, `.equivalence`, `.log_bayes_factor`, the frames `.edges`,
            `.gaps` and `.moves`, and the `.suggestion`; `print` shows a report.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]]
        >>> posterior = osp.learn(data)
        >>> posterior.judge("Raf -> Mek, Erk -> Akt").verdict
        'plausible'
        >>> judgement = posterior.judge("dag { Raf -> Erk  Mek -> Akt }")
        >>> judgement.implausible
        True
        >>> sorted(f"{gap.first} -- {gap.second}" for gap in judgement.gaps.itertuples() if gap.finding == "edge")
        ['Erk -- Akt', 'Raf -- Mek']
        """
        from orderspn.judging.judging import judge

        with self._showing(progress):
            return judge(
                cast("Posterior", self.given(given)),
                graph,
                keep=keep,
                level=level,
                n_samples=n_samples,
                rng=rng,
                missing_variables=missing_variables,
            )
