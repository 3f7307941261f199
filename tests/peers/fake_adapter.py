"""A method for tests of the protocol: what it does is in its settings."""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "peers" / "adapters"))
from answering import bootstrap, serve


def fake(values, levels, seed, settings):
    d = values.shape[1]
    print("a package that prints")
    if settings.get("fails") and d != 6:  # 6 variables: the small table before the first
        raise ValueError("no such luck")
    if settings.get("dies") and d != 6:
        sys.exit(3)
    until = time.process_time() + (settings.get("spins", 0.0) if d != 6 else 0.0)
    while time.process_time() < until:
        pass
    if settings.get("resamples"):
        return bootstrap(lambda rows: np.triu(np.ones((d, d), dtype=bool), 1), values, seed, settings["resamples"])
    graph = np.triu(np.ones((d, d), dtype=bool), 1)
    return {"dag": graph, "seed": seed, "afterwards": lambda: {"levels": levels}}


if __name__ == "__main__":
    serve(fake)
