"""The explorer in a real browser: how quick it is, and its pictures."""
