"""Background knowledge about the causal graph: its statement, objects of other packages, and rules for parents."""
