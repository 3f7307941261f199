"""Summaries: names and values, as text and as a table of a notebook, with a key to their terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from orderspn.display.html import facts, folded, titled
from orderspn.display.text import Text

MEANINGS = {
    "method": "how the posterior was learned, and what counts once: a graph, or each of its topological orders",
    "component": "a posterior of the mixture: its number, its weight under the evidence, and how it was learned",
    "made from": "the orders that the circuit covers: cuts of sampled ones, or partitions that an oracle proposed",
    "sampled": "the graphs of the posterior, and the Markov chains that they come from",
    "accepted": "share of the proposed moves of each kind that the chains made",
    "acceptance": "share of the proposed moves that the oracle's chains made",
    "particles": "the graphs of the posterior, which were moved together until the steps were over",
    "agreement": "whether independent searches found the same; if not, answers depend on the seed",
    "accuracy": "how far edge probabilities may be from those of endless sampling",
    "R-hat": "compares chains with each other: near 1 if they agree",
    "circuit": "the size of the OrderSPN; a block is a set of variables with all of its orders",
    "covered": "what of all orders or graphs the posterior sums over",
    "ELBO": "lower bound of the log evidence over all orders",
    "graphs": "number of graphs that answers are shares of",
    "context variables": "variables that are only ever causes, are never explained, and have no place in orders",
    "score": "marginal likelihood of the data given a graph, with its hyperparameters, and the prior over parent sets",
    "candidate parents": "variables that may be parents of a variable in any combination",
    "outsiders": "variables that may be parents besides the candidates, one or two at a time",
    "known": "background knowledge that was given to learn",
    "log evidence": "log of the sum of prior x likelihood over everything covered; higher is better for the same data",
    "entropy": "uncertainty of the posterior: 0 if one answer is certain, and log n for n equally probable ones",
    "nats": "units of natural logarithms: a difference of 1 is a factor of 2.7 in probability",
    "expected edges": "sum of the probabilities of all edges: the mean number of edges of a graph",
    "given": "the evidence that the posterior is conditioned on",
    "warning": "what learn warned of",
}
"""What the terms of summaries mean, in one line each."""

WITHIN_VALUES = ("R-hat", "ELBO", "nats")
"""Terms that are not the name of a line."""


class Summary(Text):
    """A few lines about a posterior: a text that a prompt shows as it is, and a notebook as a table.

    Attributes
    ----------
    headline : str
    lines : tuple of (str, str)
        Names and values.

    Examples
    --------
    >>> import orderspn as osp
    >>> summary = osp.learn(osp.load_sachs(log=True).data).summary()
    >>> dict(summary.lines)["covered"]
    'all orders'
    """

    headline: str
    lines: tuple[tuple[str, str], ...]

    def __new__(cls, headline: str, lines: Sequence[tuple[str, str]]) -> Self:
        """Write the headline and a line for each name and value."""
        summary = super().__new__(cls, "\n".join([headline, *(f"  {name:<20} {value}" for name, value in lines)]))
        summary.headline, summary.lines = headline, tuple(lines)
        return summary

    def __getnewargs__(self) -> tuple[str, tuple[tuple[str, str], ...]]:  # type: ignore[override]
        return self.headline, self.lines

    @property
    def key(self) -> Text:
        """What the terms of this summary mean, in one line each.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.learn(osp.load_sachs(log=True).data).summary().key
        method               how the posterior was learned, ...
        """
        return Text("\n".join(f"{term:<20} {meaning}" for term, meaning in self._meanings().items()))

    def _meanings(self) -> dict[str, str]:
        used = {name for name, _ in self.lines}
        used |= {term for term in WITHIN_VALUES for _, value in self.lines if term in value.split()}
        return {term: meaning for term, meaning in MEANINGS.items() if term in used}

    def as_html(self) -> str:
        """Return a table, in which the meaning of a term is shown when the pointer is on it, and the key."""
        key = facts(self._meanings().items(), {})
        return titled(self.headline, facts(self.lines, MEANINGS), folded("What do these terms mean?", key))

    def _repr_html_(self) -> str:
        return self.as_html()
