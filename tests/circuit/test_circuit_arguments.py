"""Arguments of circuits, at the door: each error names the argument, its constraint and what was got."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.circuit.learning import LARGEST_BLOCK, default_block_size
from orderspn.core.errors import InvalidType, InvalidValue

VALUES = gaussian_data(6, 20, seed=0)


def learn(**arguments):
    return osp.learn(VALUES, **{"method": "trust", "rng": 0, "n_jobs": 1, **arguments})


class TestExpansion:
    @pytest.mark.parametrize("expansion", [[], [4], [4, 2], [4, 2, 2, 2]], ids=str)
    def test_of_the_wrong_length(self, expansion):
        with pytest.raises(
            InvalidValue,
            match=rf"expansion must have 3 factor\(s\).*6 variables down to blocks of at most 1; got {len(expansion)}",
        ):
            learn(expansion=expansion, block_size=1)

    def test_that_would_fit_other_blocks(self):
        with pytest.raises(InvalidValue, match=r"expansion must have 1 factor\(s\).*at most 3; got 2: \[4, 2\]"):
            learn(expansion=[4, 2])

    @pytest.mark.parametrize("factor", [0, -3])
    def test_with_a_factor_below_one(self, factor):
        with pytest.raises(InvalidValue, match=rf"expansion\[1\] must be a whole number at least 1; got {factor}\."):
            learn(expansion=[4, factor, 2], block_size=1)

    @pytest.mark.parametrize("factor", [2.0, "2", None, True])
    def test_with_a_factor_that_is_no_whole_number(self, factor):
        with pytest.raises(
            InvalidType, match=rf"expansion\[2\] must be a whole number.*of type {type(factor).__name__}\."
        ):
            learn(expansion=[4, 2, factor], block_size=1)

    @pytest.mark.parametrize("expansion", ["4, 2", 4, {4: 2}, {4}, 2.5], ids=repr)
    def test_that_is_no_list(self, expansion):
        with pytest.raises(InvalidType, match=r"expansion must be a list of whole numbers, one per layer; got"):
            learn(expansion=expansion)

    @pytest.mark.parametrize("expansion", [[4], (4,), np.array([4])], ids=["list", "tuple", "array"])
    def test_lists_of_any_kind(self, expansion):
        settings = learn(expansion=expansion).settings
        assert settings["expansion"] == [4]
        assert type(settings["expansion"][0]) is int

    def test_more_than_there_are(self):
        """All twenty partitions, however many are asked for."""
        assert learn(expansion=[500]).log_evidence == learn(expansion=[20]).log_evidence

    def test_many_more_than_there_are(self):
        """Memory is that of the partitions that exist."""
        assert learn(expansion=[10**9]).log_evidence == learn(expansion=[20]).log_evidence


class TestBlockSize:
    @pytest.mark.parametrize("size", [0, -1, LARGEST_BLOCK + 1])
    def test_out_of_range(self, size):
        with pytest.raises(
            InvalidValue, match=f"block_size must be a whole number from 1 to {LARGEST_BLOCK}; got {size}"
        ):
            learn(block_size=size)

    @pytest.mark.parametrize("size", [2.0, "2", True, [2]])
    def test_that_is_no_whole_number(self, size):
        with pytest.raises(InvalidType, match="block_size must be a whole number"):
            learn(block_size=size)

    def test_as_large_as_the_data(self):
        exact = osp.learn(VALUES, method="exact", n_jobs=1)
        for size in (6, 7, LARGEST_BLOCK):
            assert learn(block_size=size).log_evidence == exact.log_evidence

    def test_by_default(self):
        assert learn().settings["block_size"] == default_block_size(6) == 3
        assert [default_block_size(d) for d in (1, 2, 7, 26, 32, 33, 100)] == [1, 1, 4, 13, 16, 12, 12]


class TestWeights:
    @pytest.mark.parametrize("weights", ["optimal", "ELBO", "", 3])
    def test_unknown(self, weights):
        with pytest.raises(InvalidValue, match="weights must be one of 'elbo', 'gradient', 'sampled', 'uniform'; got"):
            learn(weights=weights)

    @pytest.mark.parametrize("weights", ["elbo", "uniform", "sampled"])
    def test_sampled_ones_count_draws_and_others_take_different_partitions(self, weights):
        structure = learn(expansion=[19], oracle="random", weights=weights)._orders.prior.structure
        assert structure.multiplicity.sum() == 19
        assert (structure.n_partitions < 19) == (weights == "sampled")
        assert (structure.multiplicity.max() > 1) == (weights == "sampled")


class TestOracle:
    @pytest.mark.parametrize("oracle", ["gibbs", "Random", ""])
    def test_unknown(self, oracle):
        with pytest.raises(InvalidValue, match=f"oracle must be one of 'auto', .*; got {oracle!r}"):
            learn(oracle=oracle)

    @pytest.mark.parametrize("oracle", [5, object(), ["random"]], ids=["number", "object", "list"])
    def test_without_a_method_to_propose(self, oracle):
        with pytest.raises(
            InvalidType, match=r"oracle must be one of .*, or an object with methods `propose` and `settings`; got"
        ):
            learn(oracle=oracle)

    @pytest.mark.filterwarnings("ignore:the values of .* vary so much")
    def test_that_cannot_serve_so_many_variables(self):
        with pytest.raises(InvalidValue, match=r"the oracle 'enumeration' lists .* at most 20 variables; got 26"):
            osp.learn(
                gaussian_data(26, 10, seed=0),
                candidates=1,
                method="trust",
                oracle="enumeration",
                expansion=[2],
                block_size=13,
                n_jobs=1,
            )


class TestMethod:
    @pytest.mark.parametrize("method", ["exact", "auto"])
    @pytest.mark.parametrize(
        ("name", "value"), [("oracle", "random"), ("expansion", [4]), ("block_size", 3), ("weights", "elbo")]
    )
    def test_that_has_no_circuit(self, method, name, value):
        with pytest.raises(InvalidValue, match=rf"{name} belongs to method='trust'; got {name}=.*method='exact'"):
            learn(method=method, **{name: value})

    def test_auto_is_exact_up_to_25_variables(self):
        """The method is chosen before any work: a limit on memory shows which."""
        for d in (2, 24, 25):
            data = gaussian_data(d, 6, seed=0, density=0.1)
            with pytest.raises(InvalidValue, match=f"method 'exact' needs about .* for {d} variables"):
                osp.learn(data, candidates=1, memory_limit=1)
        assert osp.learn(VALUES, n_jobs=1).settings["method"] == "exact"

    def test_auto_is_a_circuit_beyond(self):
        posterior = osp.learn(
            gaussian_data(26, 30, seed=0, density=0.1),
            candidates=2,
            method="auto",
            block_size=7,
            expansion=[2, 2],
            rng=0,
            n_jobs=1,
        )
        assert posterior.settings["method"] == "trust"
        assert repr(posterior) == "<Posterior: trust, 26 variables, 30 rows>"
        structure = posterior._orders.prior.structure
        assert structure.variables[structure.blocks].sum(axis=1).max() == 7
        assert np.isfinite(posterior.log_evidence)
        assert posterior.edge_probabilities().to_numpy().max() <= 1.0


class TestMemory:
    def test_too_little_for_the_blocks(self):
        """8 blocks of 3 variables, 16 bytes for each of 8 subsets."""
        with pytest.raises(
            InvalidValue, match=r"expansion=\[4\] gives up to 8 blocks of 3 variables, .*or raise memory_limit="
        ):
            learn(expansion=[4], memory_limit=16 * 8 * 8 - 1)

    def test_too_little_for_the_parent_sets(self):
        """Besides the blocks, 64 bytes for each of 32 parent sets of 6 variables."""
        needed = 16 * 8 * 8 + 64 * 6 * 32
        with pytest.raises(InvalidValue, match="lower candidates="):
            learn(expansion=[4], memory_limit=needed - 1)
        assert learn(expansion=[4], memory_limit=needed).settings["expansion"] == [4]

    def test_is_told_in_readable_units(self):
        with pytest.raises(InvalidValue) as caught:
            learn(expansion=[4], memory_limit=100)
        assert "0.0 GiB" not in str(caught.value)

    def test_is_checked_before_any_work(self):
        """Blocks of 24 variables take a quarter of a gigabyte each."""

        class Never:
            def propose(self, question, count, rng, *, distinct):
                raise AssertionError("asked")

            def settings(self):
                return {"name": "never"}

        with pytest.raises(InvalidValue, match=r"up to 32 blocks of 24 variables, about 8\.0 GiB; the limit is 4\.0"):
            osp.learn(
                gaussian_data(48, 10, seed=0, density=0.05),
                method="trust",
                expansion=[16],
                block_size=24,
                oracle=Never(),
            )

    @pytest.mark.parametrize("limit", [0, 2.5])
    def test_limits_that_are_none(self, limit):
        with pytest.raises((InvalidValue, InvalidType), match="memory_limit must be a whole number at least 1"):
            learn(memory_limit=limit)


@pytest.mark.parametrize("weights", ["elbo", "sampled", "uniform", "gradient"])
@pytest.mark.parametrize("oracle", ["random", "auto"])
def test_a_prior_without_any_graph_is_refused(oracle, weights):
    """Whoever comes first has no parents: a prior that forbids that leaves nothing."""
    with pytest.raises(InvalidValue, match=r"no order of .* is possible|no graph has any weight"):
        learn(prior=lambda size: float(size > 0), expansion=[4], oracle=oracle, weights=weights)


@pytest.mark.parametrize("d", [2, 3])
def test_few_variables(d):
    data = gaussian_data(d, 20, seed=1)
    circuit = osp.learn(data, method="trust", rng=0, n_jobs=1)
    exact = osp.learn(data, method="exact", n_jobs=1)
    assert circuit.log_evidence == pytest.approx(exact.log_evidence, abs=1e-10)
    np.testing.assert_allclose(circuit.causal_effects(), exact.causal_effects(), rtol=0, atol=1e-10)
    np.testing.assert_array_equal(np.sort(circuit.sample(9, rng=0).orders, axis=1), np.tile(np.arange(d), (9, 1)))
