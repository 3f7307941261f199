"""Names of variables."""

import pytest

from orderspn.core.names import check_names


def test_names():
    assert check_names("variables", [1, "B"]) == ("1", "B")
    with pytest.raises(TypeError, match="variables must be a sequence of names; got 'AB'"):
        check_names("variables", "AB")
    with pytest.raises(ValueError, match="variables must give every variable a name of its own; got ''"):
        check_names("variables", ["A", " "])
