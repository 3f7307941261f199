"""BiDAG (R): order MCMC with BGe. Needs `Rscript` and the R package BiDAG; not part of the environments."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
from answering import serve

PROGRAM = """
arguments <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(BiDAG))
set.seed(as.integer(arguments[3]))
data <- as.matrix(read.csv(arguments[1]))
score <- scoreparameters("bge", data)
search <- iterativeMCMC(score, verbose = FALSE)
chain <- orderMCMC(score, startspace = search$endspace, MAP = FALSE, chainout = TRUE)
write.csv(as.matrix(edgep(chain, pdag = FALSE)), file.path(arguments[2], "edges.csv"), row.names = FALSE)
write.csv(as.matrix(search$DAG), file.path(arguments[2], "dag.csv"), row.names = FALSE)
"""


def bidag(values, levels, seed, settings):
    with tempfile.TemporaryDirectory() as folder:
        program, table = Path(folder, "program.R"), Path(folder, "table.csv")
        program.write_text(PROGRAM)
        names = ",".join(f"X{v}" for v in range(values.shape[1]))
        np.savetxt(table, values, delimiter=",", header=names, comments="")
        subprocess.run(["Rscript", str(program), str(table), folder, str(seed)], check=True, stdout=subprocess.DEVNULL)
        edges, dag = (np.loadtxt(Path(folder, f"{n}.csv"), delimiter=",", skiprows=1) for n in ("edges", "dag"))
    return {"edges": edges, "dag": dag > 0, "resamples": 0}


if __name__ == "__main__":
    serve(bidag)
