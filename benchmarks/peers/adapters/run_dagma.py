"""DAGMA: linear DAGs by continuous optimisation."""

import numpy as np
from answering import serve
from dagma.linear import DagmaLinear


def dagma(values, levels, seed, settings):
    weights = DagmaLinear(loss_type="l2").fit(
        values.copy(), lambda1=settings["lambda1"], w_threshold=settings["threshold"]
    )
    return {"dag": np.abs(weights) > 0}


if __name__ == "__main__":
    serve(dagma)
