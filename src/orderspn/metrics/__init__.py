"""How good an answer is: edge probabilities, graphs and effects compared with the truth, new rows or each other."""

from orderspn.metrics.calibration import brier_score, calibration_curve
from orderspn.metrics.conjunctions import conjunction_coverage
from orderspn.metrics.differences import EdgeError, edge_error, effect_error
from orderspn.metrics.distance import total_variation
from orderspn.metrics.equivalence import cpdag
from orderspn.metrics.hamming import expected_shd, structural_hamming_distance
from orderspn.metrics.held_out import marginal_log_likelihood
from orderspn.metrics.parents import parents_kept
from orderspn.metrics.predictive_density import log_predictive_density
from orderspn.metrics.ranking import auroc, average_precision

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
