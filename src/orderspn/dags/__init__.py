"""The exact posterior over DAGs in which every graph counts once, by sums over layers."""
