"""Seeing a posterior: the explorer in a notebook or the browser, and the same as one file."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from orderspn.core.arguments import check_integer, check_path
from orderspn.core.atomic import replacing
from orderspn.core.randomness import RNGLike
from orderspn.posterior.state import PosteriorState
from orderspn.queries.edges import EdgesLike, as_edges

if TYPE_CHECKING:
    from orderspn.posterior.posterior import Posterior


class Exploring(PosteriorState):
    """Pages on which edges are clicked and probabilities follow."""

    def explore(self, given: EdgesLike = None, *, height: int = 720, browser: bool | None = None) -> Any:
        """Explore the posterior: click edges that you know, and see how all other probabilities follow, exactly.

        In a notebook (Jupyter, JupyterLab, VS Code, marimo) it is a widget. Elsewhere it opens in the browser, from a
        server on this computer that no other can reach, and the call ends when its pages are closed.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence that the page begins with. It can be taken back there, which that of `posterior.given` cannot.
        height : int, default 720
            Height of the widget in pixels.
        browser : bool, optional
            Whether to open the browser (default: unless this is a notebook).

        Returns
        -------
        ExplorerWidget or None
            In a notebook the widget, whose `.given` is the evidence on the page, and `.posterior` the posterior under
            it.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> widget = posterior.explore(given="PKA -> Akt", browser=False)
        >>> widget.given
        'PKA -> Akt'
        """
        from orderspn.explorer.opening import explore

        evidence = as_edges("given", given)
        self.given(evidence)  # so that mistakes are told here, not on the page
        pixels = check_integer("height", height, 200, 10_000)
        return explore(cast("Posterior", self), str(evidence), pixels, browser)

    def to_html(
        self, path: str | PathLike[str], *, title: str | None = None, n_samples: int = 4000, rng: RNGLike = 0
    ) -> None:
        """Write a page that anybody can open and explore: one file, without a server, a kernel or the network.

        Probabilities without evidence are those of this posterior. When edges are clicked, the page answers from the
        draws that it carries: it keeps those that satisfy the evidence, says how many are left, and when they are too
        few.

        Parameters
        ----------
        path : str or path
            Written atomically; an existing file is replaced.
        title : str, optional
            Title of the page (default: the name of the file without its ending).
        n_samples : int, default 4000
            Number of draws of graphs.
        rng : int, SeedSequence, Generator or None, default 0

        Examples
        --------
        >>> import orderspn as osp, tempfile, pathlib
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     posterior.to_html(pathlib.Path(folder) / "report.html", n_samples=500)
        ...     (pathlib.Path(folder) / "report.html").stat().st_size < 1_000_000
        True
        """
        from orderspn.explorer.static_page import report

        place = check_path("path", path)
        text = report(cast("Posterior", self), place.stem if title is None else title, n_samples, rng)
        with replacing(place) as temporary:
            temporary.write_text(text, encoding="utf-8")
