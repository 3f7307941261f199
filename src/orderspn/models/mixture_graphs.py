"""A mixture of models, `p(G) = sum_m w_m p_m(G)`: one more sum node above the others.

Evidence multiplies each weight by the probability of the evidence under its component. Probabilities are weighted
means, and a draw comes from a drawn component. The most probable graph and the entropy have no closed form.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, NoReturn

import numpy as np

from orderspn.core.errors import ImpossibleEvidence, Unavailable
from orderspn.core.randomness import RNGLike, seed_sequence
from orderspn.core.workers import Workers
from orderspn.models.capabilities import MASSES, require
from orderspn.models.component import Component
from orderspn.models.mixture_answers import ANSWERED_BY_ALL, Share, weighted_sum
from orderspn.models.mixture_best import best_of
from orderspn.models.parts import Parts
from orderspn.models.pooling import Division, pooled
from orderspn.models.protocol import Lines, Target
from orderspn.queries.edges import Edges
from orderspn.queries.most_probable import BestGraph, MostProbableGraph
from orderspn.queries.sampling import GraphSamples
from orderspn.scores.local import LocalScore


@dataclass(frozen=True, eq=False, repr=False)
class MixtureGraphs:
    """A mixture of distributions over the graphs of the same variables.

    It has a capability if all components of positive weight have it (`models/mixture_answers.py`).

    Attributes
    ----------
    variables : tuple of str
    components : tuple of Component
        A component that evidence rules out keeps its place, with weight 0 and without that evidence.
    log_weights : numpy.ndarray
        Shape (components,): log of weights with sum 1.
    log_total : float, optional
        The log evidence, if the weights are shares of the evidence of the components, or there is only one.
    reweighted : bool
        Whether evidence on the mixture has changed the weights.
    """

    kind: ClassVar[str] = "mixture"
    tests_neighbours: ClassVar[bool] = True
    tests_ancestors: ClassVar[bool] = True

    variables: tuple[str, ...]
    components: tuple[Component, ...]
    log_weights: np.ndarray
    log_total: float | None = field(default=None)
    reweighted: bool = field(default=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.components)} components, {len(self.variables)} variables>"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        answered = ANSWERED_BY_ALL.get(name)
        if answered is None or not all(answered.possible(component) for _, component in self.shares()):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return partial(answered.combine, self.shares())

    @property
    def target(self) -> Target:
        """What the components agree on; "mixed" if graphs count once in some of them, and once per order in others."""
        targets = {component.model.target for _, component in self.shares()}
        return targets.pop() if len(targets) == 1 else "mixed"

    @property
    def nature(self) -> str:
        """What the model is, for messages."""
        return (
            f"is a mixture of {len(self.components)} posteriors, some of which cannot answer it, or their answers "
            "cannot be averaged (ask them one by one: posterior.components)"
        )

    @property
    def score(self) -> LocalScore:
        """Raise an error: each component has its own."""
        raise Unavailable(
            "a mixture has no local scores of its own; those of its components are posterior.components[0].model.score."
        )

    @property
    def workers(self) -> Workers:
        """Threads to use."""
        return self.components[0].model.workers

    @property
    def candidates(self) -> list[np.ndarray]:
        """Variables that are candidate parents of each variable in any component."""
        return [np.flatnonzero(column) for column in self._parents[0].T]

    @property
    def outsider_rows(self) -> list[np.ndarray]:
        """Variables that are outsiders in some component and candidates in none, as rows of one."""
        inside, outside = self._parents
        return [np.flatnonzero(column)[:, None] for column in (outside & ~inside).T]

    @property
    def weights(self) -> np.ndarray:
        """Weight of each component, with sum 1."""
        weights: np.ndarray = np.exp(self.log_weights)
        return weights / weights.sum()

    def shares(self) -> list[Share]:
        """Return the components of positive weight, each with its weight."""
        shares = zip(self.weights.tolist(), self.components, strict=True)
        return [(weight, component) for weight, component in shares if weight > 0.0]

    def given(self, evidence: Edges, added: Edges) -> MixtureGraphs:
        """Condition each component, and multiply its weight by the probability of the evidence."""
        log_joint = self._log_joint(added)
        log_probability = float(np.logaddexp.reduce(log_joint))
        if log_probability == -math.inf:
            raise ImpossibleEvidence(self._why_impossible(evidence, added))
        return MixtureGraphs(
            self.variables,
            tuple(
                component.given(added) if log_share > -math.inf else component
                for component, log_share in zip(self.components, log_joint, strict=True)
            ),
            log_joint - log_probability,
            None if self.log_total is None else self.log_total + min(0.0, log_probability),
            reweighted=True,
        )

    def log_probability(self, evidence: Edges, event: Edges) -> float:  # noqa: ARG002
        """Return the log probability of an event."""
        return min(0.0, float(np.logaddexp.reduce(self._log_joint(event))))

    def standard_error(self, event: Edges) -> float:
        """Return the Monte Carlo standard error of the probability of an event, given independent components."""
        return float(self.combined_errors([np.array(c.standard_error(event)) for _, c in self.shares()]))

    def edge_standard_errors(self) -> np.ndarray:
        """Return Monte Carlo standard errors of the edge probabilities (d, d), given independent components."""
        return self.combined_errors([component.edge_standard_errors() for _, component in self.shares()])

    def edge_matrix(self) -> np.ndarray:
        """Return edge probabilities (d, d), [cause, effect]."""
        # Sums of weights may exceed 1 by rounding; probabilities may not.
        return np.minimum(weighted_sum((share, part.edge_matrix()) for share, part in self.shares()), 1.0)

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Return parent sets and their probabilities, most probable first."""
        summed: dict[tuple[str, ...], float] = {}
        for share, component in self.shares():
            for names, probability in component.parent_sets(child).items():
                summed[names] = summed.get(names, 0.0) + share * probability
        # Equally probable sets by size and names, so that the order of components does not matter.
        best_first = sorted(summed, key=lambda names: (-summed[names], len(names), names))[:top]
        return best_first, np.minimum([summed[names] for names in best_first], 1.0)

    def most_probable_graph(self) -> MostProbableGraph:
        """Return the best of the components' most probable graphs under the mixture.

        A graph that is second in every component may be more probable. With the target "order" these are pairs of an
        order and a graph. The log score is that of the component that the graph comes from.
        """
        found = [component.most_probable_graph() for _, component in self.shares()]
        best, log_probability = best_of(found, self._log_probabilities_of([self._as_event(each) for each in found]))
        return MostProbableGraph(best.graph, best.order, log_probability, best.log_score, best.edges)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
        """Return the best of the components' best graphs under the mixture.

        A search may find graphs that no component covers. If all are such, it is that of the heaviest component.
        """
        seeds = seed_sequence(rng).spawn(len(self.components))
        found = []
        for m in np.argsort(-self.weights, kind="stable").tolist()[: len(self.shares())]:
            try:
                found.append(self.components[m].best_graph(added, effort, seeds[m]))
            except ImpossibleEvidence:
                continue
        if not found:
            raise ImpossibleEvidence(self._why_impossible(evidence & added, added))
        best, log_probability = best_of(found, self._log_probabilities_of([each.edges for each in found]))
        return best if log_probability > -math.inf else found[0]

    def division(self, n: int, rng: RNGLike) -> Division:
        """Divide draws among components at random."""
        return Division.random(n, self.weights, rng)

    def sample(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw components, then graphs of each."""
        return self._pooled(n, rng, Component.sample)

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw components, then graphs of each for the target in which a graph counts once, with their weights."""
        return self._pooled(n, rng, Component.sample_dags)

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Return mean total effects and their standard errors, each (d, d); every component has its own units."""
        division = Division.proportional(n, self.weights, rng)
        parts = [self.components[m].estimate_effects(count, seed) for m, count, seed in division]
        shares = self.weights[[m for m, _, _ in division]].tolist()
        mean = weighted_sum((share, mean) for share, (mean, _) in zip(shares, parts, strict=True))
        variance = weighted_sum((share**2, error**2) for share, (_, error) in zip(shares, parts, strict=True))
        return mean, np.sqrt(variance)

    def entropy_bounds(self) -> tuple[float, float]:
        """Return bounds of the entropy in nats.

        The lower one is the mean of the components' entropies, the upper one adds the entropy of the choice of a
        component. They are the same with a single component, and the upper one is the entropy if no two components
        share a graph.
        """
        if self.target == "mixed":
            raise Unavailable(
                "the entropy of a mixture is over graphs, or over pairs of an order and a graph; this one has "
                "components of both targets. Ask its components: posterior.components[0].entropy()."
            )
        parts = [(share, require(part.model, MASSES, "the entropy").entropy()) for share, part in self.shares()]
        lower = sum(share * entropy for share, entropy in parts)
        return lower, lower + sum(-share * math.log(share) for share, _ in parts)

    def lines(self) -> Lines:
        """Return no lines: a summary lists the components."""
        return []

    def arrays(self) -> NoReturn:
        """Raise an error: files keep the arrays of each component."""
        raise TypeError("a mixture is stored component by component")

    @classmethod
    def restore(cls, parts: Parts) -> NoReturn:
        """Raise an error: files keep the components."""
        raise TypeError(f"a mixture is made from its components, not from the scores of {', '.join(parts.variables)}")

    @cached_property
    def _parents(self) -> tuple[np.ndarray, np.ndarray]:
        """Candidates and outsiders in any component, each (d, d), bool, [cause, effect]."""
        inside, outside = zip(*(component.parents_matrix() for component in self.components), strict=True)
        return np.any(inside, axis=0), np.any(outside, axis=0)

    def _log_joint(self, event: Edges) -> np.ndarray:
        """Return the log of weight times probability of an event, for each component."""
        each = zip(self.components, self.log_weights.tolist(), strict=True)
        return np.array([w + component.log_probability(event) if w > -math.inf else w for component, w in each])

    def _as_event(self, best: MostProbableGraph) -> Edges:
        """Return a graph as an event, with the target "order" together with its order."""
        return best.edges & Edges(before=itertools.pairwise(best.order)) if self.target == "order" else best.edges

    def _log_probabilities_of(self, events: list[Edges]) -> list[float]:
        """Return the log probability of each event; components often agree, and the same event is asked for once."""
        known = {event: self.log_probability(Edges(), event) for event in dict.fromkeys(events)}
        return [known[event] for event in events]

    def combined_errors(self, errors: list[np.ndarray]) -> np.ndarray:
        """Return the standard errors of weighted means; NaN if evidence made the weights estimates themselves."""
        shares = [share for share, _ in self.shares()]
        if len(shares) == 1:
            return errors[0]
        combined: np.ndarray = np.sqrt(weighted_sum(zip(np.square(shares).tolist(), np.square(errors), strict=True)))
        return np.where(np.any(errors, axis=0), np.nan, combined) if self.reweighted else combined

    def _pooled(
        self, n: int, rng: RNGLike, draw: Callable[[Component, int, np.random.SeedSequence], GraphSamples]
    ) -> GraphSamples:
        division = self.division(n, rng)
        return pooled([draw(self.components[m], count, seed) for m, count, seed in division], division)

    def _why_impossible(self, evidence: Edges, added: Edges) -> str:
        """Return the message for evidence that no component allows, with the reason of the first."""
        for reason in self._refusals(added):
            if len(self.shares()) == 1:
                return reason
            return f"no component of the mixture allows {str(evidence)!r}. The first one: {reason}"
        return f"cannot condition on {str(evidence)!r}: no graph of the mixture satisfies it."

    def _refusals(self, added: Edges) -> Iterator[str]:
        for _, component in self.shares():
            try:
                component.given(added)
            except ImpossibleEvidence as problem:
                yield str(problem)
