"""The explorer in a notebook: a widget with the same page, whose questions the kernel answers."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from orderspn.explorer.answering import Answering
from orderspn.explorer.documents import Source
from orderspn.explorer.page import page, program
from orderspn.explorer.static_page import report_data
from orderspn.queries.edges import Edges

if TYPE_CHECKING:
    from orderspn.posterior import Posterior

FALLBACK_DRAWS = 1000
"""Number of draws that a notebook keeps, for readers without a kernel."""


class ExplorerWidget(anywidget.AnyWidget):
    """The explorer of a posterior in a notebook, made by `posterior.explore()`.

    `.given` is the evidence of the page: read it to go on in Python where the clicks ended, or set it.

    Where there is no kernel, such as in a notebook on a web site, the page answers from draws that it carries.
    """

    _esm = program()
    data = traitlets.Dict().tag(sync=True)
    given = traitlets.Unicode("").tag(sync=True)
    view = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(720).tag(sync=True)

    def __init__(self, posterior: Posterior, source: Source, *, given: str = "", height: int = 720) -> None:
        self._answering = Answering(posterior, source)
        self._title = source.title
        super().__init__(data=report_data(posterior, source, FALLBACK_DRAWS, 0), given=given, height=height)
        self._posterior = posterior
        self.on_msg(self._answered)

    @property
    def posterior(self) -> Posterior:
        """The posterior under the evidence of the page."""
        return self._posterior.given(Edges.parse(self.given)) if self.given else self._posterior

    def _answered(self, _: Any, content: Any, buffers: Any) -> None:
        """Answer a question of the page: `{"id": ..., "ask": JSON}`."""
        del buffers
        if isinstance(content, dict) and isinstance(content.get("ask"), str):
            found = self._answering.answer_text(content["ask"].encode())
            self.send({"id": content.get("id"), "answer": found})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Add the page itself, for readers of the notebook that show no widgets."""
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        shown, *rest = bundle if isinstance(bundle, tuple) else (bundle,)
        frame = html.escape(page(self._title, dict(self.data)))
        shown = {
            **shown,
            "text/html": f'<iframe srcdoc="{frame}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>',
        }
        return (shown, *rest) if rest else shown
