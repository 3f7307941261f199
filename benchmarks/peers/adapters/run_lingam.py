"""DirectLiNGAM: linear DAGs whose directions show in non-Gaussian noise; also on bootstrap resamples."""

import lingam
import numpy as np
from answering import serve


def direct(values, levels, seed, settings):
    def find(rows):
        model = lingam.DirectLiNGAM(random_state=seed)
        model.fit(rows)
        return np.abs(model.adjacency_matrix_.T) > settings["threshold"]

    return {"dag": find(values)}


if __name__ == "__main__":
    serve(direct)
