"""BOSS, GRaSP, GES and PC of causal-learn; PC also on bootstrap resamples."""

import random

import numpy as np
from answering import bootstrap, serve
from causallearn.search.ConstraintBased.PC import pc
from causallearn.search.PermutationBased.BOSS import boss
from causallearn.search.PermutationBased.GRaSP import grasp
from causallearn.search.ScoreBased.GES import ges


def causal_learn(values, levels, seed, settings):
    discrete = bool((levels > 0).all())
    random.seed(seed)
    np.random.seed(seed)

    def find(rows):
        name = settings["algorithm"]
        if name == "pc":
            test = "chisq" if discrete else "fisherz"
            return marks(pc(rows, settings["alpha"], test, show_progress=False).G.graph)
        if name == "ges":
            return marks(ges(rows, "local_score_BDeu" if discrete else "local_score_BIC")["G"].graph)
        search = {"boss": boss, "grasp": grasp}[name]
        score = "local_score_BDeu" if discrete else "local_score_BIC_from_cov"
        return marks(search(rows, score, verbose=False).graph)

    if settings.get("resamples"):
        return bootstrap(find, values, seed, settings["resamples"])
    return {"cpdag": find(values)}


def marks(graph):
    """Booleans, [cause, effect]: causal-learn writes -1 at the tail of an edge, and 1 at its head."""
    tail = graph == -1
    either = (graph == 1) & (graph.T == 1)  # PC found a conflict: a direction is claimed both ways
    return tail | either


if __name__ == "__main__":
    serve(causal_learn)
