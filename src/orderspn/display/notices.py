"""Single lines for whoever is watching, where no bars are drawn."""

from __future__ import annotations

import sys

from orderspn.display.screen import watched_screen


def tell_of_compilation(message: str) -> None:
    """Say why a call takes long, if somebody is watching; kernels are also compiled in threads of this package."""
    if watched_screen(any_thread=True) is not None:
        sys.stderr.write(f"orderspn: {message}; `orderspn warm-up` compiles all of them\n")


def tell(message: str) -> None:
    """Say something that whoever called must know, such as an address."""
    sys.stderr.write(f"orderspn: {message}\n")
    sys.stderr.flush()
