"""The command line, `orderspn`: one file per command, beside what the commands share."""
