"""The code of docs/ecosystem.md runs, and its results agree with the text."""

import re
from pathlib import Path

import pytest

import orderspn as osp

GUIDE = Path(__file__).parents[2] / "docs" / "ecosystem.md"
TEXT = GUIDE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python *(\w*)\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
CLIENTS = list(dict.fromkeys(client for client, _ in BLOCKS if client))


def run(code, namespace):
    exec(compile(code, str(GUIDE), "exec"), namespace)


@pytest.fixture(scope="module")
def namespace():
    """What the code that needs no other tool defines."""
    defined = {}
    for client, code in BLOCKS:
        if not client:
            run(code, defined)
    return defined


def test_what_needs_no_other_tool(namespace):
    assert set(namespace["graph"].edges) == set(namespace["best"].graph.edges)
    assert len(namespace["table"]) >= 4
    worse = osp.OrderSPN(max_parents=0).fit(namespace["data"][:1500])
    assert namespace["held_out"] > worse.score(namespace["data"][1500:])
    assert namespace["edges"].shape == (4, 4)


FINDS = {
    "dowhy": lambda found: found["effect"] == pytest.approx(-0.9, abs=0.1),
    "pgmpy": lambda found: len(found["network"].cpds) == len(found["tables"].cpds) == 4,
    "causallearn": lambda found: found["essential"].get_num_edges() == len(found["best"].graph.edges),
    "xarray": lambda found: 0 < found["spread"] < 0.2,
    "arviz_base": lambda found: found["sizes"] > 50,
    "sklearn": lambda found: found["search"].best_params_ == {"max_parents": 2},
}


@pytest.mark.exhaustive
# DoWhy asks pandas for copies in a way that it no longer offers.
@pytest.mark.filterwarnings("ignore:The copy keyword is deprecated:DeprecationWarning")
@pytest.mark.parametrize("client", CLIENTS)
def test_with_other_tools(client, namespace):
    found = dict(namespace)
    run("\n".join(code for name, code in BLOCKS if name == client), found)
    assert FINDS[client](found)


def test_every_export_is_mentioned():
    assert [name for name in osp.export.__all__ if name not in TEXT] == []
