"""Does the data fit? Checks of a table before a posterior is learned from it."""

from orderspn.checks.checking import check_data
from orderspn.checks.finding import Finding
from orderspn.checks.report import DataReport

__all__ = ["DataReport", "Finding", "check_data"]
