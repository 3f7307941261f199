"""Slow, obvious twins of every fast path, written from the mathematics with plain NumPy and itertools."""
