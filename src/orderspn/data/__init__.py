"""From a table to a validated, frozen data set; the bundled data."""

from orderspn.data.bundled import Asia, Sachs, load_asia, load_sachs
from orderspn.data.categories import Categories, read_categories
from orderspn.data.dataset import Dataset, read_table

__all__ = ["Asia", "Categories", "Dataset", "Sachs", "load_asia", "load_sachs", "read_categories", "read_table"]
