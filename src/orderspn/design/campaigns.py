"""`simulate_campaign`: experiments chosen one after the other on a known network, to compare strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType
from orderspn.core.randomness import RNGLike, seed_for, seed_sequence
from orderspn.design.strategies import as_strategy
from orderspn.learning import learn
from orderspn.posterior import Posterior
from orderspn.simulate.network import LinearGaussianNetwork

if TYPE_CHECKING:
    import pandas as pd

CERTAIN = 0.9
"""Mean probability of the true edges from which a campaign counts as certain."""


@dataclass(frozen=True, eq=False)
class Campaign:
    """A campaign: what was done in each round, and what was known after it.

    Attributes
    ----------
    strategy : str
    table : pandas.DataFrame
        A row for each round, 0 before any experiment: the `experiment`, the `entropy` of the posterior in nats, the
        `expected_distance` (structural Hamming distance between the true DAG and those of the posterior), and the
        `certainty`: the mean probability of the edges of the true graph.
    posterior : Posterior
        The posterior at the end.
    """

    strategy: str
    table: pd.DataFrame
    posterior: Posterior

    def __repr__(self) -> str:
        return f"<Campaign: {self.strategy}, {len(self.table) - 1} rounds>"

    @property
    def rounds_to_certainty(self) -> int | None:
        """Number of rounds until the true edges have a mean probability of 0.9; None if they never have."""
        certain = np.flatnonzero(self.table["certainty"].to_numpy() >= CERTAIN)
        return int(certain[0]) if certain.size else None


def simulate_campaign(
    network: LinearGaussianNetwork,
    strategy: Any = "information",
    rounds: int = 5,
    *,
    rows: int = 50,
    start_rows: int = 100,
    rng: RNGLike = 0,
    **learning: Any,
) -> Campaign:
    """Learn from observations of a network, then choose, make and learn from one experiment after the other.

    The same seed gives the same first rows and the same noise in every round to all strategies.

    Parameters
    ----------
    network : LinearGaussianNetwork
        The truth.
    strategy : {"information", "limit", "random", "edge entropy", "observe"} or callable
        How the next experiment is chosen: by the largest expected reduction of entropy, by the same with very many
        rows, at random, by the largest sum of entropies of edges, or not at all. A function takes a posterior, a number
        of rows and a seed, and returns a variable, or None to observe.
    rounds : int, default 5
    rows : int, default 50
        Rows of each experiment; half of them with the variable a standard deviation below its mean, half above.
    start_rows : int, default 100
        Rows of observations before the first experiment.
    rng : int, SeedSequence, Generator or None, default 0
    **learning
        Arguments of `learn`.

    Returns
    -------
    Campaign

    Examples
    --------
    >>> import orderspn as osp
    >>> network = osp.simulate.LinearGaussianNetwork([[0, 1, 0], [0, 0, 1], [0, 0, 0]], variables=["A", "B", "C"])
    >>> campaign = osp.design.simulate_campaign(network, "random", rounds=3, rng=0)
    >>> campaign
    <Campaign: random, 3 rounds>
    >>> bool(campaign.table["entropy"].iloc[-1] < campaign.table["entropy"].iloc[0])
    True
    """
    import pandas as pd

    if not isinstance(network, LinearGaussianNetwork):
        raise InvalidType(f"network must be an osp.simulate.LinearGaussianNetwork; got {type(network).__name__}.")
    name, choose = as_strategy(strategy)
    n_rounds, count = check_integer("rounds", rounds, 1), check_integer("rows", rows, 2)
    seeds = seed_sequence(rng)
    first = network.sample(check_integer("start_rows", start_rows, 2), rng=seed_for(seeds, "observations"))
    centre, deviation = first.mean(), first.std()
    posterior = learn(first, rng=0, **{"check": False, "progress": False, **learning})
    records = [_record(posterior, network, "observe")]
    for number in range(1, n_rounds + 1):
        target = choose(posterior, count, seed_for(seeds, f"choice {number}"))
        table = _rows(network, target, centre, deviation, count, seed_for(seeds, f"rows {number}"))
        entries = None if target is None else [target] * len(table)
        posterior = posterior.update(table, interventions=entries, progress=False)
        records.append(_record(posterior, network, "observe" if target is None else f"do({target})"))
    frame = pd.DataFrame(records, index=pd.RangeIndex(n_rounds + 1, name="round"))
    return Campaign(name, frame, posterior)


def _rows(
    network: LinearGaussianNetwork,
    target: str | None,
    centre: pd.Series[float],
    deviation: pd.Series[float],
    count: int,
    seed: np.random.SeedSequence,
) -> pd.DataFrame:
    import pandas as pd

    if target is None:
        return network.sample(count, rng=seed)
    halves = [count - count // 2, count // 2]
    return pd.concat(
        [
            network.sample(half, rng=own, do={target: float(centre[target] + sign * deviation[target])})
            for half, own, sign in zip(halves, seed.spawn(2), (-1.0, 1.0), strict=True)
        ],
        ignore_index=True,
    )


def _record(posterior: Posterior, network: LinearGaussianNetwork, experiment: str) -> dict[str, Any]:
    names, truth = posterior.variables, network.adjacency
    edges = posterior.edge_probabilities().to_numpy()
    # A reversed edge counts once: for each pair the probability that it is not as in the truth.
    pairs = np.triu_indices(len(names), 1)
    same = np.where(truth[pairs], edges[pairs], np.where(truth.T[pairs], edges.T[pairs], (1 - edges - edges.T)[pairs]))
    return {
        "experiment": experiment,
        "entropy": posterior.entropy(),
        "expected_distance": float((1.0 - same).sum()),
        "certainty": float(edges[truth].mean()) if truth.any() else 1.0,
    }
