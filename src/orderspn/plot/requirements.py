"""What pictures need besides the package."""

from __future__ import annotations

from orderspn.core.errors import MissingExtra


def require_matplotlib() -> None:
    """Raise an error that names the extra if matplotlib is not there."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as problem:
        raise MissingExtra('plots need matplotlib; install it with: pip install "orderspn[plot]"') from problem
