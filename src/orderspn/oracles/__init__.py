"""Oracles: methods that propose how to split the variables of a node in two."""
