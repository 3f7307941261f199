"""JAX as an optional dependency: a check that it can be used, and a context with 64-bit numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from orderspn.core.errors import MissingExtra, UserError
from orderspn.core.interrupts import interrupts_wait

_users: set[int] = set()
"""Processes that have used JAX: this one, or its ancestors by fork."""


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
        In a process forked from one that has used JAX: it would wait forever for threads that only the parent has.

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
        packages = " and ".join("JAX" if package == "jax" else package for package in needed)
        raise MissingExtra(f'{what} needs {packages}: pip install "orderspn[jax]"') from problem
    if _users and os.getpid() not in _users:
        raise UserError(
            f"{what} needs JAX, which does not work in a process that was forked from one that had used it. Start "
            "processes by 'spawn' or 'forkserver', as in multiprocessing.get_context('spawn')."
        )


@contextmanager
def double_precision() -> Iterator[None]:
    """Enable 64-bit numbers of JAX in this thread, for the block only.

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
    else:  # older versions of JAX
        from jax.experimental import enable_x64 as turned_on  # type: ignore[attr-defined, no-redef, unused-ignore]
    _users.add(os.getpid())
    with turned_on(True):
        yield
