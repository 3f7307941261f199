"""The pages of the study: all places in the prose are filled, and overviews show means with the best in bold."""

import re
from pathlib import Path

from benchmarks.peers import page
from benchmarks.peers.summaries import Measure
from benchmarks.peers.tables import FAMILIES

DOCS = Path(__file__).parents[2] / "docs"


def test_every_table_has_a_place_in_the_prose_and_every_place_a_table():
    places = [name for prose in page.PAGES for name in re.findall(r"<!-- (.*?) -->", (page.PROSE / prose).read_text())]
    assert sorted(places) == sorted(page.TABLES)
    assert not any("<!--" in (DOCS / name).read_text() for name in page.PAGES.values())


def test_overviews_leave_out_methods_of_few_data_and_mark_the_best():
    several = list(FAMILIES)[: len(FAMILIES) // 2]
    results = {f"flop | {family} | {r}": {"shd": 10.0 + r} for family in several for r in range(2)}
    results |= {f"boss | {family} | 0": {"shd": 12.0} for family in several} | {f"ges | {several[0]} | 0": {"shd": 1.0}}
    header, _, first, *_ = page._overview(results, Measure("shd", "SHD", 1, False)).splitlines()
    assert header == "| data | FLOP | BOSS (causal-learn) |"
    assert first == f"| `{several[0]}` | **10.5** | 12.0 |"
    first = page._overview(results, Measure("shd", "SHD", 1, True)).splitlines()[2]
    assert first == f"| `{several[0]}` | 10.5 | **12.0** |"


def test_coverage_is_of_all_methods_that_have_it():
    cell = {"coverage": 0.9, "coverage_of_effects": 0.8, "interval_width": 0.1, "interval_width_of_effects": 0.2}
    shown = page.coverage_table({"ours | paper16 | 0": cell, "flop-bootstrap | paper16 | 0": cell})
    assert [line.split(" | ")[1] for line in shown.splitlines()[2:]] == ["orderspn", "FLOP, bootstrap"]
