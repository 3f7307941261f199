"""Checkpoints: finished parts of long work in a folder, from which a killed job continues."""
