"""Copying arrays in kernels.

For `target[:] = source` numba also compiles the words of an error message about shapes: 50 functions and two seconds.
"""

from __future__ import annotations

from orderspn.kernels.kernel import kernel


@kernel
def copy_into(target, source):
    """Copy one array into another one of the same length, both of one dimension."""
    for i in range(source.size):
        target[i] = source[i]
