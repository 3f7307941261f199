"""Files of circuits: what is read is what was written, bit for bit, and damage is noticed."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.files import forge
from helpers.levels import parameters

NAMES = letters(9)  # more than eight: sets of variables take two bytes
CANDIDATES = {"one outsider": 3, "two outsiders": 2, "sampled orders, outsiders": 3}
GROWN = osp.methods.Trust(expansion=[6, 3], block_size=3)
CIRCUITS = {
    "elbo": GROWN.with_settings(oracle="order-mcmc", weights="elbo"),
    "gradient": GROWN.with_settings(oracle="random", weights="gradient"),
    "sampled": GROWN.with_settings(oracle="enumeration", weights="sampled"),
    "uniform": GROWN.with_settings(oracle="random", weights="uniform"),
    "one block": osp.methods.Trust(expansion=[], block_size=9),
    "single variables": osp.methods.Trust(expansion=[5, 2, 2, 2], block_size=1, oracle="random"),
    "one outsider": GROWN.with_settings(oracle="order-mcmc", weights="elbo", outsiders=1, refine=0),
    "two outsiders": GROWN.with_settings(oracle="random", weights="uniform", outsiders=2, refine=1),
    "sampled orders": osp.methods.Trust(n_orders=400, block_size=3),
    "sampled orders, outsiders": osp.methods.Trust(n_orders=400, block_size=3, weights="elbo"),
}


@pytest.fixture(scope="module", params=CIRCUITS)
def posterior(request):
    return osp.learn(
        gaussian_data(9, 30, seed=1),
        variables=NAMES,
        candidates=CANDIDATES.get(request.param, "auto"),
        method=CIRCUITS[request.param],
        rng=5,
        n_jobs=1,
        standardize=False,
    )


def assert_same_bits(one, other):
    assert one.variables == other.variables
    assert one.evidence == other.evidence
    assert one.candidates == other.candidates
    assert one.outsiders == other.outsiders
    assert one.summary() == other.summary()
    assert dict(one.settings) == dict(other.settings)
    assert one.log_evidence == other.log_evidence
    assert one.entropy() == other.entropy()
    assert one.edge_probabilities().equals(other.edge_probabilities())
    assert one.edge_standard_errors().equals(other.edge_standard_errors())  # NaN equals NaN
    np.testing.assert_equal(one.standard_error("A -> B, C < D"), other.standard_error("A -> B, C < D"))
    assert one.precedence().equals(other.precedence())
    assert one.causal_effects().equals(other.causal_effects())
    assert one.estimate_effects(50, rng=0).mean.equals(other.estimate_effects(50, rng=0).mean)
    assert one.parent_sets("C").equals(other.parent_sets("C"))
    assert one.probability("A !-> B, C !-> D") == other.probability("A !-> B, C !-> D")
    best, again = one.most_probable_graph(), other.most_probable_graph()
    assert (best.edges, best.order, best.log_probability) == (again.edges, again.order, again.log_probability)
    np.testing.assert_array_equal(one.sample(100, rng=4).orders, other.sample(100, rng=4).orders)
    np.testing.assert_array_equal(one.sample(100, rng=4).adjacency, other.sample(100, rng=4).adjacency)


@pytest.mark.thorough
def test_round_trip(posterior, tmp_path):
    posterior.save(tmp_path / "p.npz")
    again = osp.load(tmp_path / "p.npz", n_jobs=2)
    assert_same_bits(again, posterior)
    for name in ("before", "variables", "partition_starts", "first", "second", "multiplicity"):
        one, other = (getattr(p.model.orders.circuit.structure, name) for p in (again, posterior))
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(again.model.orders.circuit.log_weights, posterior.model.orders.circuit.log_weights)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "evidence", parameters(["A !-> B", "A !-> B, D !-> C, C !-> I"], test=["A !-> B, D !-> C, C !-> I"])
)
def test_round_trip_with_evidence(posterior, tmp_path, evidence):
    """The weights in the file are those before the evidence."""
    under = posterior.given(evidence)
    assert under.log_evidence < posterior.log_evidence
    under.save(tmp_path / "p.npz")
    again = osp.load(tmp_path / "p.npz")
    assert_same_bits(again, under)
    again.save(tmp_path / "again.npz")
    assert_same_bits(osp.load(tmp_path / "again.npz"), under)


def rewrite(path, **changes):
    """The same archive with arrays changed by functions, or without those that are None; its checksum fits."""

    def change(arrays, _):
        for name, changed in changes.items():
            array = arrays.pop(name)
            if changed is not None:
                arrays[name] = changed(array)

    forge(path, change)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "posterior.npz"
    osp.learn(
        gaussian_data(6, 20, seed=2),
        variables=letters(6),
        method=osp.methods.Trust(expansion=[4, 2], block_size=2, weights="elbo"),
        rng=1,
        standardize=False,
    ).save(path)
    return path


def with_entry(index, value):
    def change(array):
        array = array.copy()
        array[index] = value
        return array

    return change


def swapped(path):
    """First and second part of one partition exchanged."""
    with np.load(path) as file:
        first, second = file["circuit_first"][0], file["circuit_second"][0]
    rewrite(path, circuit_first=with_entry(0, second), circuit_second=with_entry(0, first))


def test_partitions_of_weight_zero_are_never_taken(saved):
    """A log weight of -inf is a probability too, and must not become NaN anywhere."""

    def only_the_third(log_weights):
        return np.concatenate([[-np.inf, -np.inf, 0.0, -np.inf], log_weights[4:]])

    rewrite(saved, circuit_log_weights=only_the_third)
    posterior = osp.load(saved)
    structure = posterior.model.orders.circuit.structure
    first = np.flatnonzero(structure.variables[structure.first[2]])
    assert {frozenset(order[:3]) for order in posterior.sample(100, rng=0).orders.tolist()} == {frozenset(first)}
    second = np.setdiff1d(np.arange(6), first)
    np.testing.assert_array_equal(posterior.precedence().to_numpy()[np.ix_(second, first)], 0.0)
    assert {posterior.variables.index(v) for v in posterior.most_probable_graph().order[:3]} == set(first)
    assert np.isfinite(posterior.causal_effects().to_numpy()).all()
    assert np.isfinite([posterior.entropy(), posterior.log_evidence]).all()
    backward = osp.Edges([(posterior.variables[second[0]], posterior.variables[first[0]])])
    assert posterior.probability(backward) == 0.0
    with pytest.raises(osp.ImpossibleEvidence):
        posterior.given(backward)


ARRAYS = ("before", "variables", "partition_starts", "first", "second", "multiplicity", "log_weights", "paths")

DAMAGE = {
    "first and second swapped": swapped,
    "weight not a number": lambda path: rewrite(path, circuit_log_weights=with_entry(1, np.nan)),
    "weight above one": lambda path: rewrite(path, circuit_log_weights=with_entry(1, 0.5)),
    "weight far above one": lambda path: rewrite(path, circuit_log_weights=with_entry(0, np.inf)),
    "weights of a node that sum to more": lambda path: rewrite(path, circuit_log_weights=np.zeros_like),
    "weights of a node that sum to less": lambda path: rewrite(path, circuit_log_weights=lambda w: w - 1.0),
    "no weight at all": lambda path: rewrite(path, circuit_log_weights=lambda w: np.full_like(w, -np.inf)),
    "no weight at a node that is reached": lambda path: rewrite(
        path, circuit_log_weights=lambda w: np.concatenate([w[:4], [-np.inf, -np.inf], w[6:]])
    ),
    "weight beyond floats": lambda path: rewrite(path, circuit_log_weights=with_entry(1, 1e5)),
    "weights too few": lambda path: rewrite(path, circuit_log_weights=lambda w: w[:-1]),
    "weights in a matrix": lambda path: rewrite(path, circuit_log_weights=lambda w: w[None]),
    "weights as words": lambda path: rewrite(path, circuit_log_weights=lambda w: w.astype(str)),
    "partition twice": lambda path: rewrite(
        path,
        circuit_first=lambda a: a[[0, 0, *range(2, a.size)]],
        circuit_second=lambda a: a[[0, 0, *range(2, a.size)]],
    ),
    "part of nowhere": lambda path: rewrite(path, circuit_first=with_entry(0, 10_000)),
    "negative part": lambda path: rewrite(path, circuit_second=with_entry(-1, -1)),
    "parts as fractions": lambda path: rewrite(path, circuit_first=lambda a: a.astype(float)),
    "starts that descend": lambda path: rewrite(path, circuit_partition_starts=lambda a: a[::-1]),
    "starts too few": lambda path: rewrite(path, circuit_partition_starts=lambda a: a[:-1]),
    "starts as fractions": lambda path: rewrite(path, circuit_partition_starts=lambda a: a.astype(float)),
    "other sets": lambda path: rewrite(path, circuit_variables=lambda a: a[::-1]),
    "other sets before": lambda path: rewrite(path, circuit_before=lambda a: a[::-1]),
    "sets as numbers": lambda path: rewrite(path, circuit_before=lambda a: a.astype(np.int64)),
    "sets in one row": lambda path: rewrite(path, circuit_before=lambda a: a.ravel()),
    "no regions": lambda path: rewrite(
        path,
        circuit_before=lambda a: a[:0],
        circuit_variables=lambda a: a[:0],
        circuit_partition_starts=lambda a: a[:1],
        **{f"circuit_{name}": lambda a: a[:0] for name in ("first", "second", "multiplicity", "log_weights")},
    ),
    "negative multiplicity": lambda path: rewrite(path, circuit_multiplicity=with_entry(0, -1)),
    **{f"no {name}": lambda path, name=name: rewrite(path, **{f"circuit_{name}": None}) for name in ARRAYS},
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_circuits_are_refused(saved, name):
    osp.load(saved)
    DAMAGE[name](saved)
    with pytest.raises(osp.UnreadableFile, match=r"posterior\.npz.*damaged"):
        osp.load(saved)


def exchanged(paths):
    """The first cuts of two orders, which go on in other regions."""
    paths = paths.copy()
    other = np.flatnonzero(paths.reshape(-1, 2)[:, 0] != paths[0, 0, 0])[0]
    paths.reshape(-1, 2)[[0, other], 0] = paths.reshape(-1, 2)[[other, 0], 0]
    return paths


DAMAGED_PATHS = {
    "an unknown partition": lambda path: rewrite(path, circuit_paths=with_entry((0, 0, 0), 10_000)),
    "a negative partition": lambda path: rewrite(path, circuit_paths=with_entry((0, 0, 0), -1)),
    "a path of other regions": lambda path: rewrite(path, circuit_paths=exchanged),
    "a cut too few": lambda path: rewrite(path, circuit_paths=lambda a: a[:, :, :1]),
    "a cut twice": lambda path: rewrite(path, circuit_paths=lambda a: a[:, :, [0, 1, 1]]),
    "a draw too few": lambda path: rewrite(path, circuit_paths=lambda a: a[:, 1:]),
    "no draws, but runs": lambda path: rewrite(path, circuit_paths=lambda a: a[:, :0]),
    "a list": lambda path: rewrite(path, circuit_paths=lambda a: a.ravel()),
    "other weights": lambda path: rewrite(path, circuit_log_weights=lambda w: np.roll(w, 1)),
}


@pytest.fixture(scope="module")
def from_orders(tmp_path_factory):
    path = tmp_path_factory.mktemp("orders") / "posterior.npz"
    method = osp.methods.Trust(n_orders=40, block_size=2, effort=0.02)
    posterior = osp.learn(gaussian_data(6, 20, seed=2), variables=letters(6), method=method, rng=1, standardize=False)
    assert posterior.model.orders.circuit.paths.shape == (4, 10, 2)
    posterior.save(path)
    return path


@pytest.mark.parametrize("name", DAMAGED_PATHS)
def test_damaged_paths_are_refused(from_orders, tmp_path, name):
    path = tmp_path / "posterior.npz"
    path.write_bytes(from_orders.read_bytes())
    osp.load(path)
    DAMAGED_PATHS[name](path)
    with pytest.raises(osp.UnreadableFile, match=r"posterior\.npz.*damaged"):
        osp.load(path)


def test_the_file_grows_with_the_circuit_not_with_its_lattices(tmp_path):
    posterior = osp.learn(
        gaussian_data(16, 20, seed=0),
        candidates=3,
        method=osp.methods.Trust(outsiders=0, refine=0, expansion=[2], block_size=8, weights="uniform"),
        rng=0,
        standardize=False,
    )
    posterior.save(tmp_path / "p.npz")
    assert (tmp_path / "p.npz").stat().st_size < 20_000
