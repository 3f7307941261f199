"""JAX as an optional dependency: whether it is there and can be used, and 64-bit numbers for a while."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from orderspn.core.errors import MissingExtra, UserError
from orderspn.core.interrupts import interrupts_wait

_users: set[int] = set()
"""Processes that have used JAX: this one, or those that it was forked from."""


def require_jax(what: str, also: Sequence[str] = ()) -> None:
    """Raise an error unless JAX is installed and works in this process.

    Parameters
    ----------
    what : str
        The feature that needs it, for the message.
    also : sequence of str
        Further packages of the same extra that it needs.

    Raises
    ------
    MissingExtra
        If it is not installed.
    UserError
        In a forked process whose parent has used it: JAX would wait forever for threads that only the parent has.

    Examples
    --------
    >>> require_jax("learning weights by gradient", also=["optax"])
    """
    needed = ["jax", *also]
    try:
        with interrupts_wait():
            for package in needed:
                import_module(package)
    except ImportError as problem:
        listed = " and ".join("JAX" if package == "jax" else package for package in needed)
        raise MissingExtra(f'{what} needs {listed}: pip install "orderspn[jax]"') from problem
    if _users and os.getpid() not in _users:
        raise UserError(
            f"{what} needs JAX, which does not work in a process that was forked from one that had used it. Start "
            "processes by 'spawn' or 'forkserver', as in multiprocessing.get_context('spawn')."
        )


@contextmanager
def double_precision() -> Iterator[None]:
    """Turn on 64-bit numbers in this thread for a while; what the user has set elsewhere stays.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> with double_precision():
    ...     jnp.zeros(1).dtype
    dtype('float64')
    """
    import jax

    if hasattr(jax, "enable_x64"):
        turned_on = jax.enable_x64
    else:  # its older place
        from jax.experimental import enable_x64 as turned_on  # type: ignore[attr-defined, no-redef, unused-ignore]
    _users.add(os.getpid())
    with turned_on(True):
        yield
