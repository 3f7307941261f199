"""Rows of an experiment under a linear Gaussian network, drawn as sums: means and scatter matrices, never a table.

A row is `x = (a + e) (I - B)^-1` with intercepts a, weights B and normal noise e; a variable that is set has its value
in place of `a + e` and no weights. So mean and scatter of the rows follow from those of the noise. For few rows the
noise itself is drawn, for many its scatter has a Wishart distribution (Bartlett's decomposition), so that a million
rows cost as much as a hundred.
"""

from __future__ import annotations

import numpy as np

from orderspn.design.experiment import Experiment
from orderspn.scores.bge import FittedBGe
from orderspn.scores.bge_completion import Parameters, drawn_given_means
from orderspn.scores.bge_rows import Batch, scatter_of, with_batches

MANY = 256
"""Number of rows from which their scatter is drawn as a whole, if there are more rows than variables."""


def drawn_parameters(fitted: FittedBGe, graph: np.ndarray, rng: np.random.Generator) -> Parameters:
    """Draw the parameters of a graph (d, d) from their posterior, from the sums that the score keeps."""
    scatter = scatter_of(fitted)
    shrunk = scatter.mean * (scatter.n_rows / (scatter.n_rows + fitted.alpha_mu))[:, None]
    return drawn_given_means(fitted, shrunk[fitted.group], graph, rng)


def after_experiment(
    fitted: FittedBGe, parameters: Parameters, experiment: Experiment, rng: np.random.Generator
) -> FittedBGe:
    """Return the score after rows of an experiment that are drawn given parameters."""
    return with_batches(fitted, simulated_batches(parameters, experiment, rng))


def simulated_batches(parameters: Parameters, experiment: Experiment, rng: np.random.Generator) -> list[Batch]:
    """Draw the sums over the rows of an experiment, for each combination of values."""
    d, targets = len(parameters.weights), list(experiment.targets)
    intervened = experiment.intervened(d)
    weights = np.where(intervened, 0.0, parameters.weights)
    spread = np.linalg.inv(np.eye(d) - weights)
    scale = np.where(intervened, 0.0, np.sqrt(parameters.variances))
    batches = []
    for values, n_rows in experiment.settings():
        mean, root = _noise(n_rows, d, rng)
        own = parameters.intercepts.copy()
        own[targets] = values
        deviations = (root * scale) @ spread
        batches.append(Batch(n_rows, (own + mean * scale) @ spread, deviations.T @ deviations, intervened))
    return batches


def _noise(n_rows: int, d: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw the mean (d,) of standard normal rows, and a root (k, d) of their scatter."""
    if n_rows <= max(MANY, d):
        noise = rng.normal(size=(n_rows, d))
        mean = noise.mean(axis=0)
        return mean, noise - mean
    mean = rng.normal(size=d) / np.sqrt(n_rows)
    lower = np.tril(rng.normal(size=(d, d)), -1)
    lower[np.diag_indices(d)] = np.sqrt(rng.chisquare(n_rows - 1 - np.arange(d)))
    return mean, lower.T


def suggested_values(fitted: FittedBGe) -> list[tuple[float, ...]]:
    """Return two values for each variable: a standard deviation below and above its mean, without interventions."""
    scatter, place = scatter_of(fitted), np.arange(fitted.n_variables)
    rows = np.maximum(scatter.n_rows[fitted.group], 1)
    deviation = np.sqrt(scatter.matrix[fitted.group, place, place] / rows)
    deviation[deviation == 0.0] = 1.0
    mean = scatter.mean[fitted.group, place]
    return [(float(m - s), float(m + s)) for m, s in zip(mean, deviation, strict=True)]
