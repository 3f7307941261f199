"""The command line, `orderspn`: one file for commands of one subject, and what the commands share."""
