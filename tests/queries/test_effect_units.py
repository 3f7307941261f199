"""Effects in the units of the data, and in standard deviations."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters

NAMES = letters(4)
SCALE = np.array([1.0, 100.0, 0.01, 7.0])
VALUES = gaussian_data(4, 60, seed=3)

ANSWERS = {
    "causal_effects": lambda p, **units: p.causal_effects(**units).to_numpy(),
    "under evidence": lambda p, **units: p.causal_effects("A -> B", **units).to_numpy(),
    "estimates": lambda p, **units: p.estimate_effects(50, rng=1, **units).mean.to_numpy(),
    "standard errors": lambda p, **units: p.estimate_effects(50, rng=1, **units).standard_error.to_numpy(),
    "draws": lambda p, **units: p.effect_samples(20, rng=1, **units).values,
}


def learn(values, **arguments):
    return osp.learn(values, variables=NAMES, **arguments)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("method", ["exact", osp.methods.Trust(expansion=[3], block_size=2)], ids=["exact", "trust"])
def test_the_change_of_an_effect_per_change_of_its_cause(answer, method):
    posterior = learn(VALUES * SCALE + 5.0, method=method)
    deviation = (VALUES * SCALE).std(axis=0)
    in_deviations = answer(posterior, units="sd")
    np.testing.assert_allclose(answer(posterior), in_deviations * deviation / deviation[:, None], rtol=1e-9)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_standard_deviations_do_not_depend_on_units(answer):
    one, other = learn(VALUES), learn(VALUES * SCALE)
    np.testing.assert_allclose(answer(one, units="sd"), answer(other, units="sd"), rtol=1e-6, atol=1e-9)


def test_with_many_rows_they_are_those_of_data_as_they_are():
    values = gaussian_data(4, 100_000, seed=3)
    expected = learn(values, standardize=False).causal_effects()
    np.testing.assert_allclose(learn(values).causal_effects(), expected, atol=1e-2)


def test_the_protein_data_in_standard_deviations():
    """As before units were given back: the effects of the standardized columns."""
    data = osp.load_sachs().data
    columns = (data - data.mean()) / data.std(ddof=0)
    expected = osp.learn(columns, standardize=False, check=False).causal_effects()
    np.testing.assert_allclose(
        osp.learn(data, standardize=True, check=False).causal_effects(units="sd"), expected, atol=1e-9
    )


def test_units_survive_a_file_and_evidence(tmp_path):
    posterior = learn(VALUES * SCALE)
    posterior.save(tmp_path / "p.npz")
    again = osp.load(tmp_path / "p.npz").given("A -> B")
    assert again.causal_effects().equals(posterior.causal_effects("A -> B"))


def test_a_table_that_was_standardized_before():
    table = osp.read_table(VALUES * SCALE, NAMES, standardize=True)
    expected = learn(VALUES * SCALE).causal_effects()
    np.testing.assert_array_equal(osp.learn(table).causal_effects(), expected)
    np.testing.assert_allclose(osp.learn(table, standardize=True).causal_effects(), expected, rtol=1e-9)


def test_unknown_units():
    posterior = learn(VALUES)
    with pytest.raises(ValueError, match="units must be one of 'data', 'sd'"):
        posterior.causal_effects(units="kg")
    with pytest.raises(ValueError, match=r"units='sd' needs the standard deviations.*standardize=True"):
        learn(VALUES, standardize=False).causal_effects(units="sd")
