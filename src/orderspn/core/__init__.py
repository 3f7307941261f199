"""Foundations of the package: errors, argument checks, randomness, threads, files."""
