"""What a kernel depends on: its code, the constants that it uses, and all kernels that it calls.

Numba keeps a compiled function until its own file changes. An edit of a function in another file, or of an imported
constant, leaves stale code behind. The key made here changes with all of them, and with nothing else: not with
comments, documentation, places in a file, or times of files.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numba.core.extending import _Intrinsic


@cache
def contents_key(kernel: Any) -> str:
    """Return a key of everything that decides what a kernel computes, apart from the types of its arguments."""
    key = blake2b(digest_size=16)
    for called in _closure(kernel):
        key.update(_own_contents(called).encode())
    return key.hexdigest()


def _closure(kernel: Any) -> list[Any]:
    """Return a kernel and all that it calls, directly or not, each once."""
    found, open_ones = {id(kernel): kernel}, [kernel]
    while open_ones:
        for _, value in _outside(open_ones.pop()):
            if _is_compiled(value) and id(value) not in found:
                found[id(value)] = value
                open_ones.append(value)
    return list(found.values())


@cache
def _own_contents(kernel: Any) -> str:
    function = kernel.py_func
    options = sorted(getattr(kernel, "options", {}).items())
    outside = [(name, _described(value, name, function)) for name, value in _outside(kernel)]
    code = _code(function.__code__, function.__doc__)
    return repr((function.__module__, function.__qualname__, options, code, function.__defaults__, outside))


def _outside(kernel: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names that the code may take from around it, with their values, in a fixed order."""
    function = kernel.py_func
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    for name in sorted(names):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _code(code: types.CodeType, documentation: str | None) -> tuple[Any, ...]:
    constants = [
        _code(constant, None) if isinstance(constant, types.CodeType) else _constant(constant)
        for constant in code.co_consts
        if documentation is None or constant != documentation
    ]
    return (code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)


def _constant(value: Any) -> str:
    """Return the text of a constant; the order of a set differs from process to process."""
    return f"set {sorted(map(repr, value))}" if isinstance(value, frozenset) else repr(value)


def _described(value: Any, name: str, function: Any) -> str:
    """Return a text that differs for values that compile to different code."""
    if _is_compiled(value):
        return f"kernel {value.py_func.__module__}.{value.py_func.__qualname__}"
    if isinstance(value, _Intrinsic):
        return f"intrinsic {value._defn.__module__}.{_code(value._defn.__code__, value._defn.__doc__)}"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {blake2b(value.tobytes()).hexdigest()}"
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple):
        return f"tuple {[_described(item, name, function) for item in value]}"
    if isinstance(value, types.ModuleType) and not value.__name__.startswith("orderspn"):
        return f"module {value.__name__}"
    if isinstance(value, type):
        return f"class {value.__module__}.{value.__qualname__} {getattr(value, '_fields', ())}"
    if isinstance(value, types.BuiltinFunctionType | np.ufunc):
        return f"function {value.__name__}"
    raise TypeError(
        f"the kernel {function.__module__}.{function.__qualname__} uses {name}, {value!r}, and it is not known how to "
        "notice that this changes. Use kernels, numbers, tuples, arrays, named tuples, and functions of NumPy and math."
    )


def _is_compiled(value: Any) -> bool:
    return hasattr(value, "py_func") and hasattr(value, "_numba_type_")
