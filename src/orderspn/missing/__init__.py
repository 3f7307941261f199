"""Missing values: where they are, and how posteriors are learned from tables that have them."""
