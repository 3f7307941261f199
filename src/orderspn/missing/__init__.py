"""Missing values of a table: where they are, and tables with these cells filled."""
