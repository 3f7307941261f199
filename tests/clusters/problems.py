"""Small problems that need a search, and their posteriors as files."""

import warnings

import numpy as np

import orderspn as osp
from helpers.data import gaussian_data

NAMES = [f"X{i}" for i in range(1, 11)]


def table(missing=0.0):
    values = gaussian_data(10, 80, seed=1, density=0.3)
    values[np.random.default_rng(0).random(values.shape) < missing] = np.nan
    return values


TRUST = osp.methods.Trust(block_size=3, n_orders=24, effort=0.05, refine=1)
GADGET = osp.methods.Gadget(n_graphs=64, effort=0.01, refine=1, n_chains=4)

PROBLEMS = {
    "trust": {"method": TRUST},
    "trust, six runs": {"method": TRUST, "runs": 6},
    "gadget": {"method": GADGET},
    "missing values": {"method": TRUST.with_settings(n_orders=8), "imputations": 2, "missing": 0.1},
}
"""Arguments of `learn` by name."""


def learned(name, **changed):
    """Learn the posterior of a problem."""
    arguments = {"candidates": 4, "check": False, "rng": 5, "progress": False, **PROBLEMS[name], **changed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # short searches disagree
        return osp.learn(table(arguments.pop("missing", 0.0)), **arguments)


def content(posterior, folder):
    """The bytes of its file."""
    path = folder / "posterior.npz"
    posterior.save(path)
    return path.read_bytes()
