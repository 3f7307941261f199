"""Gradient ascent reaches the closed-form optimum, and stays numerically sound on the way."""

import subprocess
import sys
from functools import cache
from math import exp

import jax
import numpy as np
import pytest

from helpers.levels import parameters
from orderspn.circuit.gradient import _elbo, _plan, gradient_log_weights
from orderspn.circuit.structure import Structure
from orderspn.core.errors import MissingExtra
from orderspn.core.jax import double_precision


def build(d, first_parts):
    """Structure over d variables; `first_parts(before, variables)` lists the sets that may come first."""
    partitions, waiting = {}, [(frozenset(), frozenset(range(d)))]
    while waiting:
        region = waiting.pop()
        if region not in partitions:
            before, variables = region
            parts = first_parts(before, variables)
            partitions[region] = [((before, part), (before | part, variables - part)) for part in parts]
            waiting += [child for pair in partitions[region] for child in pair]
    regions = sorted(partitions, key=lambda region: (-len(region[1]), sorted(region[0]), sorted(region[1])))
    number = {region: i for i, region in enumerate(regions)}
    pairs = np.array([[number[a], number[b]] for region in regions for a, b in partitions[region]], dtype=np.int64)
    first, second = pairs.reshape(-1, 2).T
    return Structure(
        before=np.array([[v in before for v in range(d)] for before, _ in regions]),
        variables=np.array([[v in variables for v in range(d)] for _, variables in regions]),
        partition_starts=np.cumsum([0] + [len(partitions[region]) for region in regions]),
        first=first,
        second=second,
        multiplicity=np.ones(first.size, dtype=np.int64),
    )


def regular():
    """The shape of the paper's figure: expansion factors (3, 2) over four variables."""
    halves = [frozenset({0, 1}), frozenset({0, 2}), frozenset({1, 3})]

    def first_parts(before, variables):
        if len(variables) == 4:
            return halves
        return [frozenset({v}) for v in sorted(variables)] if len(variables) == 2 else []

    return build(4, first_parts)


def random_shared(d=6, seed=0):
    """Random partitions of all sizes down to single variables; regions met on several ways are one node."""
    rng = np.random.default_rng(seed)

    def first_parts(before, variables):
        if len(variables) == 1:
            return []
        draws = [
            frozenset(rng.permutation(sorted(variables))[: rng.integers(1, len(variables))].tolist()) for _ in range(4)
        ]
        return list(dict.fromkeys(draws))

    structure = build(d, first_parts)
    assert structure.n_regions < 1 + 2 * structure.n_partitions, "some regions must be shared"
    return structure


def two_orders():
    """Two variables in either order; blocks are 0 and 1 in the first place, 1 and 0 in the second."""
    return build(2, lambda before, variables: [frozenset({0}), frozenset({1})] if len(variables) == 2 else [])


FIRST_BY_ONE_NAT = np.array([0.0, -1.0, 0.0, 0.0])
"""Masses under which the first of `two_orders` is one nat above the second."""

STRUCTURES = {"regular": regular, "shared": random_shared}


@pytest.fixture(params=STRUCTURES)
def structure(request):
    return STRUCTURES[request.param]()


def masses(structure, scale=1.0, seed=1):
    return np.random.default_rng(seed).normal(-10, scale, structure.blocks.size)


def children(structure, region):
    for partition in range(structure.partition_starts[region], structure.partition_starts[region + 1]):
        yield partition, structure.first[partition], structure.second[partition]


def naive_elbo(structure, log_weights, log_block_masses):
    """The recursion of the paper, node by node."""

    @cache
    def value(region):
        if structure.block_number[region] >= 0:
            return float(log_block_masses[structure.block_number[region]])
        return sum(
            exp(log_weights[p]) * (value(first) + value(second) - log_weights[p])
            for p, first, second in children(structure, region)
        )

    return value(0)


def naive_optimum(structure, log_block_masses):
    """Log sum of exponentials upward."""

    @cache
    def value(region):
        if structure.block_number[region] >= 0:
            return float(log_block_masses[structure.block_number[region]])
        return np.logaddexp.reduce([value(first) + value(second) for _, first, second in children(structure, region)])

    return float(value(0))


def naive_log_softmax(structure, theta):
    result = np.empty_like(theta)
    for region in range(structure.n_regions):
        own = [p for p, _, _ in children(structure, region)]
        if own:
            result[own] = theta[own] - np.logaddexp.reduce(theta[own])
    return result


def assert_normalised(structure, log_weights):
    totals = np.bincount(structure.owner, np.exp(log_weights), minlength=structure.n_regions)
    np.testing.assert_allclose(np.delete(totals, structure.blocks), 1, atol=1e-12)


@pytest.mark.thorough
def test_reaches_the_closed_form_optimum(structure):
    log_masses = masses(structure)
    result = gradient_log_weights(structure, log_masses)
    optimum = naive_optimum(structure, log_masses)
    assert result.elbo == pytest.approx(optimum, abs=1e-4)
    assert result.elbo <= optimum + 1e-9
    assert result.elbo == pytest.approx(naive_elbo(structure, result.log_weights, log_masses), abs=1e-10)
    assert_normalised(structure, result.log_weights)


