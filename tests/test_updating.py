"""`Posterior.update`: the posterior after more rows is that of all rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.discrete import discrete_data
from helpers.each import check_each
from helpers.examples import costly
from helpers.files import forge
from orderspn.core.errors import Unavailable

NAMES = letters(4)


def numbers(n=60, seed=0):
    return pd.DataFrame(3.0 + 2.0 * gaussian_data(4, n, seed), columns=NAMES)


def categories(n=60, seed=0):
    return pd.DataFrame(discrete_data((2, 3, 2, 2), n, seed).astype(str), columns=NAMES)


def entries(n, seed=0):
    """Interventions on none, one or two variables."""
    rng = np.random.default_rng(seed)
    return [[None, "A", "B", ["A", "C"]][k] for k in rng.integers(4, size=n)]


def assert_same(updated, learned, exact=True):
    assert updated.variables == learned.variables
    np.testing.assert_allclose(updated.edge_probabilities(), learned.edge_probabilities(), atol=1e-9)
    assert updated.settings["rows"] == learned.settings["rows"]
    assert updated.settings["interventions"] == learned.settings["interventions"]
    if exact:
        assert updated.log_evidence == pytest.approx(learned.log_evidence, abs=1e-7)


LEARNED = {
    "numbers": (numbers, {}),
    "as they are": (numbers, {"standardize": False}),
    "another prior": (numbers, {"score": osp.scores.BGe(alpha_mu=0.5, alpha_w=9.0)}),
    "graphs": (numbers, {"method": osp.methods.Exact(target="dag")}),
    "context": (numbers, {"context": ["D"]}),
    "knowledge": (numbers, {"knowledge": osp.Knowledge(forbidden=[("A", "B")])}),
    "categories": (categories, {}),
    "categories, context": (categories, {"context": ["B"]}),
    "categories, another prior": (categories, {"score": osp.scores.BDeu(7.0)}),
}


@pytest.mark.parametrize("name", LEARNED)
def test_it_is_the_posterior_of_all_rows(name):
    make, arguments = LEARNED[name]
    table = make()
    learned = osp.learn(table, check=False, **arguments)
    assert_same(osp.learn(table[:35], check=False, **arguments).update(table[35:]), learned)
    steps = osp.learn(table[:35], check=False, **arguments).update(table[35:36]).update(table[36:])
    assert_same(steps, learned)
    if learned.units is not None:
        np.testing.assert_allclose(steps.units.applied(table), learned.units.applied(table), atol=1e-9)


@pytest.mark.parametrize("make", [numbers, categories])
@pytest.mark.parametrize("where", ["in the new rows", "in the earlier rows", "in both"])
def test_under_interventions(make, where):
    table, set_variables = make(), entries(60, 1)
    if where == "in the new rows":
        set_variables[:35] = [None] * 35
    if where == "in the earlier rows":
        set_variables[35:] = [None] * 25
    context = {} if where == "in both" else {"context": ["D"]}
    learned = osp.learn(table, interventions=set_variables, check=False, **context)
    first = set_variables[:35] if where != "in the new rows" else None
    second = set_variables[35:] if where != "in the earlier rows" else None
    before = osp.learn(table[:35], interventions=first, check=False, **context)
    assert_same(before.update(table[35:], interventions=second), learned)


def test_conditions_as_targets():
    table, conditions = numbers(), ["control"] * 10 + ["drug"] * 15
    targets = {"control": [], "drug": ["B"]}
    updated = osp.learn(table[:35]).update(table[35:], interventions=conditions, targets=targets)
    assert_same(updated, osp.learn(table, interventions=[None] * 45 + ["B"] * 15, check=False))


@pytest.mark.filterwarnings("ignore:.*mean")
@pytest.mark.parametrize("far", [1e4, 1e6])
def test_means_far_from_zero(far):
    """Part of R is kept apart; the scatter is found again without loss of digits."""
    table = numbers() + far
    learned = osp.learn(table, standardize=False, check=False)
    updated = osp.learn(table[:35], standardize=False, check=False).update(table[35:])
    np.testing.assert_allclose(updated.edge_probabilities(), learned.edge_probabilities(), atol=1e-6)


def test_evidence_is_kept():
    table = numbers()
    for evidence in ("A -> B, C !-> D", "A < B", "A ~> C"):
        updated = osp.learn(table[:35]).given(evidence).update(table[35:])
        learned = osp.learn(table).given(evidence)
        np.testing.assert_allclose(updated.edge_probabilities(), learned.edge_probabilities(), atol=1e-9)
        assert updated.evidence == learned.evidence


@pytest.mark.parametrize("make", [numbers, categories])
def test_a_file_keeps_what_it_needs(make, tmp_path):
    table, set_variables = make(), entries(60, 2)
    before = osp.learn(table[:35], interventions=set_variables[:35], check=False)
    before.save(tmp_path / "posterior.npz")
    loaded = osp.load(tmp_path / "posterior.npz")
    updated = loaded.update(table[35:], interventions=set_variables[35:])
    assert_same(updated, osp.learn(table, interventions=set_variables, check=False))
    updated.save(tmp_path / "updated.npz")
    np.testing.assert_array_equal(osp.load(tmp_path / "updated.npz").edge_probabilities(), updated.edge_probabilities())


def test_a_file_without_means_answers_but_cannot_be_updated(tmp_path):
    table, path = numbers(), tmp_path / "posterior.npz"
    learned = osp.learn(table)
    learned.save(path)
    forge(path, lambda arrays, _: arrays.pop("bge_mean"))
    old = osp.load(path)
    np.testing.assert_array_equal(old.edge_probabilities(), learned.edge_probabilities())
    with pytest.raises(Unavailable, match=r"a file of an older version.*Learn again from all rows"):
        old.update(table)
    with pytest.raises(Unavailable, match="a file of an older version"):
        osp.design.experiments(old, rows=5)


def test_forged_means_are_refused(tmp_path):
    path = tmp_path / "posterior.npz"
    for means in (np.zeros((1, 3)), np.zeros((2, 4)), np.full((1, 4), np.nan), np.full((1, 4), 1e300)):
        osp.learn(numbers()).save(path)
        forge(path, lambda arrays, _, means=means: arrays.update(bge_mean=means))
        with pytest.raises(osp.UnreadableFile):
            osp.load(path)


def test_kept_units_make_it_a_product():
    """With "keep" the posterior is the earlier one times the likelihood of the new rows in its units."""
    table = numbers()
    before = osp.learn(table[:35])
    kept = before.update(table[35:], standardize="keep")
    scaled = pd.DataFrame(before.units.applied(table.to_numpy()), columns=NAMES)
    assert_same(kept, osp.learn(scaled, standardize=False, check=False))
    assert kept.units is before.units
    again = before.update(table[35:])
    assert np.abs(again.edge_probabilities() - kept.edge_probabilities()).to_numpy().max() > 1e-6


def test_one_row_and_constant_columns():
    table = numbers()
    assert_same(osp.learn(table[:59]).update(table[59:]), osp.learn(table))
    constant = numbers().assign(B=1.0)[:20]
    updated = osp.learn(table).update(constant)
    assert_same(updated, osp.learn(pd.concat([table, constant]), check=False))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "method",
    [osp.methods.Trust(effort=0.05), osp.methods.Gadget(n_graphs=200)],
    ids=["trust", "gadget"],
)
def test_methods_that_search_begin_anew(method):
    table = pd.DataFrame(gaussian_data(6, 300, 3), columns=letters(6))
    updated = osp.learn(table[:200], method=method, check=False).update(table[200:], rng=5)
    learned = osp.learn(table, method=method, check=False, rng=5)
    assert type(updated.model) is type(learned.model)
    assert updated.settings["method"] == learned.settings["method"]
    exact = osp.learn(table, method=osp.methods.Exact(target=updated.settings.get("target", "order")), check=False)
    for one in (updated, learned):
        assert np.abs(one.edge_probabilities() - exact.edge_probabilities()).to_numpy().max() < 0.35
    assert updated.settings["rows"] == 300


def test_another_method():
    table = numbers()
    updated = osp.learn(table[:35]).update(table[35:], method=osp.methods.Exact(target="dag"))
    assert_same(updated, osp.learn(table, method=osp.methods.Exact(target="dag")))


def test_earlier_posteriors_do_not_change():
    table = numbers()
    before = osp.learn(table[:35])
    edges = before.edge_probabilities()
    before.update(table[35:])
    np.testing.assert_array_equal(before.edge_probabilities(), edges)
    assert before.settings["rows"] == 35


@pytest.mark.filterwarnings("ignore::UserWarning")  # of columns that hardly vary in the first part
@costly
@given(st.integers(0, 2**32 - 1), st.integers(2, 38), st.booleans())
def test_any_split_and_any_order(seed, cut, of_numbers):
    """Rows may come in any order, in any two parts, with their columns in any order."""
    rng = np.random.default_rng(seed)
    table = (numbers if of_numbers else categories)(40, seed % 100)
    score = "bge" if of_numbers else "bdeu"
    set_variables = entries(40, seed % 1000)
    learned = osp.learn(table, interventions=set_variables, check=False, score=score)
    rows, columns = rng.permutation(40), rng.permutation(4)
    # The first part has all levels and two different numbers in each column.
    rows = np.concatenate([[0, 1, 2], rows[rows > 2]]) if not of_numbers else rows
    shuffled = table.iloc[rows, columns]
    own = [set_variables[row] for row in rows]
    cut = max(cut, 5)
    try:
        before = osp.learn(shuffled[:cut], interventions=own[:cut], check=False, score=score)
    except osp.UserError:
        return  # a column that never varies without interventions
    updated = before.update(shuffled[cut:], interventions=own[cut:])
    names = list(table)
    expected = learned.edge_probabilities()
    np.testing.assert_allclose(updated.edge_probabilities().loc[names, names], expected, atol=1e-7)


def test_errors_say_what_to_do():
    posterior, of_categories = osp.learn(numbers()), osp.learn(categories())
    table = numbers()[:5]
    cubic = osp.learn(numbers(), score=osp.scores.BGe(degree=3), check=False)
    mixture = osp.mix([posterior, posterior])
    holes = table.copy()
    holes.iloc[1, 2] = np.nan
    wrong = {
        "missing": (lambda: posterior.update(holes), "'C'.*missing"),
        "infinite": (lambda: posterior.update(table * np.inf), "infinite|finite"),
        "empty": (lambda: posterior.update(table[:0]), "at least 1 row|empty"),
        "a column less": (lambda: posterior.update(table[["A", "B"]]), "'C'"),
        "text": (lambda: posterior.update(table.astype(str) + "x"), "'A'"),
        "huge": (lambda: posterior.update(table * 1e200), "'A'|large"),
        "unknown variable": (lambda: posterior.update(table, interventions=["Z"] * 5), "'Z'"),
        "too few entries": (lambda: posterior.update(table, interventions=["A"]), "5|interventions"),
        "standardize": (lambda: posterior.update(table, standardize="no"), "standardize.*'again'.*'no'"),
        "method": (lambda: posterior.update(table, method="none"), "method"),
        "level": (lambda: of_categories.update(categories()[:5].replace("1", "9")), "level '9'.*Learn again"),
        "missing level": (lambda: of_categories.update(categories()[:5].assign(A=None)), "'A'"),
        "no categories": (lambda: of_categories.update(categories()[:0]), "at least 1 row|empty"),
        "polynomials": (lambda: cubic.update(table), "without polynomials.*learn again from all rows"),
        "mixture": (lambda: mixture.update(table), "mixture.*Learn again from all rows"),
    }

    def check(case):
        call, words = case
        with pytest.raises(osp.UserError, match=f"(?s){words}"):
            call()

    check_each(check, wrong)
