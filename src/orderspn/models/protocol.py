"""The methods that a distribution over graphs must have and may have; `Posterior` adds names, frames and checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self

import numpy as np

from orderspn.core.randomness import RNGLike
from orderspn.core.workers import Workers
from orderspn.lattice.coverage import Coverage, Size
from orderspn.models.parts import Parts
from orderspn.queries.descendant_sets import DescendantSets
from orderspn.queries.edges import Edges
from orderspn.queries.most_probable import BestGraph, MostProbableGraph
from orderspn.queries.sampling import GraphSamples
from orderspn.scores.local import LocalScore

if TYPE_CHECKING:
    from orderspn.data.units import Units

Target = Literal["order", "dag", "mixed"]
"""Whether a graph counts once for each of its orders, or once; "mixed" for a mixture of both."""

Lines = list[tuple[str, str]]
"""Lines of a summary: names and values."""


class GraphModel(Protocol):
    """A distribution over the graphs of named variables. The protocols below are for further queries.

    Neighbours in events and evidence are resolved before they reach a model (`models/orientations.py`), unless it has
    `tests_neighbours = True`, and ancestors (`models/ancestry.py`), unless it has `tests_ancestors = True`.
    To save its posteriors, register the class (`models/registry.py`). It may have `stored`, the types of its arrays
    (`core/stored_arrays.py`); without it any arrays of numbers are accepted.
    """

    @property
    def kind(self) -> str:
        """The name of the class in files; an attribute of the class if it can be restored."""

    @property
    def target(self) -> Target:
        """Whether a graph counts once for each of its orders, or once."""

    @property
    def nature(self) -> str:
        """What the model is, as the end of a sentence that begins with "this posterior"."""

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
        """Candidate parents of each variable."""

    @property
    def outsider_rows(self) -> Sequence[np.ndarray]:
        """Outsiders of each variable: rows (n, width) of variables that are parents together, padded with -1."""

    def given(self, evidence: Edges, added: Edges) -> GraphModel:
        """Condition the model on evidence, of which `added` is new; raise `ImpossibleEvidence` if it cannot be."""

    def log_probability(self, evidence: Edges, event: Edges) -> float:
        """Return the log probability of an event; the model is conditioned on `evidence` already."""

    def standard_error(self, event: Edges) -> float:
        """Return the Monte Carlo standard error of the probability of an event."""

    def edge_standard_errors(self) -> np.ndarray:
        """Return the Monte Carlo standard errors of the edge probabilities (d, d)."""

    def edge_matrix(self) -> np.ndarray:
        """Return edge probabilities (d, d), [cause, effect]."""

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Return parent sets of positive probability and their probabilities, most probable first."""

    def most_probable_graph(self) -> MostProbableGraph:
        """Return the graph with the highest score."""

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
        """Search for the best graph under evidence, of which `added` is new."""

    def sample(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw graphs."""

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw graphs from the distribution in which each counts once, with importance weights if needed."""

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Return mean total effects and their Monte Carlo standard errors, each (d, d)."""

    def lines(self) -> Lines:
        """Return the lines of a summary about the model."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that, with score, candidates and outsiders, restore the model before evidence."""

    @classmethod
    def restore(cls, parts: Parts) -> Self:
        """Rebuild the model from the parts of a file of any source; raise a ValueError if they are invalid."""


class OverOrders(Protocol):
    """A distribution over orders and graphs, for order constraints and precedence."""

    def precedence(self) -> np.ndarray:
        """Return the probability that one variable comes before another (d, d)."""


class WithMasses(Protocol):
    """A distribution with the sum of the scores of everything covered."""

    @property
    def log_evidence(self) -> float:
        """Log of the summed scores of everything covered."""

    def entropy(self) -> float:
        """Return the entropy in nats."""


class WithExactEffects(Protocol):
    """A distribution with exact mean effects, without sampling."""

    def effects(self) -> np.ndarray:
        """Return mean total effects (d, d), 1 on the diagonal."""


class WithSize(Protocol):
    """A distribution given by a circuit over orders."""

    def size(self) -> Size:
        """Return the numbers of nodes, edges and orders."""


class WithCoverage(Protocol):
    """A distribution with a coverage of the mass of all graphs."""

    def coverage(self, n_orders: int, rng: RNGLike) -> Coverage:
        """Return the covered share of the mass."""


class WithGraphScores(Protocol):
    """A distribution in which each graph has a probability up to a constant."""

    def log_weights_of(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log weight of each DAG (n, d, d) up to a constant, shape (n,); -inf for impossible graphs."""


class WithDescendants(Protocol):
    """A distribution with exact answers about descendants, if there are few variables."""

    def exact_descendants(self, source: int) -> DescendantSets | None:
        """Return the distribution of the descendants of a variable; None if there are too many variables."""

    def exact_ancestors(self) -> np.ndarray | None:
        """Return the probability that one variable is an ancestor of another (d, d); None if there are too many."""


class GraphList(Protocol):
    """A distribution that is a list of graphs with weights."""

    def weighted_graphs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return graphs (n, d, d) and weights (n,) with sum 1, under the evidence."""


class PartOfMixture(Protocol):
    """One component of a mixture: a model under evidence, and how it was learned."""

    @property
    def model(self) -> GraphModel:
        """The distribution under the evidence."""

    @property
    def evidence(self) -> Edges:
        """All evidence on this component."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that it was learned with."""

    @property
    def units(self) -> Units | None:
        """The units of its data, if these were standardized."""


class Mixed(Protocol):
    """A mixture of distributions."""

    @property
    def components(self) -> Sequence[PartOfMixture]:
        """The distributions that are mixed."""

    @property
    def log_weights(self) -> np.ndarray:
        """Logs of their weights, whose sum is 1."""

    @property
    def log_total(self) -> float | None:
        """The log evidence, if it is known."""

    @property
    def reweighted(self) -> bool:
        """Whether evidence on the mixture has changed the weights."""

    def entropy_bounds(self) -> tuple[float, float]:
        """Return a lower and an upper bound of the entropy in nats."""


class Draws(NamedTuple):
    """Graphs of Markov chains, run by run."""

    n_runs: int
    adjacency: np.ndarray  # (draws, d, d)
    log_scores: np.ndarray  # (draws,)


class SampledByChains(Protocol):
    """A list of graphs drawn by Markov chains."""

    def draws(self, *, all_of_them: bool = False) -> Draws:
        """Return the draws that satisfy the evidence, as one run if there is evidence; or all draws."""


def is_posterior(value: Any) -> bool:
    """Whether an object has the methods of a posterior: edge probabilities and draws of graphs."""
    return callable(getattr(value, "edge_probabilities", None)) and callable(getattr(value, "sample", None))
