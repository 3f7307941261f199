"""Distributions over graphs, each with the same questions: from orders, from DAGs, and from samples."""

from orderspn.models.registry import register as register
