"""Hill climbing of pgmpy on bootstrap resamples: BIC of Gaussians, of tables, or of conditional Gaussians."""

import logging

import numpy as np
import pandas as pd
from answering import bootstrap, serve
from pgmpy.base import DAG
from pgmpy.estimators import HillClimbSearch

logging.disable(logging.WARNING)


def hill_climbing(values, levels, seed, settings):
    names = [f"X{v}" for v in range(values.shape[1])]
    score = "bic-d" if (levels > 0).all() else "bic-cg" if (levels > 0).any() else "bic-g"

    def find(rows):
        frame = pd.DataFrame(rows, columns=names)
        for v in np.flatnonzero(levels):
            frame[names[v]] = pd.Categorical(rows[:, v].astype(int), categories=range(int(levels[v])))
        found = HillClimbSearch(frame).estimate(scoring_method=score, show_progress=False)
        graph = np.zeros((len(names), len(names)), dtype=bool)
        dag = DAG()
        dag.add_nodes_from(names)
        dag.add_edges_from(found.edges())
        essential = dag.to_pdag()
        for cause, effect in essential.directed_edges:
            graph[names.index(cause), names.index(effect)] = True
        for a, b in essential.undirected_edges:
            graph[names.index(a), names.index(b)] = graph[names.index(b), names.index(a)] = True
        return graph

    return bootstrap(find, values, seed, settings["resamples"])


if __name__ == "__main__":
    serve(hill_climbing)
