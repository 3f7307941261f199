"""Search for the best graph alone: local search over orders, with parents by growing and shrinking."""
