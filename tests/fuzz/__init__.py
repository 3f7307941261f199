"""A fuzzer of files: whatever is in one, it gives the same answers, is refused, or holds another sound posterior."""
