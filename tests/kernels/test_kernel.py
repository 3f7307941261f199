"""Kernels give the same answers as the functions that they are made from, from Python and from other kernels."""

import math

import numpy as np
import pytest
from numba import njit

from orderspn.kernels import parts
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import Kernel, kernel

pytestmark = pytest.mark.skipif(not isinstance(copy_into, Kernel), reason="nothing is compiled")
OFFSET = 3.0


@pytest.fixture(scope="module", autouse=True)
def no_kernels_yet(tmp_path_factory):
    """Compile the kernels of this module anew: those read from files need no parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("numba.config.CACHE_DIR", str(tmp_path_factory.mktemp("kernels")))
        yield


TABLE = np.arange(5.0)


@kernel
def scaled(x, factor, negative):
    return -factor * x if negative else factor * x


@kernel
def summed(values):
    total = OFFSET
    for value in values:
        total += scaled(value, 2, True) + scaled(value, 3, False) + TABLE[1]
    return total


@kernel
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


@kernel(fastmath=True)
def total_of(values):
    total = 0.0
    for value in values:
        total += value
    return total


@kernel
def refuses(x):
    if x < 0:
        raise ValueError("negative")
    return math.sqrt(x)


@kernel
def passes_on(x):
    return refuses(x)


VALUES = np.array([1.0, 4.0, 7.0])


def test_a_kernel_that_calls_another_one():
    assert summed(VALUES) == 3.0 + 12.0 + 3.0
    assert scaled(2.0, 3, False) == 6.0


def test_recursion():
    assert factorial(10) == math.factorial(10)


def test_options_are_numbas():
    assert total_of(VALUES) == 12.0
    assert total_of.whole.targetoptions["fastmath"]


def test_errors_come_through():
    with pytest.raises(ValueError, match="negative"):
        passes_on(-1.0)
    assert passes_on(9.0) == 3.0


def test_ordinary_compiled_functions_can_call_kernels():
    @njit
    def outer(x):
        return scaled(x, 5, True)

    assert outer(2.0) == -10.0


def test_constants_make_no_further_parts():
    summed(VALUES)
    assert len(scaled.part.overloads) == 1


def test_parts_have_no_machine_code():
    """Where a new version of numba breaks this, kernels only compile slowly; it should be noticed here."""
    assert parts.AVAILABLE
    summed(VALUES)
    (compiled,) = scaled.part.overloads.values()
    assert isinstance(compiled.library, parts.PartLibrary)
    assert not compiled.library.codegen._engine.is_symbol_defined(compiled.fndesc.llvm_func_name)


def test_parts_are_ordinary_functions_where_numba_lacks_the_classes(monkeypatch):
    monkeypatch.setattr(parts, "AVAILABLE", False)

    @kernel
    def inner(x):
        return x + 1

    @kernel
    def outer(x):
        return inner(x) * 2

    assert outer(3) == 8
    (compiled,) = inner.part.overloads.values()
    assert not isinstance(compiled.library, parts.PartLibrary)


def test_names_and_documentation_are_those_of_the_function():
    assert copy_into.__name__ == "copy_into"
    assert copy_into.__doc__.startswith("Copy one array into another")
    assert repr(copy_into) == "<kernel orderspn.kernels.copying.copy_into>"


def test_copies():
    target = np.zeros(3)
    copy_into(target, VALUES)
    assert target.tolist() == VALUES.tolist()
