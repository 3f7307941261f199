"""Which variables may be parents of which."""
