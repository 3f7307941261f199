"""Hyperparameters of the prior, learned from the data (empirical Bayes)."""
