"""What people see of results and of long work: short texts, tables of notebooks, and progress."""
