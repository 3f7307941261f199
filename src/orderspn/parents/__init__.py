"""The variables that may be parents of each variable: candidates and outsiders."""
