"""The list of faults fits the sources and the tests."""

from pathlib import Path

import pytest

from mutations.faults import FAULTS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "orderspn"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_its_text_is_found_once(fault):
    assert (SOURCE / fault.file).read_text(encoding="utf-8").count(fault.find) == 1
    assert fault.replace != fault.find
    assert all((ROOT / path).exists() for path in fault.tests)


def test_names_differ():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 25


def test_most_packages_have_one():
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert packages - {fault.file.split("/")[0] for fault in FAULTS} <= {"core", "display", "estimator"}
