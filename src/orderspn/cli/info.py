"""`orderspn info`: what a file holds and how it was learned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.files import opened
from orderspn.cli.options import format_options, posterior_argument
from orderspn.cli.output import Answer, Table, show

if TYPE_CHECKING:
    from orderspn.posterior import Posterior


@click.command(short_help="Describe a posterior.")
@posterior_argument
@format_options
def info(posterior_file: Path, form: str | None) -> None:
    """Describe a posterior: its variables, how it was learned, and how certain it is.

    \b
    Example:
      orderspn info posterior.npz
    """
    with opened(posterior_file, (), form) as posterior:
        answer = description(posterior, _origin(posterior_file))
    show(answer, form)


def description(posterior: Posterior, origin: Mapping[str, Any]) -> Answer:
    """Everything that is known about a posterior, and where it is from."""
    settings = dict(posterior.settings)
    document = {
        **origin,
        "variables": posterior.variables,
        "evidence": str(posterior.evidence) or None,
        "settings": settings,
        **_known(posterior),
        "expected_edges": float(posterior.edge_probabilities().to_numpy().sum()),
    }
    lines = {**origin, "variables": ", ".join(posterior.variables)}
    lines |= {key: settings[key] for key in ("seed", "data_fingerprint")}
    details = "\n".join(f"  {key.replace('_', ' '):20} {value}" for key, value in lines.items())
    table = Table(["property", "value"], _flat(document))
    return Answer(document, table, [posterior.summary(), details])


def _known(posterior: Posterior) -> dict[str, float]:
    """What a model of all graphs knows, and a sample of them does not."""
    from orderspn.models.listed_graphs import ListedGraphs

    if isinstance(posterior._model, ListedGraphs):
        return {}
    return {"log_evidence": posterior.log_evidence, "entropy": posterior.entropy()}


def _origin(path: Path) -> dict[str, Any]:
    from orderspn.storage import read_manifest

    manifest = read_manifest(path)
    return {"file": str(path)} | {
        key: manifest[key] for key in ("format", "format_version", "package_version") if key in manifest
    }


def _flat(document: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in document.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{prefix}{key}.")
        else:
            rows.append((f"{prefix}{key}", value))
    return rows
