"""The version of this package, as it was installed.

The build takes it from the tags of git, so that no file of the source states it. Looking it up takes some milliseconds,
so `orderspn.__version__` is loaded when first used.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("orderspn")
except PackageNotFoundError:  # a folder on the path of Python, never installed
    __version__ = "0+unknown"
