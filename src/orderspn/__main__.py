"""`python -m orderspn` is the command line."""

from orderspn.cli.main import main

main()
