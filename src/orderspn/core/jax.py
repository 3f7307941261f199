"""JAX as an optional dependency: whether it is there, and 64-bit numbers for a while."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib import import_module

from orderspn.core.errors import MissingExtra


def require_jax(what: str, also: Sequence[str] = ()) -> None:
    """Raise `MissingExtra` unless JAX is installed.

    Parameters
    ----------
    what : str
        The feature that needs it, for the message.
    also : sequence of str
        Further packages of the same extra that it needs.

    Examples
    --------
    >>> require_jax("learning weights by gradient", also=["optax"])
    """
    needed = ["jax", *also]
    try:
        for package in needed:
            import_module(package)
    except ImportError as problem:
        listed = " and ".join("JAX" if package == "jax" else package for package in needed)
        raise MissingExtra(f'{what} needs {listed}: pip install "orderspn[jax]"') from problem


def double_precision() -> AbstractContextManager[object]:
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
        return jax.enable_x64(True)
    from jax.experimental import enable_x64  # type: ignore[attr-defined, unused-ignore]  # its older place

    return enable_x64(True)
