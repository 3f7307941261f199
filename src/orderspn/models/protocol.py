"""What a distribution over graphs must answer, and what it may; the posterior adds names, frames and checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self

import numpy as np

from orderspn.core.randomness import RNGLike
from orderspn.core.workers import Workers
from orderspn.lattice.coverage import Coverage, Size
from orderspn.models.parts import Parts
from orderspn.queries.edges import Edges
from orderspn.queries.most_probable import BestGraph, MostProbableGraph
from orderspn.queries.sampling import GraphSamples
from orderspn.scores.local import LocalScore

Target = Literal["order", "dag"]
"""Whether a graph counts once for each order that it follows, or once."""

Lines = list[tuple[str, str]]
"""What a summary says: names and values."""


class GraphModel(Protocol):
    """A distribution over the graphs of named variables. What else it can answer is in the protocols below.

    A class whose posteriors are to be saved is registered (`models/registry.py`), and may have `stored`, the types of
    its arrays (`core/stored_arrays.py`); without it any arrays of numbers are taken.
    """

    kind: ClassVar[str]
    """The name of the class in files."""

    target: ClassVar[Target]

    nature: ClassVar[str]
    """What it is, as the rest of a sentence that begins with "this posterior"."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Names, by index."""

    @property
    def score(self) -> LocalScore:
        """Local scores of parent sets."""

    @property
    def workers(self) -> Workers:
        """Threads to use."""

    @property
    def candidates(self) -> Sequence[np.ndarray]:
        """Variables that may be parents in any combination, of each variable."""

    @property
    def outsider_rows(self) -> Sequence[np.ndarray]:
        """Variables that may be parents besides them: rows (n, at once), each of them at once, -1 for nobody."""

    def given(self, evidence: Edges, added: Edges) -> Self:
        """The same under evidence, of which `added` is new; an `ImpossibleEvidence` error says why it cannot be."""

    def log_probability(self, evidence: Edges, event: Edges) -> float:
        """Log probability of an event; `evidence` is what the model is given already."""

    def standard_error(self, event: Edges) -> float:
        """Monte Carlo standard error of the probability of an event."""

    def edge_standard_errors(self) -> np.ndarray:
        """Monte Carlo standard errors of the edge probabilities (d, d)."""

    def edge_matrix(self) -> np.ndarray:
        """Edge probabilities (d, d), [cause, effect]."""

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Parent sets of positive probability and their probabilities, most probable first."""

    def most_probable_graph(self) -> MostProbableGraph:
        """The graph with the highest score."""

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
        """The best graph that a search finds, under evidence of which `added` is new."""

    def sample(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw graphs."""

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw graphs that count once each, by weights where they are drawn otherwise."""

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Mean total effects and their Monte Carlo standard errors, each (d, d)."""

    def lines(self) -> Lines:
        """What a summary says about the model itself."""

    def arrays(self) -> dict[str, np.ndarray]:
        """What, with the score, the candidates and the outsiders, restores the model from a file, before evidence."""

    @classmethod
    def restore(cls, parts: Parts) -> Self:
        """Make the model again from the parts of a file; anybody may have written it, and a ValueError refuses it."""


class OverOrders(Protocol):
    """A distribution over orders and graphs: then one may ask what comes before what, also as evidence."""

    def precedence(self) -> np.ndarray:
        """Probability that one variable comes before another (d, d)."""


class WithMasses(Protocol):
    """A distribution that is a sum over everything covered."""

    @property
    def log_evidence(self) -> float:
        """Log of the summed scores of everything covered."""

    def entropy(self) -> float:
        """Entropy in nats."""


class WithExactEffects(Protocol):
    """A distribution over which effects can be averaged without sampling."""

    def effects(self) -> np.ndarray:
        """Mean total effects (d, d), 1 on the diagonal."""


class WithSize(Protocol):
    """A distribution given by a circuit over orders."""

    def size(self) -> Size:
        """Nodes, edges and number of orders."""


class WithCoverage(Protocol):
    """A distribution that knows how much of the whole it covers."""

    def coverage(self, n_orders: int, rng: RNGLike) -> Coverage:
        """How much of the mass is covered."""


class WithGraphScores(Protocol):
    """A distribution in which each graph has a probability up to a constant."""

    def log_weights_of(self, graphs: np.ndarray) -> np.ndarray:
        """Log of what each DAG (n, d, d) weighs, up to a constant, shape (n,); -inf for those that are impossible."""


class GraphList(Protocol):
    """A distribution that is a list of graphs with weights."""

    def weighted_graphs(self) -> tuple[np.ndarray, np.ndarray]:
        """Graphs (n, d, d) and weights (n,) that sum to 1, under the evidence."""


class Draws(NamedTuple):
    """Graphs of Markov chains, run by run."""

    n_runs: int
    adjacency: np.ndarray  # (draws, d, d)
    log_scores: np.ndarray  # (draws,)


class SampledByChains(Protocol):
    """A list of graphs drawn by Markov chains."""

    def draws(self, *, all_of_them: bool = False) -> Draws:
        """The draws that satisfy the evidence, as one run where there is any; or all of them."""


def is_posterior(value: Any) -> bool:
    """Whether something answers as a posterior does: it has edge probabilities, and graphs can be drawn from it."""
    return callable(getattr(value, "edge_probabilities", None)) and callable(getattr(value, "sample", None))
