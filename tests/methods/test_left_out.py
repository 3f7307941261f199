"""What families leave out is told by every method, also where one variable alone has all others as candidates."""

import warnings

import pytest

import orderspn as osp
from helpers.data import gaussian_data

VALUES = gaussian_data(4, 30, seed=27)
ALL = {v: [u for u in "ABCD" if u != v] for v in "ABCD"}
METHODS = {
    "exact": osp.methods.Exact(),
    "exact, dags": osp.methods.Exact(target="dag"),
    "gadget": osp.methods.Gadget(effort=0.02, n_graphs=80, n_chains=2),
    "dibs": osp.methods.DiBS(effort=0.05, n_particles=4),
}


def learn(name, candidates):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hardly any search
        return osp.learn(
            VALUES, variables=list("ABCD"), candidates=candidates, n_jobs=1, method=METHODS[name], standardize=False
        )


@pytest.mark.thorough
@pytest.mark.parametrize("name", METHODS)
def test_one_variable_with_all_candidates_is_not_enough(name):
    assert "lost_share" not in learn(name, ALL).settings
    assert 0.0 < learn(name, {**ALL, "B": [], "C": ["A"]}).settings["lost_share"] < 1.0
