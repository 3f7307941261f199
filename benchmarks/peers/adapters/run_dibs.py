"""DiBS (dibs-lib): particles of linear Gaussian graphs by BGe and variational inference."""

import jax
import jax.numpy as jnp
import numpy as np
from answering import serve
from dibs.inference import MarginalDiBS
from dibs.models import BGe
from dibs.target import ErdosReniDAGDistribution


def dibs(values, levels, seed, settings):
    d = values.shape[1]
    inference = MarginalDiBS(
        x=jnp.asarray(values),
        graph_model=ErdosReniDAGDistribution(d, n_edges_per_node=2),
        likelihood_model=BGe(n_vars=d),
    )
    particles = inference.sample(
        key=jax.random.PRNGKey(seed), n_particles=settings["particles"], steps=settings["steps"]
    )
    mixture = inference.get_mixture(particles)
    graphs = np.asarray(mixture.g) > 0
    weights = np.exp(np.asarray(mixture.logp, dtype=float))
    acyclic = np.array([is_acyclic(graph) for graph in graphs])
    if not (weights[acyclic].sum() > 0):
        raise ValueError("no particle is acyclic")
    kept, weights = graphs[acyclic], weights[acyclic] / weights[acyclic].sum()
    draws = np.random.default_rng(seed).choice(len(kept), size=settings["particles"], p=weights)
    return {
        "edges": np.tensordot(weights, kept, axes=1),
        "sampled": kept[draws],
        "dag": kept[weights.argmax()],
        "resamples": settings["particles"],
    }


def is_acyclic(graph):
    reach = graph.astype(float)
    for _ in range(len(graph)):
        reach = ((reach + reach @ graph) > 0).astype(float)
    return not np.diag(reach).any()


if __name__ == "__main__":
    serve(dibs)
