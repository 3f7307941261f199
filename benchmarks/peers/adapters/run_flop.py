"""FLOP (flopsearch): local search over orders by BIC; and the same on bootstrap resamples."""

import flopsearch
import numpy as np
from answering import bootstrap, serve


def flop(values, levels, seed, settings):
    def find(rows):
        found = flopsearch.flop(np.ascontiguousarray(rows), settings["penalty"], restarts=settings["restarts"])
        return np.asarray(found) > 0

    if settings.get("resamples"):
        return bootstrap(find, values, seed, settings["resamples"])
    return {"cpdag": find(values)}


if __name__ == "__main__":
    serve(flop)
