"""`orderspn demo`: a tour on bundled data."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import reporting
from orderspn.cli.options import FILE
from orderspn.cli.output import Table, as_csv, progress_bars, show_people, strongest_pairs
from orderspn.cli.plot import save_picture
from orderspn.core.atomic import replacing
from orderspn.core.errors import MissingExtra

if TYPE_CHECKING:
    from orderspn.data.bundled import Sachs
    from orderspn.posterior import Posterior

Part = str | Table

MIN_PROBABILITY = 0.05
STRONGEST = 10
EVENT, CONDITION = "PKA -> Akt", "Erk -> Akt"


@click.command(short_help="Take a tour on bundled protein data.")
@click.option(
    "--output", type=FILE, default="demo-output", show_default=True, help="Folder for the files that it writes."
)
def demo(output: Path) -> None:
    """Learn the posterior of bundled protein data and show its queries.

    \b
    Example:
      orderspn demo --output demo-output
    """
    import orderspn as osp

    with reporting("create the folder", output):
        output.mkdir(parents=True, exist_ok=True)
    sachs = osp.load_sachs(log=True)
    start = time.perf_counter()
    with progress_bars(None) as progress:
        posterior = osp.learn(sachs.data, method="exact", progress=progress)
        edges = edges_against(posterior, sachs.consensus)
        story = [*_edges(edges), *_query(posterior), *_graph(posterior), *_effects(posterior)]
    seconds = time.perf_counter() - start
    show_people([_header(sachs, seconds), *story, *_saved(posterior, edges, sachs, output), _next_steps(output)])


def edges_against(posterior: Posterior, consensus: Collection[tuple[str, str]]) -> Table:
    """List the probable edges, and whether a reference network has them."""
    pairs = strongest_pairs(posterior.edge_probabilities())
    rows = [
        (cause, effect, probability, _verdict(cause, effect, consensus))
        for cause, effect, probability in pairs
        if probability >= MIN_PROBABILITY
    ]
    return Table(["cause", "effect", "probability", "in consensus"], rows)


def _verdict(cause: str, effect: str, consensus: Collection[tuple[str, str]]) -> str:
    if (cause, effect) in consensus:
        return "yes"
    return "reversed" if (effect, cause) in consensus else "no"


def _header(sachs: Sachs, seconds: float) -> str:
    rows, variables = sachs.data.shape
    return (
        f"The exact posterior over causal graphs of {variables} proteins in {rows} single cells "
        f"(Sachs et al. 2005), learned and queried in {seconds:.1f} s."
    )


def _edges(edges: Table) -> list[Part]:
    return [
        f"\nEdges with probability of at least {MIN_PROBABILITY:g}, beside the 17-edge consensus network:\n",
        edges,
        '\n"reversed" is an edge of the consensus that was found in the other direction. The directions of edges\n'
        "within a Markov equivalence class cannot be told from observations alone.",
    ]


def _query(posterior: Posterior) -> list[Part]:
    before, after = posterior.probability(EVENT), posterior.probability(EVENT, given=CONDITION)
    return [
        "\nOne edge changes the probability of another:\n",
        f"P({EVENT}) = {before:.4f}",
        f"P({EVENT} | {CONDITION}) = {after:.4f}",
    ]


def _graph(posterior: Posterior) -> list[Part]:
    best = posterior.most_probable_graph()
    edges = ", ".join(f"{cause} -> {effect}" for cause, effect in best.edges.present)
    probability = posterior.probability(best.edges)
    return [f"\nThe most probable graph (with probability {probability:.4f}, so there are many others):\n", edges]


def _effects(posterior: Posterior) -> list[Part]:
    pairs = strongest_pairs(posterior.causal_effects(units="sd"), STRONGEST)
    title = "\nThe strongest total effects, in standard deviations, averaged over all graphs:\n"
    return [title, Table(["cause", "effect", "value"], pairs)]


def _saved(posterior: Posterior, edges: Table, sachs: Sachs, output: Path) -> list[Part]:
    """Write the files; the picture only if matplotlib is installed."""
    data, saved, listed = (output / name for name in ("proteins.csv", "posterior.npz", "edges.csv"))
    picture = output / "posterior_graph.png"
    posterior.save(saved)
    for file, text in ((data, sachs.data.to_csv(index=False, lineterminator="\n")), (listed, as_csv(edges))):
        with replacing(file) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    files = [data, saved, listed]
    remark: list[Part] = []
    try:
        save_picture(posterior, picture, MIN_PROBABILITY, sachs.consensus)
        files.append(picture)
    except MissingExtra as problem:
        remark = [f"No picture was drawn: {problem}"]
    return ["\nSaved:\n", *(f"  {file}" for file in files), *remark]


def _next_steps(output: Path) -> str:
    program, posterior, data = _program(), _quoted(output / "posterior.npz"), _quoted(output / "proteins.csv")
    return "\n".join(
        [
            "\nTry next:\n",
            f'  {program} query {posterior} "Raf -> Mek" --given "PKA -> Raf"',
            f"  {program} explore {posterior}",
            f"  {program} parents {posterior} Akt",
            f"  {program} learn {data} -o posterior.npz",
        ]
    )


def _program() -> str:
    """The command that runs this program in the shell: its name if the shell finds it, else its path."""
    beside = Path(sys.executable).with_name("orderspn")
    found = which("orderspn")
    if found is not None and Path(found).parent == beside.parent:
        return "orderspn"
    path, arguments = (beside, "") if beside.exists() else (Path(sys.executable), " -m orderspn")
    here = Path.cwd()
    return _quoted(path.relative_to(here) if path.is_relative_to(here) else path) + arguments


def _quoted(path: Path) -> str:
    """A path as the shell of this system reads it."""
    return subprocess.list2cmdline([str(path)]) if os.name == "nt" else shlex.quote(str(path))
