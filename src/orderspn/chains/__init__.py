"""Markov chains over any kind of state: tempered runs, ensembles of them, and whether they agree."""
