"""Files on the command line: posteriors in, results out, and one clear line when that fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.options import MEMORY_LIMIT
from orderspn.cli.progress import progress_bars
from orderspn.core.destination import destination
from orderspn.core.errors import UserError

if TYPE_CHECKING:
    from orderspn.posterior import Posterior


@contextmanager
def opened(path: Path, given: Sequence[str], form: str | None) -> Iterator[Posterior]:
    """Load a posterior and condition it; bars are shown for as long as questions are being answered."""
    from orderspn.queries.edges import Edges
    from orderspn.storage import load

    with progress_bars(form) as progress:
        with reporting("read", path):
            posterior = load(path, memory_limit=_memory_limit(), progress=progress)
        for edges in given:
            posterior = posterior.given(Edges.parse(edges))
        yield posterior


def _memory_limit() -> int | None:
    """What the command that is running was given."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(MEMORY_LIMIT)


@contextmanager
def reporting(action: str, path: Path) -> Iterator[None]:
    """Report what the system says against a file as the user's error it mostly is."""
    try:
        yield
    except UserError:  # said already
        raise
    except OSError as problem:
        raise UserError(f"cannot {action} {str(path)!r}: {problem.strerror or problem}.") from problem


def check_output(path: Path) -> None:
    """Complain about a place where no file can be written before the long work, not after it."""
    destination(path)