@pytest.mark.exhaustive
def test_starts_from_uniform_weights_and_climbs(structure):
    log_masses = masses(structure)
    result = gradient_log_weights(structure, log_masses, steps=20)
    counts = np.diff(structure.partition_starts)[structure.owner]
    assert result.trace.shape == (20,)
    assert result.trace[0] == pytest.approx(naive_elbo(structure, -np.log(counts), log_masses), abs=1e-10)
    assert result.trace[0] < min(result.trace[-1], result.elbo)


@pytest.mark.thorough
def test_no_steps_leave_the_weights_uniform(structure):
    result = gradient_log_weights(structure, masses(structure), steps=0)
    np.testing.assert_allclose(result.log_weights, -np.log(np.diff(structure.partition_starts)[structure.owner]))
    assert result.trace.shape == (0,)


@pytest.mark.thorough
def test_first_step_has_the_length_of_the_rate():
    result = gradient_log_weights(two_orders(), FIRST_BY_ONE_NAT, steps=1, rate=0.25)
    assert result.log_weights[0] - result.log_weights[1] == pytest.approx(2 * 0.25, abs=1e-6)


def test_evaluates_the_recursion_for_any_parameters(structure):
    theta = np.random.default_rng(2).normal(0, 2, structure.n_partitions)
    log_masses = masses(structure)
    with double_precision():
        value = float(jax.jit(_elbo)(theta, _plan(structure), log_masses))
    expected = naive_elbo(structure, naive_log_softmax(structure, theta), log_masses)
    assert value == pytest.approx(expected, abs=1e-10)


@pytest.mark.thorough
def test_gradient_is_that_of_finite_differences(structure):
    theta = np.random.default_rng(3).normal(size=structure.n_partitions)
    log_masses = masses(structure)
    with double_precision():
        gradient = np.asarray(jax.jit(jax.grad(_elbo))(theta, _plan(structure), log_masses))

    def value(shifted):
        return naive_elbo(structure, naive_log_softmax(structure, shifted), log_masses)

    step = 1e-5
    chosen = np.random.default_rng(4).permutation(theta.size)[:40]
    shifts = step * np.eye(theta.size)[chosen]
    differences = [(value(theta + shift) - value(theta - shift)) / (2 * step) for shift in shifts]
    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient[chosen], differences, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("scale", parameters([1e3, 1e5], quick=[], test=[1e5]))
def test_masses_far_apart(structure, scale):
    log_masses = masses(structure, scale)
    result = gradient_log_weights(structure, log_masses)
    optimum = naive_optimum(structure, log_masses)
    assert np.isfinite(result.log_weights).all()
    assert np.isfinite(result.trace).all()
    assert result.trace[0] < result.elbo <= optimum + 1e-9 * abs(optimum)
    assert_normalised(structure, result.log_weights)


@pytest.mark.thorough
def test_one_partition_that_outweighs_the_other():
    result = gradient_log_weights(two_orders(), 5000 * FIRST_BY_ONE_NAT)
    assert result.elbo == pytest.approx(0, abs=2)  # Adam slows down: the first gradients were a thousand times larger
    np.testing.assert_allclose(np.exp(result.log_weights), [1, 0], atol=1e-3)


@pytest.mark.thorough
def test_a_single_partition_has_weight_one():
    structure = build(2, lambda before, variables: [frozenset({1})] if len(variables) == 2 else [])
    result = gradient_log_weights(structure, np.array([-3.0, -4.0]), steps=5)
    np.testing.assert_array_equal(result.log_weights, [0.0])
    assert result.elbo == -7.0


def test_a_block_as_root_has_no_weights(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)  # nothing to learn, nothing to install
    result = gradient_log_weights(build(3, lambda before, variables: []), np.array([-12.5]))
    assert result.log_weights.shape == (0,)
    assert result.trace.shape == (0,)
    assert result.elbo == -12.5


@pytest.mark.thorough
def test_progress_counts_the_steps(structure):
    reports = []
    gradient_log_weights(structure, masses(structure), steps=7, progress=reports.append)
    assert sum(reports) == 7


@pytest.mark.exhaustive
def test_repeats_exactly(structure):
    one, two = (gradient_log_weights(structure, masses(structure), steps=30) for _ in range(2))
    np.testing.assert_array_equal(one.log_weights, two.log_weights)
    np.testing.assert_array_equal(one.trace, two.trace)


@pytest.mark.thorough
@pytest.mark.parametrize("setting", [False, True])
def test_leaves_the_users_precision_alone(setting):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", setting)
    try:
        structure = regular()
        result = gradient_log_weights(structure, masses(structure), steps=3)
        assert jax.config.jax_enable_x64 is setting
        assert jax.numpy.ones(3).dtype == (np.float64 if setting else np.float32)
    finally:
        jax.config.update("jax_enable_x64", before)
    assert result.log_weights.dtype == np.float64


@pytest.mark.parametrize("absent", ["jax", "optax"])
def test_says_how_to_install_what_is_absent(monkeypatch, absent):
    monkeypatch.setitem(sys.modules, absent, None)
    structure = regular()
    with pytest.raises(MissingExtra, match=r'pip install "orderspn\[jax\]"'):
        gradient_log_weights(structure, masses(structure))


def test_import_does_not_load_jax():
    code = "import sys, orderspn.circuit.gradient\nassert not {'jax', 'jaxlib', 'optax'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
