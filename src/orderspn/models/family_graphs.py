"""The common part of models that sum over families: evidence removes parent sets, and marginals follow from them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from orderspn.core.errors import ImpossibleEvidence
from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.models.protocol import Lines, Target
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import find_conflict, restrict
from orderspn.queries.marginals import edge_matrix, listed_parent_sets
from orderspn.queries.most_probable import BestGraph, MostProbableGraph
from orderspn.scores.local import LocalScore


class FamilyGraphs(ABC):
    """Graphs whose parent sets are those of families."""

    kind: ClassVar[str]
    target: ClassVar[Target]
    nature: ClassVar[str]

    variables: tuple[str, ...]
    score: LocalScore
    families: tuple[Family, ...]
    workers: Workers
    learned: tuple[Family, ...]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.variables)} variables>"

    @property
    def limits(self) -> str:
        """What limits graphs besides parent sets, for messages."""
        return ""

    @property
    @abstractmethod
    def log_mass(self) -> float:
        """Log of the summed scores of everything covered, less the scales of the families."""

    @property
    @abstractmethod
    def parent_set_probabilities(self) -> list[np.ndarray]:
        """Probabilities of the parent sets of every variable, in the numbering of its family."""

    @abstractmethod
    def with_families(self, families: Sequence[Family]) -> Self:
        """Return the same model with other families, as evidence changes them."""

    @property
    def candidates(self) -> list[np.ndarray]:
        """Candidate parents of each variable, before evidence."""
        return [family.candidates for family in self.learned]

    @property
    def outsider_rows(self) -> list[np.ndarray]:
        """Outsiders of each variable: rows of one or two variables."""
        return [family.outsider_rows for family in self.learned]

    @property
    def log_scale(self) -> float:
        """Log of the factor that all scores were divided by."""
        return sum(family.log_scale for family in self.families)

    @property
    def log_evidence(self) -> float:
        """Log of the summed scores of everything covered."""
        return self.log_mass + self.log_scale

    @abstractmethod
    def most_probable_graph(self) -> MostProbableGraph:
        """Return the graph with the highest score."""

    @abstractmethod
    def lines(self) -> Lines:
        """Return the lines of a summary about the model."""

    def given(self, evidence: Edges, added: Edges) -> Self:
        """Condition the model on evidence, of which `added` is new."""
        conflict = find_conflict(evidence, self.learned, self.score.rules, self.variables)
        if conflict is not None:
            raise ImpossibleEvidence(f"cannot condition on {str(evidence)!r}: {conflict}.")
        model = self.with_families(restrict(self.families, added, self.variables))
        if model.log_mass == -math.inf:
            raise ImpossibleEvidence(
                f"cannot condition on {str(evidence)!r}: no graph of the posterior satisfies it "
                f"(at most {self.score.max_parents} parents per variable, from its candidates{self.limits})."
            )
        return model

    def log_probability(self, evidence: Edges, event: Edges) -> float:
        """Return the log probability of an event."""
        if find_conflict(evidence & event, self.learned, self.score.rules, self.variables) is not None:
            return -math.inf
        joint = self.with_families(restrict(self.families, event, self.variables))
        return min(0.0, joint.log_mass - self.log_mass)

    def standard_error(self, event: Edges) -> float:  # noqa: ARG002
        """Return 0: there is no sampling error."""
        return 0.0

    def edge_standard_errors(self) -> np.ndarray:
        """Return 0: there is no sampling error."""
        return np.zeros((len(self.variables), len(self.variables)))

    def edge_matrix(self) -> np.ndarray:
        """Return edge probabilities (d, d), [cause, effect]."""
        return edge_matrix(self.families, self.parent_set_probabilities)

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Return parent sets and their probabilities, most probable first."""
        return listed_parent_sets(self.families[child], self.parent_set_probabilities[child], top, self.variables)


def most_probable_given(model: FamilyGraphs, evidence: Edges, added: Edges) -> BestGraph:
    """Return the best graph of a model of all graphs, which needs no search."""
    best = (model.given(evidence & added, added) if added else model).most_probable_graph()
    return BestGraph(best.graph, best.order, best.log_score, best.edges)


def log_scores_of(graphs: np.ndarray, families: Sequence[Family]) -> np.ndarray:
    """Sum the log scores of the parent sets of DAGs (n, d, d), relative to the scales of the families, shape (n,)."""
    log_scores = np.zeros(len(graphs))
    for family in families:
        log_scores += _log_scores(family, graphs[:, :, family.child])
    return log_scores


def _log_scores(family: Family, parents: np.ndarray) -> np.ndarray:
    """Return the log score of each parent set (n, d), bool; -inf for those that are not in the family."""
    masks, _ = family.opened_by(parents)
    outside = parents.copy()
    outside[:, family.candidates] = False
    others, which = np.unique(outside, axis=0, return_inverse=True)
    rows = {frozenset(row[row >= 0].tolist()): place for place, row in enumerate(family.outsider_rows, start=1)}
    rows[frozenset()] = 0
    row_of = np.array([rows.get(frozenset(np.flatnonzero(other).tolist()), -1) for other in others])[which.ravel()]
    return np.where(row_of >= 0, family.log_score[np.maximum(row_of, 0) * family.n_masks + masks], -np.inf)
