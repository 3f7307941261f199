"""Faults that the tests must find, and a program that puts them into the sources one at a time."""
