"""The command line, `orderspn`: one module for the commands of each subject, and modules that they share."""
