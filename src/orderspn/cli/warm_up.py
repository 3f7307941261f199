"""`orderspn warm-up`: all kernels compiled before anyone waits for them."""

from __future__ import annotations

from dataclasses import asdict

import click

from orderspn.cli.options import POSITIVE, format_options
from orderspn.cli.output import Answer, Table, progress_bars, show


@click.command("warm-up", short_help="Compile everything now, so that nothing waits later.")
@click.option("--n-jobs", type=POSITIVE, help="Processes [default: all cores].")
@format_options
def warm_up(n_jobs: int | None, form: str | None) -> None:
    """Compile all kernels, which otherwise happens when they are first used.

    Use it when an image is built, before a cluster starts many processes, or before a lesson.

    \b
    Example:
      orderspn warm-up
    """
    from orderspn.warming import warm_up

    with progress_bars(form) as progress:
        done = asdict(warm_up(n_jobs, progress))
    table = Table(["property", "value"], list(done.items()))
    show(Answer(done, table, [_in_words(**done)]), form)


def _in_words(n_compiled: int, seconds: float, folder: str | None) -> str:
    if not n_compiled:
        return "All kernels were compiled before."
    kept = f"They are kept in {folder}." if folder else "They are lost: no folder for them can be written to."
    return f"Compiled {n_compiled} functions in {seconds:.0f} s. {kept}"
