"""Run the command line as `python -m orderspn.cli`."""

from orderspn.cli.main import main

main()
