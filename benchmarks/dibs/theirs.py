"""One run of dibs-lib's MarginalDiBS, from a file of rows to a file of particles.

python benchmarks/dibs/theirs.py rows.npz particles.npz --steps 3000

It needs numpy and dibs-lib alone, so that it may run in an environment of its own: `run.py --python PATH`.
"""

from __future__ import annotations

import argparse
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

PARTICLES = 30
CHUNK = 30
"""Steps of one call of their compiled program; the first call compiles it."""


class OutOfTime(Exception):
    """The processor seconds that a run may take are used up."""


class Clock:
    """Their callback: when each chunk ended, and where the particles were."""

    def __init__(self, cpu_limit: float) -> None:
        self.cpu_limit = cpu_limit
        self.cpu, self.wall = [time.process_time()], [time.perf_counter()]
        self.steps, self.latent = 0, None

    def __call__(self, *, t: int, zs: Any, **_: Any) -> None:
        self.latent = zs.block_until_ready()
        self.steps = t
        self.cpu.append(time.process_time())
        self.wall.append(time.perf_counter())
        if self.cpu[-1] - self.cpu[0] > self.cpu_limit:
            raise OutOfTime


def sample(rows: np.ndarray, steps: int, seed: int, cpu_limit: float) -> dict[str, Any]:
    """Run with their defaults: BGe with alpha_mu = 1 and alpha_lambd = d + 2, two edges per node in the prior."""
    import jax
    import jax.numpy as jnp
    from dibs.inference import MarginalDiBS  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from dibs.models import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        BGe,
        ErdosReniDAGDistribution,
    )

    d = rows.shape[1]
    clock = Clock(cpu_limit)
    dibs = MarginalDiBS(
        x=jnp.asarray(rows),
        graph_model=ErdosReniDAGDistribution(n_vars=d, n_edges_per_node=2),
        likelihood_model=BGe(n_vars=d, alpha_mu=1.0, alpha_lambd=d + 2),
    )
    with suppress(OutOfTime):  # their temperatures grow with the step alone: then it is a run of fewer steps
        dibs.sample(
            key=jax.random.PRNGKey(seed), n_particles=PARTICLES, steps=steps, callback=clock, callback_every=CHUNK
        )
    graphs = dibs.particle_to_g_lim(clock.latent)
    sources, targets = np.moveaxis(np.asarray(clock.latent, dtype=np.float64), 3, 0)  # (P, d, k) each
    cpu, wall = np.diff(clock.cpu), np.diff(clock.wall)
    after = CHUNK * max(1, cpu.size - 1)
    return {
        "graphs": np.asarray(graphs).astype(bool),
        "logits": np.einsum("pik,pjk->pij", sources, targets),  # but for alpha, which changes no order among them
        "mixture": np.exp(np.asarray(dibs.get_mixture(graphs).logp, dtype=np.float64)),
        "log_likelihood": np.asarray(dibs.eltwise_log_marginal_likelihood_observ(graphs, dibs.x), dtype=np.float64),
        "steps": clock.steps,
        "cpu_seconds": cpu.sum(),
        "seconds": wall.sum(),
        "cpu_per_step": cpu[1:].sum() / after,  # without the first chunk, in which the program was compiled
        "wall_per_step": wall[1:].sum() / after,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("particles", type=Path)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu-limit", type=float, default=float("inf"))
    given = parser.parse_args()
    with np.load(given.rows) as file:
        rows = file["rows"]
    np.savez(given.particles, **sample(rows, given.steps, given.seed, given.cpu_limit))


if __name__ == "__main__":
    main()
