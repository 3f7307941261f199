"""Settings of circuits: each error names the setting, its constraint and what was got."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK
from orderspn.core.memory import MEMORY_LIMIT
from orderspn.methods import Auto, Exact, Trust
from orderspn.methods.trust import default_block_size, default_n_orders
from orderspn.models.memory import circuit_bytes, exact_order_bytes
from orderspn.parents.plan import ROUNDS
from orderspn.parents.sizes import FamilySizes

VALUES = gaussian_data(6, 20, seed=0)


def learn(method="trust", **arguments):
    return osp.learn(VALUES, method=method, rng=0, n_jobs=1, **arguments, standardize=False)


class TestExpansion:
    @pytest.mark.parametrize("expansion", [[], [4], [4, 2], [4, 2, 2, 2]], ids=str)
    def test_of_the_wrong_length(self, expansion):
        with pytest.raises(
            InvalidValue,
            match=rf"expansion must have 3 factor\(s\).*6 variables down to blocks of at most 1; got {len(expansion)}",
        ):
            learn(Trust(expansion=expansion, block_size=1))

    def test_that_would_fit_other_blocks(self):
        with pytest.raises(InvalidValue, match=r"expansion must have 1 factor\(s\).*at most 3; got 2: \[4, 2\]"):
            learn(Trust(expansion=[4, 2]))

    @pytest.mark.parametrize("factor", [0, -3])
    def test_with_a_factor_below_one(self, factor):
        with pytest.raises(InvalidValue, match=rf"expansion\[1\] must be an integer at least 1; got {factor}\."):
            Trust(expansion=[4, factor, 2], block_size=1)

    @pytest.mark.parametrize("factor", [2.0, "2", None, True])
    def test_with_a_factor_that_is_no_integer(self, factor):
        with pytest.raises(InvalidType, match=rf"expansion\[2\] must be an integer.*of type {type(factor).__name__}\."):
            Trust(expansion=[4, 2, factor], block_size=1)

    @pytest.mark.parametrize("expansion", ["4, 2", 4, {4: 2}, {4}, 2.5], ids=repr)
    def test_that_is_no_list(self, expansion):
        with pytest.raises(InvalidType, match=r"expansion must be a list of integers, one per layer; got"):
            Trust(expansion=expansion)

    @pytest.mark.parametrize("expansion", [[4], (4,), np.array([4])], ids=["list", "tuple", "array"])
    def test_lists_of_any_kind(self, expansion):
        settings = learn(Trust(expansion=expansion)).settings
        assert settings["expansion"] == [4]
        assert type(settings["expansion"][0]) is int

    def test_more_than_there_are(self):
        """All twenty partitions, however many are asked for."""
        assert learn(Trust(expansion=[500])).log_evidence == learn(Trust(expansion=[20])).log_evidence

    def test_many_more_than_there_are(self):
        """Memory is that of the partitions that exist."""
        assert learn(Trust(expansion=[10**9])).log_evidence == learn(Trust(expansion=[20])).log_evidence


class TestBlockSize:
    @pytest.mark.parametrize("size", [0, -1, MOST_IN_CIRCUIT_BLOCK + 1])
    def test_out_of_range(self, size):
        with pytest.raises(
            InvalidValue, match=f"block_size must be an integer from 1 to {MOST_IN_CIRCUIT_BLOCK}; got {size}"
        ):
            Trust(block_size=size)

    @pytest.mark.parametrize("size", [2.0, "2", True, [2]])
    def test_that_is_no_integer(self, size):
        with pytest.raises(InvalidType, match="block_size must be an integer"):
            Trust(block_size=size)

    def test_as_large_as_the_data(self):
        exact = osp.learn(VALUES, method="exact", n_jobs=1, standardize=False)
        for size in (6, 7, MOST_IN_CIRCUIT_BLOCK):
            assert learn(Trust(block_size=size)).log_evidence == exact.log_evidence

    @pytest.mark.thorough
    def test_by_default(self):
        assert learn().settings["block_size"] == default_block_size(6) == 3
        assert [default_block_size(d) for d in (1, 2, 7, 20, 21, 26, 40, 41, 100)] == [1, 1, 4, 10, 11, 11, 11, 10, 10]


class TestWeights:
    @pytest.mark.parametrize("weights", ["optimal", "ELBO", "", 3])
    def test_unknown(self, weights):
        with pytest.raises(InvalidValue, match="weights must be one of 'elbo', 'gradient', 'sampled', 'uniform'; got"):
            Trust(weights=weights)

    @pytest.mark.parametrize("weights", ["elbo", "uniform", "sampled"])
    def test_sampled_ones_count_draws_and_others_take_different_partitions(self, weights):
        posterior = learn(Trust(expansion=[19], oracle="random", weights=weights))
        structure = posterior.model.orders.circuit.structure
        assert structure.multiplicity.sum() == 19
        assert (structure.n_partitions < 19) == (weights == "sampled")
        assert (structure.multiplicity.max() > 1) == (weights == "sampled")


class TestOracle:
    @pytest.mark.parametrize("oracle", ["gibbs", "Random", ""])
    def test_unknown(self, oracle):
        with pytest.raises(InvalidValue, match=f"oracle must be one of 'auto', .*; got {oracle!r}"):
            Trust(oracle=oracle)

    @pytest.mark.parametrize("oracle", [5, object(), ["random"]], ids=["number", "object", "list"])
    def test_without_a_method_to_propose(self, oracle):
        with pytest.raises(
            InvalidType, match=r"oracle must be one of .*, or an object with methods `propose` and `settings`; got"
        ):
            Trust(oracle=oracle)

    @pytest.mark.thorough
    @pytest.mark.filterwarnings("ignore:the values of .* vary so much")
    def test_that_cannot_serve_so_many_variables(self):
        with pytest.raises(InvalidValue, match=r"the oracle 'enumeration' lists .* at most 20 variables; got 26"):
            osp.learn(
                gaussian_data(26, 30, seed=0),
                candidates=1,
                method=Trust(oracle="enumeration", expansion=[2], block_size=13),
                n_jobs=1,
                standardize=False,
            )


class TestMethod:
    def test_auto_is_exact_up_to_25_variables(self):
        """The method is chosen before any work: a limit on memory shows which."""
        for d in (2, 24, 25):
            data = gaussian_data(d, 30, seed=0, density=0.1)
            with pytest.raises(InvalidValue, match=f"method 'exact' needs, for {d} variables"):
                osp.learn(data, candidates=1, memory_limit=1, standardize=False)
        assert osp.learn(VALUES, n_jobs=1, standardize=False).settings["method"] == "exact"

    @pytest.mark.filterwarnings("ignore:.*independent searches|only one of")  # no time for more
    @pytest.mark.filterwarnings("ignore:.*probably have more parents")  # nor for candidates
    def test_auto_is_a_circuit_beyond(self):
        assert Auto().resolved(26, 2**32) == Trust().resolved(26, 2**32)
        values = gaussian_data(26, 30, seed=0, density=0.1)
        posterior = osp.learn(values, candidates=2, rng=0, n_jobs=1, time_limit=1e-9, standardize=False)
        assert posterior.settings["method"] == "trust"
        assert repr(posterior) == "<Posterior: trust, 26 variables, 30 rows>"
        structure = posterior.model.orders.circuit.structure
        assert structure.variables[structure.blocks].sum(axis=1).max() == 9
        assert np.isfinite(posterior.log_evidence)
        assert posterior.edge_probabilities().to_numpy().max() <= 1.0


class TestMemory:
    def test_too_little_for_blocks_and_parent_sets(self):
        """8 blocks of 3 variables, and 6 families of 5 candidates; the slack is rounded once for each block."""
        needed = circuit_bytes(FamilySizes.of([5] * 6), [3] * 8, 1)
        message = r"expansion=\[4\] gives up to 8 blocks of 3 variables, .*lower candidates=, or raise memory_limit="
        with pytest.raises(InvalidValue, match=message):
            learn(Trust(expansion=[4]), memory_limit=needed - 8)
        assert learn(Trust(expansion=[4]), memory_limit=needed + 8).settings["expansion"] == [4]

    def test_is_told_in_readable_units(self):
        with pytest.raises(InvalidValue) as caught:
            learn(Trust(expansion=[4]), memory_limit=100)
        assert "0.0 GiB" not in str(caught.value)

    def test_is_checked_before_any_work(self):
        """Blocks of 24 variables take a quarter of a gigabyte each, and six times that for leaf values."""

        class Never:
            def propose(self, question, count, rng, *, distinct):
                raise AssertionError("asked")

            def settings(self):
                return {"name": "never"}

        with pytest.raises(
            InvalidValue,
            match=r"up to 32 blocks of 24 variables, which take about 2\d\d\.\d GiB of memory; the limit is 4\.0",
        ):
            osp.learn(
                gaussian_data(48, 60, seed=0, density=0.05),
                method=Trust(expansion=[16], block_size=24, oracle=Never()),
                standardize=False,
            )

    @pytest.mark.parametrize("limit", [0, 2.5])
    def test_limits_that_are_none(self, limit):
        with pytest.raises((InvalidValue, InvalidType), match="memory_limit must be an integer at least 1"):
            learn(memory_limit=limit)


@pytest.mark.parametrize("weights", ["elbo", "sampled", "uniform", "gradient"])
@pytest.mark.parametrize("oracle", ["random", "auto"])
def test_a_prior_without_any_graph_is_refused(oracle, weights):
    """The first variable has no parents: a prior that forbids that leaves no graph."""
    with pytest.raises(InvalidValue, match=r"no order of .* is possible|no graph has any weight"):
        learn(Trust(expansion=[4], oracle=oracle, weights=weights), prior=lambda size: float(size > 0))


@pytest.mark.parametrize("d", [2, 3])
def test_few_variables(d):
    data = gaussian_data(d, 20, seed=1)
    circuit = osp.learn(data, method=Trust(oracle="auto"), rng=0, n_jobs=1, standardize=False)
    exact = osp.learn(data, method="exact", n_jobs=1, standardize=False)
    assert circuit.log_evidence == pytest.approx(exact.log_evidence, abs=1e-10)
    np.testing.assert_allclose(circuit.causal_effects(), exact.causal_effects(), rtol=0, atol=1e-10)
    np.testing.assert_array_equal(np.sort(circuit.sample(9, rng=0).orders, axis=1), np.tile(np.arange(d), (9, 1)))


# --- circuits from sampled orders ---------------------------------------------------------------------------------


class TestOrders:
    @pytest.mark.parametrize("count", [0, -4])
    def test_too_few(self, count):
        with pytest.raises(InvalidValue, match=f"n_orders must be an integer at least 1; got {count}"):
            Trust(n_orders=count)

    @pytest.mark.parametrize("count", [2.0, "2", True, [2]], ids=repr)
    def test_that_are_no_integer(self, count):
        with pytest.raises(InvalidType, match="n_orders must be an integer"):
            Trust(n_orders=count)

    @pytest.mark.parametrize("other", [{"expansion": [4]}, {"oracle": "random"}, {"oracle": "auto"}], ids=str)
    def test_belong_to_circuits_from_orders(self, other):
        with pytest.raises(
            InvalidValue, match=r"n_orders is for circuits from sampled orders; with oracle= or expansion="
        ):
            Trust(n_orders=10, **other)

    def test_are_recorded(self):
        posterior = learn(Trust(n_orders=400))
        settings = posterior.settings
        assert settings["n_orders"] == 400
        assert settings["diagnostics"]["orders"] == 400
        assert (settings["block_size"], settings["weights"]) == (3, "sampled")
        assert settings["outsider_share"] == 0.0
        assert "oracle" not in settings
        assert "expansion" not in settings
        structure = posterior.model.orders.circuit.structure
        assert structure.multiplicity[structure.owner == 0].sum() == 400

    @pytest.mark.parametrize("grown", [Trust(oracle="random"), Trust(expansion=[4])], ids=str)
    def test_are_not_sampled_where_an_oracle_is_asked(self, grown):
        settings = learn(grown).settings
        assert {"oracle", "expansion", "oracle_info"} <= settings.keys()
        assert settings.keys().isdisjoint({"n_orders", "diagnostics", "outsider_share"})

    def test_by_default_as_many_as_have_room(self):
        few = [default_n_orders(d, default_block_size(d), MEMORY_LIMIT) for d in (6, 40, 41, 128)]
        assert few == [1024, 1024, 512, 512]
        plenty = [default_n_orders(d, default_block_size(d), 2**50) for d in (6, 40, 41, 200)]
        assert plenty == [2048, 2048, 1024, 1024]
        assert default_n_orders(40, 11, 3 * MEMORY_LIMIT // 2) == 1536
        counts = [default_n_orders(50, 10, 2**power) for power in range(20, 44)]
        assert counts == sorted(counts)
        assert (counts[0], counts[-1]) == (64, 1024)
        assert len(set(counts)) > 3

    def test_that_take_too_much_memory(self):
        """Two blocks of 3 variables for each."""
        needed = Trust(block_size=3, n_orders=50).demand(FamilySizes.of([5] * 6), 1).needed
        with pytest.raises(
            InvalidValue, match=r"50 orders cut into blocks of 3 variables, with their families, take about .*n_orders"
        ):
            learn(Trust(n_orders=50), memory_limit=needed - 1)
        assert learn(Trust(n_orders=52), memory_limit=2 * needed).settings["n_orders"] == 52


class TestEffort:
    @pytest.mark.parametrize("effort", [0, 0.0, -1, np.inf, np.nan])
    def test_out_of_range(self, effort):
        with pytest.raises(InvalidValue, match="effort must be a finite number greater than 0; got"):
            Trust(effort=effort)

    @pytest.mark.parametrize("effort", ["much", True, [1.0]], ids=repr)
    def test_that_is_no_number(self, effort):
        with pytest.raises(InvalidType, match="effort must be a number greater than 0; got"):
            Trust(effort=effort)


class TestTimeLimit:
    @pytest.mark.parametrize("limit", [0, -2.5, np.inf, np.nan])
    def test_out_of_range(self, limit):
        with pytest.raises(InvalidValue, match="time_limit must be a finite number greater than 0; got"):
            learn(time_limit=limit)

    @pytest.mark.parametrize("limit", ["long", True, [1.0]], ids=repr)
    def test_that_is_no_number(self, limit):
        with pytest.raises(InvalidType, match="time_limit must be a number greater than 0; got"):
            learn(time_limit=limit)

    @pytest.mark.parametrize("method", [Trust(oracle="random"), Trust(expansion=[4])], ids=str)
    def test_of_circuits_that_grow(self, method):
        with pytest.raises(
            InvalidValue,
            match=r"time_limit is for methods.Gadget\(\) and .*; got time_limit=3.0 with Trust\(",
        ):
            learn(method, time_limit=3.0)

    @pytest.mark.filterwarnings("ignore:independent searches|only one of")
    def test_that_has_passed_leaves_a_sound_posterior(self):
        """Fewer orders than asked for, but the circuit of those is complete in itself."""
        posterior = learn(Trust(n_orders=400), time_limit=1e-9)
        assert posterior.settings["diagnostics"]["orders"] < 400
        np.testing.assert_allclose(
            posterior.precedence() + posterior.precedence().T, 1.0 - np.eye(6), rtol=0, atol=1e-10
        )


CHAIN = {**{f"X{i}": [f"X{i + 1}"] for i in range(1, 6)}, "X6": []}


class TestOutsiders:
    @pytest.mark.parametrize("outsiders", [-1, 3])
    def test_out_of_range(self, outsiders):
        for method in (Trust, Exact):
            with pytest.raises(InvalidValue, match=f"outsiders must be an integer from 0 to 2; got {outsiders}"):
                method(outsiders=outsiders)

    @pytest.mark.parametrize("outsiders", ["all", "one", ""])
    def test_unknown(self, outsiders):
        with pytest.raises(InvalidValue, match=f'outsiders must be "auto", 0, 1 or 2; got {outsiders!r}'):
            Trust(outsiders=outsiders)

    @pytest.mark.parametrize("outsiders", [True, 1.0, None], ids=repr)
    def test_that_are_no_number(self, outsiders):
        with pytest.raises(InvalidType, match='outsiders must be "auto", 0, 1 or 2; got'):
            Trust(outsiders=outsiders)

    @pytest.mark.parametrize("refine", [-1, 2.5, True])
    def test_refinement(self, refine):
        with pytest.raises((InvalidValue, InvalidType), match="refine must be an integer from 0 to 1000; got"):
            Trust(refine=refine)

    @pytest.mark.thorough
    @pytest.mark.parametrize(
        ("method", "candidates", "expected"),
        [
            (Trust(), "auto", (5, 0, 0)),
            (Trust(), 2, (2, 1, ROUNDS)),
            pytest.param(Trust(refine=1, outsiders=2), 2, (2, 2, 1), marks=pytest.mark.exhaustive),
            (Trust(refine=0, outsiders=0), 2, (2, 0, 0)),
            (Exact(), 2, (2, 0, 0)),
            (Exact(outsiders=1), 2, (2, 1, 0)),
            (Trust(), CHAIN, ("given", 0, 0)),
            pytest.param(Trust(outsiders=2), CHAIN, ("given", 2, 0), marks=pytest.mark.exhaustive),
        ],
    )
    def test_are_recorded(self, method, candidates, expected):
        posterior = learn(method, candidates=candidates)
        settings = posterior.settings
        assert (settings["candidates"], settings["outsiders"], settings["refinements"]) == expected
        widths = {family.outsider_rows.shape[1] for family in posterior.model.families}
        assert widths == {expected[1]}

    def test_memory_of_their_own_leaf_tables(self):
        """Of "exact": for each variable a leaf value for each set of others."""
        needed = exact_order_bytes(FamilySizes.of([2] * 6, [3] * 6), 1)
        assert needed > exact_order_bytes(FamilySizes.of([4] * 6), 1)
        with pytest.raises(InvalidValue, match="method 'exact' needs, for 6 variables"):
            learn(Exact(outsiders=1), candidates=2, memory_limit=needed - 1)
        learn(Exact(outsiders=1), candidates=2, memory_limit=needed)
