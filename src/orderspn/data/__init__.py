"""From a table to a validated, frozen data set; the bundled data."""

from orderspn.data.bundled import Sachs, load_sachs
from orderspn.data.dataset import Dataset, read_table

__all__ = ["Dataset", "Sachs", "load_sachs", "read_table"]
