"""Devices of the computer that runs the tests, safe from a failing test."""

import os
from pathlib import Path


def protect_devices(monkeypatch):
    """Let nothing take the place of a device: as root, /dev/null would be a file from then on."""
    replace = os.replace

    def checked(source, target, **keywords):
        if "/dev" in map(str, Path(target).parents):
            raise AssertionError(f"{target} would have been replaced")
        replace(source, target, **keywords)

    monkeypatch.setattr(os, "replace", checked)
