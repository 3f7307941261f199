"""Posteriors from tables with missing values, by data augmentation."""
