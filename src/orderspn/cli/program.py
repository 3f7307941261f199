"""How the program ends: exit codes, one line per error or warning, and tracebacks for bugs alone."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

import click

from orderspn.cli.streams import discard, is_of_stream, prepare_streams
from orderspn.cli.wording import in_options
from orderspn.core.errors import UserError

USER_ERROR = 2
UNWRITTEN = 1
INTERRUPTED = 130


class Program(click.Group):
    """A group of commands that reports a user's mistake in one line and lets bugs show themselves."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name the commands in the order in which one needs them."""
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
            _say("error", problem.format_message() + _where_to_look(problem))
        except click.ClickException as problem:
            code = USER_ERROR
            _say("error", problem.format_message())
        except BrokenPipeError:
            code = UNWRITTEN
            discard(sys.stdout)
        except OSError as problem:
            if not is_of_stream(problem):
                raise
            code = UNWRITTEN
            discard(sys.stdout)
            _say("error", f"cannot write the output: {problem.strerror}.")
        sys.exit(code or 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; turn what a user can cause into errors that click knows."""
        try:
            with _warnings_in_one_line():
                return super().invoke(ctx)
        except UserError as problem:
            raise click.ClickException(in_options(str(problem))) from problem
        except MemoryError as problem:
            raise click.ClickException("this computer has not enough free memory for that.") from problem
        except KeyboardInterrupt:
            _tell("orderspn: interrupted")
            raise click.Abort from None
        except EOFError as problem:  # click would take it for an interruption
            raise RuntimeError("a file ended too early") from problem


@contextlib.contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, *_: object, **__: object) -> None:
        _say("warning", in_options(str(message)))

    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show
        yield


def _say(kind: str, message: str) -> None:
    _tell(f"orderspn: {kind}: {' '.join(message.split())}")


def _tell(line: str) -> None:
    """Write to the error stream; where that fails, the exit code must do."""
    try:
        click.echo(line, err=True)
    except OSError:
        discard(sys.stderr)


def _where_to_look(problem: click.UsageError) -> str:
    command = problem.ctx.command_path if problem.ctx else "orderspn"
    return f" (see '{command} --help')"
