"""Compiled functions: how they are made, kept between processes, and told apart by what they contain."""
