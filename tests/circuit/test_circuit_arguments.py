"""Arguments of circuits, at the door: each error names the argument, its constraint and what was got."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.circuit.learning import CircuitSettings, default_block_size, default_n_orders
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK
from orderspn.methods.memory import circuit_bytes, exact_order_bytes, settings_bytes
from orderspn.parents.sizes import FamilySizes

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
        with pytest.raises(InvalidValue, match=rf"expansion\[1\] must be an integer at least 1; got {factor}\."):
            learn(expansion=[4, factor, 2], block_size=1)

    @pytest.mark.parametrize("factor", [2.0, "2", None, True])
    def test_with_a_factor_that_is_no_whole_number(self, factor):
        with pytest.raises(InvalidType, match=rf"expansion\[2\] must be an integer.*of type {type(factor).__name__}\."):
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
        """All twenty partitions, if twenty or more are requested."""
        assert learn(expansion=[500]).log_evidence == learn(expansion=[20]).log_evidence

    def test_many_more_than_there_are(self):
        """Memory is that of the partitions that exist."""
        assert learn(expansion=[10**9]).log_evidence == learn(expansion=[20]).log_evidence


class TestBlockSize:
    @pytest.mark.parametrize("size", [0, -1, MOST_IN_CIRCUIT_BLOCK + 1])
    def test_out_of_range(self, size):
        with pytest.raises(
            InvalidValue, match=f"block_size must be an integer from 1 to {MOST_IN_CIRCUIT_BLOCK}; got {size}"
        ):
            learn(block_size=size)

    @pytest.mark.parametrize("size", [2.0, "2", True, [2]])
    def test_that_is_no_whole_number(self, size):
        with pytest.raises(InvalidType, match="block_size must be an integer"):
            learn(block_size=size)

    def test_as_large_as_the_data(self):
        exact = osp.learn(VALUES, method="exact", n_jobs=1)
        for size in (6, 7, MOST_IN_CIRCUIT_BLOCK):
            assert learn(block_size=size).log_evidence == exact.log_evidence

    def test_by_default(self):
        assert learn().settings["block_size"] == default_block_size(6) == 3
        assert [default_block_size(d) for d in (1, 2, 7, 20, 21, 26, 40, 41, 100)] == [1, 1, 4, 10, 11, 11, 11, 10, 10]


class TestWeights:
    @pytest.mark.parametrize("weights", ["optimal", "ELBO", "", 3])
    def test_unknown(self, weights):
        with pytest.raises(InvalidValue, match="weights must be one of 'elbo', 'gradient', 'sampled', 'uniform'; got"):
            learn(weights=weights)

    @pytest.mark.parametrize("weights", ["elbo", "uniform", "sampled"])
    def test_sampled_ones_count_draws_and_others_take_different_partitions(self, weights):
        structure = learn(expansion=[19], oracle="random", weights=weights)._model.orders.prior.structure
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
        ("name", "value"),
        [
            ("oracle", "random"),
            ("expansion", [4]),
            ("block_size", 3),
            ("weights", "elbo"),
            ("n_orders", 5),
            ("refine", 1),
            ("time_limit", 3.0),
        ],
    )
    def test_that_has_no_circuit(self, method, name, value):
        with pytest.raises(InvalidValue, match=rf"{name} belongs to method='trust'.*; got {name}=.*method='exact'"):
            learn(method=method, **{name: value})

    def test_auto_is_exact_up_to_25_variables(self):
        """The method is chosen before any work: a limit on memory shows which."""
        for d in (2, 24, 25):
            data = gaussian_data(d, 6, seed=0, density=0.1)
            with pytest.raises(InvalidValue, match=f"method 'exact' needs, for {d} variables"):
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
        structure = posterior._model.orders.prior.structure
        assert structure.variables[structure.blocks].sum(axis=1).max() == 7
        assert np.isfinite(posterior.log_evidence)
        assert posterior.edge_probabilities().to_numpy().max() <= 1.0


class TestMemory:
    def test_too_little_for_blocks_and_parent_sets(self):
        """8 blocks of 3 variables, and 6 families of 5 candidates."""
        needed = circuit_bytes(FamilySizes.of([5] * 6), [3] * 8, 1)
        message = r"expansion=\[4\] gives up to 8 blocks of 3 variables, .*lower candidates=, or raise memory_limit="
        with pytest.raises(InvalidValue, match=message):
            learn(expansion=[4], memory_limit=needed - 1)
        assert learn(expansion=[4], memory_limit=needed).settings["expansion"] == [4]

    def test_is_told_in_readable_units(self):
        with pytest.raises(InvalidValue) as caught:
            learn(expansion=[4], memory_limit=100)
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
            match=r"up to 32 blocks of 24 variables, which take about 1\d\d\.\d GiB of memory; the limit is 4\.0",
        ):
            osp.learn(
                gaussian_data(48, 10, seed=0, density=0.05),
                method="trust",
                expansion=[16],
                block_size=24,
                oracle=Never(),
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
        learn(prior=lambda size: float(size > 0), expansion=[4], oracle=oracle, weights=weights)


@pytest.mark.parametrize("d", [2, 3])
def test_few_variables(d):
    data = gaussian_data(d, 20, seed=1)
    circuit = osp.learn(data, method="trust", oracle="auto", rng=0, n_jobs=1)
    exact = osp.learn(data, method="exact", n_jobs=1)
    assert circuit.log_evidence == pytest.approx(exact.log_evidence, abs=1e-10)
    np.testing.assert_allclose(circuit.causal_effects(), exact.causal_effects(), rtol=0, atol=1e-10)
    np.testing.assert_array_equal(np.sort(circuit.sample(9, rng=0).orders, axis=1), np.tile(np.arange(d), (9, 1)))


# --- circuits from sampled orders ---------------------------------------------------------------------------------


class TestOrders:
    @pytest.mark.parametrize("count", [0, -4])
    def test_too_few(self, count):
        with pytest.raises(InvalidValue, match=f"n_orders must be an integer at least 1; got {count}"):
            learn(n_orders=count)

    @pytest.mark.parametrize("count", [2.0, "2", True, [2]], ids=repr)
    def test_that_are_no_whole_number(self, count):
        with pytest.raises(InvalidType, match="n_orders must be an integer"):
            learn(n_orders=count)

    @pytest.mark.parametrize("other", [{"expansion": [4]}, {"oracle": "random"}, {"oracle": "auto"}], ids=str)
    def test_belong_to_circuits_from_orders(self, other):
        with pytest.raises(
            InvalidValue, match=r"n_orders belongs to circuits from sampled orders; with oracle= or expansion="
        ):
            learn(n_orders=10, **other)

    def test_are_recorded(self):
        posterior = learn(n_orders=400)
        settings = posterior.settings
        assert settings["n_orders"] == 400
        assert settings["diagnostics"]["orders"] == 400
        assert (settings["block_size"], settings["weights"]) == (3, "sampled")
        assert settings["outsider_share"] == 0.0
        assert "oracle" not in settings
        assert "expansion" not in settings
        structure = posterior._model.orders.prior.structure
        assert structure.multiplicity[structure.owner == 0].sum() == 400

    @pytest.mark.parametrize("grown", [{"oracle": "random"}, {"expansion": [4]}], ids=str)
    def test_are_not_sampled_where_an_oracle_is_asked(self, grown):
        settings = learn(**grown).settings
        assert {"oracle", "expansion", "oracle_info"} <= settings.keys()
        assert settings.keys().isdisjoint({"n_orders", "diagnostics", "outsider_share"})

    def test_by_default_as_many_as_have_room(self):
        plenty = 2**50
        assert [default_n_orders(d, default_block_size(d), plenty) for d in (6, 40, 41, 200)] == [1024, 1024, 512, 512]
        counts = [default_n_orders(50, 10, 2**power) for power in range(20, 44)]
        assert counts == sorted(counts)
        assert (counts[0], counts[-1]) == (64, 512)
        assert len(set(counts)) > 3

    def test_that_take_too_much_memory(self):
        """Two blocks of 3 variables for each."""
        settings = CircuitSettings(block_size=3, weights="sampled", n_orders=50)
        needed = settings_bytes(FamilySizes.of([5] * 6), settings, 1)
        with pytest.raises(
            InvalidValue, match=r"50 orders cut into blocks of 3 variables, with their families, take about .*n_orders"
        ):
            learn(n_orders=50, memory_limit=needed - 1)
        assert learn(n_orders=52, memory_limit=2 * needed).settings["n_orders"] == 52


class TestEffort:
    @pytest.mark.parametrize("effort", [0, 0.0, -1, np.inf, np.nan])
    def test_out_of_range(self, effort):
        with pytest.raises(InvalidValue, match="effort must be a finite number greater than 0; got"):
            learn(effort=effort)

    @pytest.mark.parametrize("effort", ["much", True, [1.0]], ids=repr)
    def test_that_is_no_number(self, effort):
        with pytest.raises(InvalidType, match="effort must be a number greater than 0; got"):
            learn(effort=effort)


class TestTimeLimit:
    @pytest.mark.parametrize("limit", [0, -2.5, np.inf, np.nan])
    def test_out_of_range(self, limit):
        with pytest.raises(InvalidValue, match="time_limit must be a finite number greater than 0; got"):
            learn(time_limit=limit)

    @pytest.mark.parametrize("limit", ["long", True, [1.0]], ids=repr)
    def test_that_is_no_number(self, limit):
        with pytest.raises(InvalidType, match="time_limit must be a number greater than 0; got"):
            learn(time_limit=limit)

    @pytest.mark.filterwarnings("ignore:independent searches|only one of")
    def test_that_has_passed_leaves_a_sound_posterior(self):
        """Fewer orders than requested, but the circuit of these orders is complete."""
        posterior = learn(time_limit=1e-9, n_orders=400)
        assert posterior.settings["diagnostics"]["orders"] < 400
        np.testing.assert_allclose(
            posterior.precedence() + posterior.precedence().T, 1.0 - np.eye(6), rtol=0, atol=1e-10
        )


CHAIN = {**{f"X{i}": [f"X{i + 1}"] for i in range(1, 6)}, "X6": []}


class TestOutsiders:
    @pytest.mark.parametrize("outsiders", [-1, 3])
    def test_out_of_range(self, outsiders):
        for method in ("trust", "exact"):
            with pytest.raises(InvalidValue, match=f"outsiders must be an integer from 0 to 2; got {outsiders}"):
                learn(outsiders=outsiders, method=method)

    @pytest.mark.parametrize("outsiders", ["all", "one", ""])
    def test_unknown(self, outsiders):
        with pytest.raises(InvalidValue, match=f'outsiders must be "auto", 0, 1 or 2; got {outsiders!r}'):
            learn(outsiders=outsiders)

    @pytest.mark.parametrize("outsiders", [True, 1.0, None], ids=repr)
    def test_that_are_no_number(self, outsiders):
        with pytest.raises(InvalidType, match='outsiders must be "auto", 0, 1 or 2; got'):
            learn(outsiders=outsiders)

    @pytest.mark.parametrize("refine", [-1, 2.5, True])
    def test_refinement(self, refine):
        with pytest.raises((InvalidValue, InvalidType), match="refine must be an integer from 0 to 1000; got"):
            learn(candidates=2, refine=refine)

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({}, (5, 0, 0)),
            ({"candidates": 2}, (2, 1, 4)),
            ({"candidates": 2, "refine": 1, "outsiders": 2}, (2, 2, 1)),
            ({"candidates": 2, "refine": 0, "outsiders": 0}, (2, 0, 0)),
            ({"candidates": 2, "method": "exact"}, (2, 0, 0)),
            ({"candidates": 2, "method": "exact", "outsiders": 1}, (2, 1, 0)),
            ({"candidates": CHAIN}, ("given", 0, 0)),
            ({"candidates": CHAIN, "outsiders": 2}, ("given", 2, 0)),
        ],
        ids=str,
    )
    def test_are_recorded(self, arguments, expected):
        posterior = learn(**arguments)
        settings = posterior.settings
        assert (settings["candidates"], settings["outsiders"], settings["refinements"]) == expected
        widths = {family.outsider_rows.shape[1] for family in posterior._model.families}
        assert widths == {expected[1]}

    def test_memory_of_their_own_leaf_tables(self):
        """Of "exact": for each variable a leaf value for each set of others."""
        needed = exact_order_bytes(FamilySizes.of([2] * 6, [3] * 6), 1)
        assert needed > exact_order_bytes(FamilySizes.of([4] * 6), 1)
        with pytest.raises(InvalidValue, match="method 'exact' needs, for 6 variables"):
            learn(method="exact", candidates=2, outsiders=1, memory_limit=needed - 1)
        learn(method="exact", candidates=2, outsiders=1, memory_limit=needed)
