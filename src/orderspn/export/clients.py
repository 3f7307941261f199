"""Packages that results are handed to: none is a dependency, each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from orderspn.core.errors import MissingExtra


def load_client(module: str, install: str, what: str) -> Any:
    """Import a module of another package, or raise `MissingExtra` with the command that installs it.

    Parameters
    ----------
    module : str
    install : str
        What pip calls the package.
    what : str
        The feature that needs it, for the message.

    Examples
    --------
    >>> load_client("networkx", "networkx", "to_networkx").__name__
    'networkx'
    """
    try:
        return import_module(module)
    except ImportError as problem:
        raise MissingExtra(f"{what} needs {install}: pip install {install} ({problem})") from problem
