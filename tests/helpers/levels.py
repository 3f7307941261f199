"""Parameters of tests of which lower levels run only some."""

import pytest


def parameters(values, *, quick=None, test=None):
    """Values as parameters: at the levels `quick` and `test` only these of them, or all (None)."""
    values = list(values)
    test = values if test is None else test
    quick = test if quick is None else quick
    assert all(value in values for value in (*quick, *test))
    return [
        pytest.param(value, marks=_mark(value in quick and value in test, value in test), id=_id(value))
        for value in values
    ]


def _mark(is_quick, is_tested):
    if is_quick:
        return ()
    return pytest.mark.thorough if is_tested else pytest.mark.exhaustive


def _id(value):
    return value if isinstance(value, str) else None
