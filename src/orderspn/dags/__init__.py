"""Exact posteriors in which every graph counts once, whatever the number of its orders: sums over layers."""
