"""The field's methods on the field's data, side by side: `make peers` installs them, `make peers-study` runs it."""
