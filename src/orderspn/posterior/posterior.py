"""The class `Posterior`: a posterior over causal graphs with all its queries."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from orderspn.core.arguments import check_path
from orderspn.core.randomness import RNGLike
from orderspn.display.progress import Progress
from orderspn.display.summaries import Summary
from orderspn.display.text import cut
from orderspn.models.capabilities import COVERAGE, SIZE, require

if TYPE_CHECKING:
    from orderspn.lattice.coverage import Coverage, Size

from orderspn.posterior.ancestors import AncestorQueries
from orderspn.posterior.effect_reports import EffectReports
from orderspn.posterior.exploring import Exploring
from orderspn.posterior.identification import IdentificationQueries
from orderspn.posterior.judgement import JudgementQueries


class Posterior(IdentificationQueries, AncestorQueries, EffectReports, JudgementQueries, Exploring):
    """A posterior over causal graphs. Its answers are exact unless it is a sample of graphs.

    It is made by `learn` or `load` and never changes: conditioning returns a new posterior. With the target "order" it
    is `p(order, graph) prop. to prod_i prior_i(parents) x likelihood_i(parents)` over all pairs of a graph and one of
    its topological orders, so a graph counts once for each of its orders. With "dag" every graph counts once. Answers
    of a sample (`method="gadget"`) are frequencies, those of particles (`method="dibs"`) are weighted shares.

    Every query takes evidence as `given`: present edges, absent edges, neighbours, order constraints and ancestors, as
    a string (`"A -> B, C !-> D, A -- C, A < D, B ~> D"`) or as `Edges`. Pairs such as `[("A", "B")]`, and a
    networkx.DiGraph, are present edges; all others may be present or absent. Neighbours (`A -- C`) have an edge in
    either direction. Order constraints such as `A < D` need a posterior over orders (target "order", methods "exact"
    and "trust"). Ancestors (`B ~> D`: there is a directed path from B to D) are the only evidence that is met by draws:
    the posterior under it is a sample of graphs.

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

        The file contains no table. It has sums over rows that the answers follow from, and the histograms of
        `distributions`, if they were kept. A link is followed, and an existing file keeps its permissions. Raises
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

    def update(
        self,
        rows: Any,
        *,
        interventions: Any = None,
        targets: Mapping[Any, Any] | None = None,
        standardize: Literal["again", "keep"] = "again",
        method: Any = None,
        rng: RNGLike = 0,
        n_jobs: int | None = None,
        progress: Progress = "auto",
    ) -> Posterior:
        """Return the posterior after more rows, without the table that it was learned from.

        It equals the posterior that `learn` gives for all rows together: the posterior keeps the sums that this needs,
        and so do its files. Methods that search begin anew.

        Parameters
        ----------
        rows : DataFrame, array or path
            New rows with the columns of the posterior, in the units of the data. Columns may be constant.
        interventions, targets : optional
            Which variables were intervened on in which of the new rows, as for `learn`.
        standardize : {"again", "keep"}, default "again"
            Units in which the prior holds, if the posterior was learned from standardized columns: the means and
            standard deviations of all rows, as `learn` has them, or those of the earlier rows. With "keep" the
            posterior is the earlier one times the likelihood of the new rows.
        method : str or method value, optional
            Default: that of the posterior.
        rng : int, SeedSequence, Generator or None, default 0
        n_jobs : int, optional
        progress : bool, "auto" or callable, default "auto"

        Returns
        -------
        Posterior
            Under the same evidence.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data
        >>> updated = osp.learn(data[:500]).update(data[500:])
        >>> updated
        <Posterior: exact, 11 variables, 853 rows>
        >>> round(updated.log_evidence - osp.learn(data).log_evidence, 6)
        0.0
        """
        from orderspn.updating import update

        return update(self, rows, interventions, targets, standardize, method, rng, n_jobs, progress)

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
