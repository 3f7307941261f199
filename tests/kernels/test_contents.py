"""The key of a kernel changes with everything that its machine code depends on, and with nothing else."""

from types import ModuleType

import numpy as np
import pytest
from numba.extending import intrinsic

from orderspn.kernels import contents
from orderspn.kernels.contents import contents_key
from orderspn.kernels.kernel import Kernel, kernel

CALLED = """
@kernel
def called(x, y=1):
    return x + y + LEVEL
"""
CALLER = """
@kernel
def caller(x):
    '''Call.'''
    total = 0
    for i in range(3):
        total += called(x) * WEIGHTS[i]
    return total
"""

pytestmark = pytest.mark.skipif(not isinstance(kernel(abs), Kernel), reason="nothing is compiled")


def module(name, source, **names):
    made = ModuleType(name)
    made.__dict__.update(kernel=kernel, **names)
    exec(compile(source, f"{name}.py", "exec"), made.__dict__)
    return made


def key(caller=CALLER, called=CALLED, level=7, weights=(1.0, 2.0, 3.0)):
    """The key of the caller, whose called kernel is in another module."""
    other = module("other", called, LEVEL=level)
    return contents_key(module("own", caller, called=other.called, WEIGHTS=weights).caller)


def test_the_same_source_has_the_same_key():
    assert key() == key()


@pytest.mark.parametrize(
    "change",
    [
        {"caller": "# a comment\n\n" + CALLER},
        {"caller": CALLER.replace("'''Call.'''", "'''Another description.'''")},
        {"called": CALLED.replace("    return", "    # why\n    return")},
        {"called": "ANOTHER = 5\n" + CALLED},
    ],
    ids=["comment", "documentation", "comment in the called one", "a name that is not used"],
)
def test_what_does_not_matter(change):
    assert key(**change) == key()


@pytest.mark.parametrize(
    "change",
    [
        {"caller": CALLER.replace("range(3)", "range(2)")},
        {"caller": CALLER.replace("* WEIGHTS", "/ WEIGHTS")},
        {"called": CALLED.replace("x + y", "x - y")},
        {"called": CALLED.replace("y=1", "y=2")},
        {"called": CALLED.replace("@kernel", "@kernel(fastmath=True)")},
        {"level": 8},
        {"level": 7.0},
        {"level": True},
        {"weights": (1.0, 2.0, 4.0)},
        {"weights": np.array([1.0, 2.0, 3.0])},
        {"weights": np.array([1.0, 2.0, 3.0], dtype=np.float32)},
        {"weights": np.array([1.0, 2.0, 4.0])},
    ],
    ids=str,
)
def test_what_matters(change):
    assert key(**change) != key()


def test_arrays_count_by_their_values():
    assert key(weights=np.arange(4.0)) == key(weights=np.arange(4.0))
    assert key(weights=np.arange(4.0)) != key(weights=np.arange(4.0)[::-1])


def test_sets_count_in_any_order():
    """Their order differs from process to process."""
    texts = {contents._constant(frozenset(words)) for words in (("one", "two", "three"), ("three", "two", "one"))}
    assert len(texts) == 1
    assert contents._constant(frozenset({"one"})) not in texts


def test_kernels_in_functions():
    source = """
def make(factor):
    @kernel
    def inner(x):
        return factor * x
    @kernel
    def outer(x):
        return inner(x) + {}
    return outer
"""
    first, second = (module("m", source.format(1)).make, module("m", source.format(2)).make)
    assert contents_key(first(2)) == contents_key(first(2))
    assert contents_key(first(2)) != contents_key(first(3))
    assert contents_key(first(2)) != contents_key(second(2))


def test_kernels_that_call_each_other():
    source = "@kernel\ndef f(x):\n    return g(x)\n@kernel\ndef g(x):\n    return f(x) + {}\n"
    first, second = (contents_key(module("m", source.format(number)).f) for number in (1, 2))
    assert first != second


def test_what_cannot_be_followed_is_refused():
    """A value whose changes would go unnoticed would leave stale code behind."""
    with pytest.raises(TypeError, match=r"own.caller uses called, .*it is not known how to notice that this changes"):
        contents_key(module("own", CALLER, called=lambda x: x, WEIGHTS=(1,)).caller)


def test_intrinsics_count_by_their_code():
    source = """
@intrinsic
def called(typing, x):
    '''Add.'''
    def lowered(context, builder, signature, arguments):
        return builder.fadd(arguments[0], arguments[0])
    return x(x), lowered
"""

    def key_of(source):
        other = module("other", source, intrinsic=intrinsic)
        return contents_key(module("own", CALLER, called=other.called, WEIGHTS=(1,)).caller)

    assert key_of(source) == key_of(source.replace("'''Add.'''", "'''Twice.'''"))
    assert key_of(source) != key_of(source.replace("fadd", "fmul"))
