"""From a table to a validated, frozen data set; the bundled data."""

from orderspn.data.bundled import Asia, Macro, Penguins, Sachs, load_asia, load_macro, load_penguins, load_sachs
from orderspn.data.categories import Categories, read_categories
from orderspn.data.dataset import Dataset, read_table
from orderspn.data.mixed import MixedTable
from orderspn.data.mixed_reading import read_mixed

__all__ = [
    "Asia",
    "Categories",
    "Dataset",
    "Macro",
    "MixedTable",
    "Penguins",
    "Sachs",
    "load_asia",
    "load_macro",
    "load_penguins",
    "load_sachs",
    "read_categories",
    "read_mixed",
    "read_table",
]
