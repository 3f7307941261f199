"""Metrics: edge probabilities, graphs and effects compared with the truth, held-out rows or each other."""

from orderspn.metrics.coverage import conjunction_coverage, parents_kept
from orderspn.metrics.differences import EdgeError, edge_error, effect_error, total_variation
from orderspn.metrics.edge_probabilities import auroc, average_precision, brier_score, calibration_curve
from orderspn.metrics.equivalence import cpdag
from orderspn.metrics.hamming import expected_shd, structural_hamming_distance
from orderspn.metrics.held_out import log_predictive_density, marginal_log_likelihood

__all__ = [
    "EdgeError",
    "auroc",
    "average_precision",
    "brier_score",
    "calibration_curve",
    "conjunction_coverage",
    "cpdag",
    "edge_error",
    "effect_error",
    "expected_shd",
    "log_predictive_density",
    "marginal_log_likelihood",
    "parents_kept",
    "structural_hamming_distance",
    "total_variation",
]


def __dir__() -> list[str]:
    return __all__
