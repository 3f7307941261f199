"""Markov chains over any kind of state: tempered runs, several independent runs, and diagnostics."""
