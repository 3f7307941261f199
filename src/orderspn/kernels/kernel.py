"""`@kernel`: a function that numba compiles at its first call.

A function that others call is compiled by numba many times: to machine code of its own, into each of its callers, and
anew for each constant among its arguments. A kernel here is two functions instead. The *whole* is called from Python.
It has machine code, which is kept in files. The *part* is called by other kernels. It has no machine code, exists once
for arguments of the same types, and is optimized as a piece of the whole that it ends up in. So the time to compile
grows with the number of wholes and not with the depth of calls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, overload

from numba import config
from numba.core import event

from orderspn.kernels.cache import KernelCache
from orderspn.kernels.compilation import compilation
from orderspn.kernels.parts import compiled, new_part


class Listener(event.Listener):
    """Passes on when numba begins and ends to compile a function; reading one from a file is neither."""

    def on_start(self, event: Any) -> None:
        """Pass on that it begins."""
        compilation.begin(event.data["dispatcher"].py_func.__module__)

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        """Pass on that it ends."""
        compilation.end()


event.register("numba:compile", Listener())


class Kernel:
    """A compiled function: called from Python as a whole, from other kernels as a part."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.options = options

    def __call__(self, *arguments: Any) -> Any:
        """Call the whole, compiled for the types of these arguments."""
        return self.whole(*arguments)

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"

    @cached_property
    def whole(self) -> Any:
        """The function for Python."""
        # Nothing calls kernels from C, so they need no entry for it.
        whole = compiled(nogil=True, no_cfunc_wrapper=True, **self.options)(self.py_func)
        whole._cache = KernelCache(self)
        return whole

    @cached_property
    def part(self) -> Any:
        """The function for other kernels; numba takes two functions that call each other for no recursion."""
        calls_itself = self.py_func.__name__ in self.py_func.__code__.co_names
        return self.whole if calls_itself else new_part(self.py_func, self.options)

    @property
    def _numba_type_(self) -> Any:
        """What numba takes a kernel for that it meets in another one."""
        return self.part._numba_type_


@overload
def kernel(function: Callable[..., Any]) -> Any: ...
@overload
def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]: ...


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function at its first call, without the interpreter lock; `options` are those of `numba.njit`.

    Without compilation (`NUMBA_DISABLE_JIT=1`) it stays the Python function that it is.

    Examples
    --------
    >>> from orderspn.kernels.kernel import kernel
    >>> @kernel
    ... def doubled(x):
    ...     return 2 * x
    >>> doubled(21)
    42
    """
    if function is None:
        return lambda function: kernel(function, **options)
    uncompiled = config.DISABLE_JIT  # type: ignore[attr-defined]
    return function if uncompiled else Kernel(function, options)
