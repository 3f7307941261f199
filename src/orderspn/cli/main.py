"""The program `orderspn`: its commands, its exit codes, and errors and warnings in one line each."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

import click

from orderspn._version import __version__
from orderspn.cli.ancestors import ancestors, descendants
from orderspn.cli.best import best
from orderspn.cli.check import check
from orderspn.cli.compare import compare
from orderspn.cli.demo import demo
from orderspn.cli.design import design
from orderspn.cli.effect_reports import effect, paths
from orderspn.cli.effects import effects, interventional
from orderspn.cli.explore import explore, report
from orderspn.cli.graphs import most_probable, sample
from orderspn.cli.identification import adjacencies, consensus, cpdags, v_structures
from orderspn.cli.judge import judge
from orderspn.cli.learn import info, learn
from orderspn.cli.options import in_options
from orderspn.cli.output import discard, is_of_stream, prepare_streams, reader_is_gone
from orderspn.cli.plot import plot
from orderspn.cli.probabilities import edges, parents, query
from orderspn.cli.reproduce import reproduce
from orderspn.cli.update import update
from orderspn.cli.warm_up import warm_up
from orderspn.core.errors import UserError

USER_ERROR = 2
UNWRITTEN = 1
INTERRUPTED = 130
READER_GONE = 0
"""Exit codes; 0 is success, also if whoever reads the output, such as head, has seen enough. Python leaves with 1
after a traceback."""


class Program(click.Group):
    """A group of commands that reports a user's mistake in one line; only bugs end in a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name the commands in the order in which they are added below."""
        return list(self.commands)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and leave with its exit code."""
        kwargs.update(prog_name="orderspn", standalone_mode=False)
        prepare_streams()
        try:
            code = super().main(*args, **kwargs)
            sys.stdout.flush()
        except click.Abort:
            code = INTERRUPTED
        except click.UsageError as problem:
            code = USER_ERROR
            _report("error", problem.format_message() + _hint(problem))
        except click.ClickException as problem:
            code = USER_ERROR
            _report("error", problem.format_message())
        except OSError as problem:
            gone = reader_is_gone(problem)
            if not gone and not is_of_stream(problem):
                raise
            code = READER_GONE if gone else UNWRITTEN
            discard(sys.stdout)
            if not gone:
                _report("error", f"cannot write the output: {problem.strerror}.")
        sys.exit(code or 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; turn errors that a user can cause into those that click reports."""
        try:
            with _warnings_in_one_line():
                return super().invoke(ctx)
        except UserError as problem:
            raise click.ClickException(in_options(str(problem))) from problem
        except MemoryError as problem:
            raise click.ClickException("there is not enough free memory.") from problem
        except (OSError, SystemExit) as ending:  # click and rich would leave with 1
            if not reader_is_gone(ending.__context__ if isinstance(ending, SystemExit) else ending):
                raise
            discard(sys.stdout)
            return READER_GONE
        except KeyboardInterrupt:
            _write_error("orderspn: interrupted")
            raise click.Abort from None
        except EOFError as problem:  # click would take it for an interruption
            raise RuntimeError("a file ended too early") from problem


@contextlib.contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, *_: object, **__: object) -> None:
        _report("warning", in_options(str(message)))

    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show
        yield


def _report(kind: str, message: str) -> None:
    _write_error(f"orderspn: {kind}: {' '.join(message.split())}")


def _write_error(line: str) -> None:
    """Write to the error stream; if that fails, the exit code must suffice."""
    try:
        click.echo(line, err=True)
    except OSError:
        discard(sys.stderr)


def _hint(problem: click.UsageError) -> str:
    command = problem.ctx.command_path if problem.ctx else "orderspn"
    return f" (see '{command} --help')"


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Learn which causal graphs could have produced your data, and query them.

    \b
    Try it:
      orderspn demo
    Use it:
      orderspn learn data.csv -o posterior.npz
      orderspn explore posterior.npz
      orderspn edges posterior.npz
      orderspn query posterior.npz "A -> B" --given "C -> D"

    Edges are written "A -> B" (A is a direct cause of B) and "A !-> B" (it is not). "A -- B" means an edge in
    either direction, and "A !-- B" none. The order constraint "A < B" means that A comes before B in the order, with
    or without an edge. Several are separated by commas, and names with spaces or commas are quoted:
    '"heart rate" -> dose'.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    check,
    learn,
    best,
    explore,
    edges,
    query,
    ancestors,
    descendants,
    most_probable,
    consensus,
    sample,
    judge,
    effects,
    effect,
    paths,
    interventional,
    design,
    update,
    parents,
    adjacencies,
    v_structures,
    cpdags,
    compare,
    info,
    plot,
    report,
    demo,
    reproduce,
    warm_up,
):
    main.add_command(command)
