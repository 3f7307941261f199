"""Which method `auto` takes, and up to how many variables."""

import pytest

from orderspn.methods import Exact, Gadget, Trust
from orderspn.methods.auto import EXACT_DAGS_UP_TO, EXACT_UP_TO, Auto

MEMORY = 2**40


@pytest.mark.parametrize(
    ("target", "d", "kind"),
    [
        ("order", EXACT_UP_TO, Exact),
        ("order", EXACT_UP_TO + 1, Trust),
        ("dag", EXACT_DAGS_UP_TO, Exact),
        ("dag", EXACT_DAGS_UP_TO + 1, Gadget),
    ],
)
def test_exact_while_it_is_quick(target, d, kind):
    chosen = Auto(target=target).resolved(d, MEMORY)
    assert type(chosen) is kind
    assert chosen == kind(target=target).resolved(d, MEMORY) if kind is Exact else kind().resolved(d, MEMORY)
