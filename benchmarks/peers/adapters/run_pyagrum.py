"""Greedy hill climbing of pyAgrum on bootstrap resamples, by BIC of tables; numbers are cut into quantiles."""

import numpy as np
import pandas as pd
import pyagrum as gum
from answering import bootstrap, serve


def hill_climbing(values, levels, seed, settings):
    d = values.shape[1]
    codes = values.astype(int)
    for v in np.flatnonzero(levels == 0):
        cuts = np.quantile(values[:, v], np.arange(1, settings["bins"]) / settings["bins"])
        codes[:, v] = np.searchsorted(cuts, values[:, v])
    labels = [int(k) if k else settings["bins"] for k in levels]
    template = gum.BayesNet()
    for v in range(d):
        template.add(gum.LabelizedVariable(f"X{v}", "", [str(code) for code in range(labels[v])]))

    def find(rows):
        frame = pd.DataFrame(rows.astype(str), columns=[f"X{v}" for v in range(d)])
        learner = gum.BNLearner(frame, template)
        learner.setNumberOfThreads(1)
        learner.useGreedyHillClimbing()
        learner.useScoreBIC()
        learner.useNoPrior()
        bare = gum.BayesNet(template)
        for cause, effect in learner.learnDAG().arcs():
            bare.addArc(cause, effect)
        essential = gum.EssentialGraph(bare)
        graph = np.zeros((d, d), dtype=bool)
        for a, b in essential.arcs():
            graph[a, b] = True
        for a, b in essential.edges():
            graph[a, b] = graph[b, a] = True
        return graph

    return bootstrap(find, codes, seed, settings["resamples"])


if __name__ == "__main__":
    serve(hill_climbing)
