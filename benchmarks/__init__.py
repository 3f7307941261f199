"""Speed and memory, measured as ratios to a NumPy-only reference in the same run."""
