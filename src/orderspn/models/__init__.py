"""Distributions over graphs: from orders, from DAGs, and from samples."""

from orderspn.models.registry import register as register
