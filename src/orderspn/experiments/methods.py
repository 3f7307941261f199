"""The methods that are compared: their names, and their settings.

With effort 1, Gadget has the paper's budget (16 coupled chains, 320,000 moves in all, 10,000 graphs), DiBS too (30
particles, 3000 steps), and TRUST has the paper's expansion factors and its regular structure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.circuit.building import n_layers
from orderspn.core.jax import require_jax
from orderspn.dags.exact_dags import MOST_VARIABLES as MOST_DAG_VARIABLES
from orderspn.dibs.particles import DibsSettings
from orderspn.gadget.sampler import GadgetEffort
from orderspn.learning import learn
from orderspn.methods.auto import EXACT_UP_TO
from orderspn.methods.dibs import DiBS
from orderspn.methods.exact import Exact
from orderspn.methods.gadget import Gadget
from orderspn.methods.method import Method as Learner
from orderspn.methods.trust import Trust
from orderspn.oracles.dibs import Dibs
from orderspn.oracles.gadget import Gadget as GadgetOracle
from orderspn.oracles.protocol import Oracle
from orderspn.posterior import Posterior

if TYPE_CHECKING:
    from orderspn.experiments.experiment import Run

EXPANSIONS = {1: [2], 2: [6, 2], 3: [16, 6, 2], 4: [64, 16, 6, 2], 5: [32, 8, 2, 6, 2]}
"""Factors by the number of layers. The paper has those of 4 (16 variables) and 5 (32); smaller circuits are the lower
part of the one for 16."""

PAPER_MOVES = 320_000
"""Moves of Gadget, over all chains."""

ORACLE_SWEEPS = 150
"""Moves of each chain of Gadget as an oracle, per variable of a sum node; the paper does not give its number. The
default of the oracle is 2000, which covers somewhat more of the mass of orders and takes several times as long; a
larger effort comes near it."""


@dataclass(frozen=True)
class Method:
    """A method of an experiment.

    Attributes
    ----------
    name : str
    what : str
        In a few words.
    colour : str
        Of its marks in all figures.
    learner : callable
        Maps the number of variables and the effort to the method that `learn` takes.
    needs_jax : bool
    most_variables : int, optional
        The largest number of variables that it can handle.
    """

    name: str
    what: str
    colour: str
    learner: Callable[[int, float], Learner]
    needs_jax: bool = False
    most_variables: int | None = None

    def recorded(self, d: int, effort: float) -> dict[str, Any]:
        """The settings as JSON values."""
        return self.learner(d, effort).settings()

    def require(self) -> None:
        """Raise an error if a package that it needs is not installed."""
        if self.needs_jax:
            require_jax(f"the method {self.name}")

    def posterior(self, run: Run, effort: float, rng: np.random.SeedSequence) -> Posterior:
        """Learn from a run, in one thread."""
        method = self.learner(len(run.simulation.variables), effort)
        # As in the paper: its networks have comparable scales, and its scores are of the data as they are.
        return learn(run.simulation.data, rng=rng, n_jobs=1, method=method, standardize=False, check=False)


def expansion_of(d: int) -> list[int]:
    """Expansion factors of the paper's regular circuit for d variables.

    Examples
    --------
    >>> expansion_of(16), expansion_of(32), expansion_of(6)
    ([64, 16, 6, 2], [32, 8, 2, 6, 2], [16, 6, 2])
    """
    return list(EXPANSIONS[n_layers(d, 1)])


def _trust(oracle: Callable[[float], str | Oracle], weights: str) -> Callable[[int, float], Learner]:
    return lambda d, effort: Trust(oracle=oracle(effort), expansion=expansion_of(d), block_size=1, weights=weights)


def _gadget(d: int, effort: float) -> Gadget:
    usual = GadgetEffort.usual(d)
    paper = PAPER_MOVES / (usual.runs * usual.chains * usual.iterations)
    return Gadget(n_graphs=10_000, effort=effort * paper)


def _default(d: int, effort: float) -> Learner:
    return Exact() if d <= EXACT_UP_TO else Trust(effort=effort)


def _gadget_oracle(effort: float) -> GadgetOracle:
    return GadgetOracle(sweeps=max(2, round(effort * ORACLE_SWEEPS)))


def _dibs_oracle(effort: float) -> Dibs:
    return Dibs(max(1, round(effort * DibsSettings.steps)))


def _random_oracle(_: float) -> str:
    return "random"


MOST_TRUST_VARIABLES = 2 ** max(EXPANSIONS)

METHODS: dict[str, Method] = {
    method.name: method
    for method in [
        Method("GADGET", "graphs sampled by Markov chains", "#d55e00", _gadget),
        Method(
            "TRUST-G",
            "the paper's circuit with Gadget as its oracle",
            "#0072b2",
            _trust(_gadget_oracle, "elbo"),
            most_variables=MOST_TRUST_VARIABLES,
        ),
        Method(
            "DIBS",
            "particles by variational inference",
            "#e69f00",
            lambda _, effort: DiBS(effort=effort),
            needs_jax=True,
        ),
        Method(
            "DIBS+",
            "the same, weighted by their scores",
            "#6e3205",
            lambda _, effort: DiBS(effort=effort, weights="score"),
            needs_jax=True,
        ),
        Method(
            "TRUST-D",
            "the paper's circuit with DiBS as its oracle",
            "#56b4e9",
            _trust(_dibs_oracle, "elbo"),
            needs_jax=True,
            most_variables=MOST_TRUST_VARIABLES,
        ),
        Method("ORDERSPN", f"what `learn` does by default: exact up to {EXACT_UP_TO} variables", "#6a1b7a", _default),
        Method(
            "TRUST",
            "the default circuit: sampled orders cut into exact blocks",
            "#cc79a7",
            lambda _, effort: Trust(effort=effort),
        ),
        Method(
            "EXACT",
            "all orders, exactly: a graph counts once per topological order",
            "#222222",
            lambda *_: Exact(),
            most_variables=EXACT_UP_TO,
        ),
        Method(
            "EXACT-DAG",
            "all graphs, exactly: a graph counts once",
            "#5f5f5f",
            lambda *_: Exact(target="dag"),
            most_variables=MOST_DAG_VARIABLES,
        ),
        Method(
            "RANDOM",
            "a circuit of random partitions with equal weights",
            "#999999",
            _trust(_random_oracle, "uniform"),
            most_variables=MOST_TRUST_VARIABLES,
        ),
        Method(
            "PARAMETERS",
            "a circuit of random partitions, weights learned",
            "#f0b400",
            _trust(_random_oracle, "elbo"),
            most_variables=MOST_TRUST_VARIABLES,
        ),
        Method(
            "STRUCTURE",
            "the circuit of TRUST-G with equal weights",
            "#7a3300",
            _trust(_gadget_oracle, "uniform"),
            most_variables=MOST_TRUST_VARIABLES,
        ),
    ]
}
