"""Queries of a posterior: events and evidence, marginals, most probable graphs, draws, effects."""
