"""orderspn: a posterior by `learn`, or the best graph alone."""

import warnings

import numpy as np
import pandas as pd
from answering import serve

import orderspn as osp

warnings.simplefilter("ignore")
SAMPLES = 100


def ours(values, levels, seed, settings):
    data = pd.DataFrame(values, columns=[f"X{v}" for v in range(values.shape[1])])
    for v in np.flatnonzero(levels):
        data[f"X{v}"] = [f"level {int(code)}" for code in values[:, v]]
    common = {"rng": seed, "n_jobs": 1, "check": False}
    if settings.get("best_graph"):
        return {"dag_of_class": osp.best_graph(data, **common).adjacency}
    method = osp.methods.Auto(target=settings.get("target", "order"))
    if "gadget_effort" in settings:
        method = osp.methods.Gadget(effort=settings["gadget_effort"])
    score = osp.scores.BGe(degree=settings["degree"]) if "degree" in settings else "auto"
    prior = settings.get("prior", "fair")
    posterior = osp.learn(data, method=method, score=score, prior=prior, progress=False, **common)
    edges = posterior.edge_probabilities().to_numpy()
    best = posterior.most_probable_graph().graph
    names = list(posterior.variables)
    dag = np.zeros(edges.shape, dtype=bool)
    for cause, effect in best.edges:
        dag[names.index(cause), names.index(effect)] = True

    def afterwards():
        more = {"sampled": posterior.sample(SAMPLES, rng=seed).adjacency}
        if settings.get("effects") and not levels.any() and values.shape[1] <= 50:
            low, high = posterior.effect_samples(400, rng=seed, progress=False).interval(0.9)
            more |= {"effect_low": low.to_numpy(), "effect_high": high.to_numpy()}
        return more

    return {"edges": edges, "dag_of_class": dag, "resamples": 0, "afterwards": afterwards}


if __name__ == "__main__":
    serve(ours)
