"""Arrays in kernels that do not count their references.

Compiled code counts the references to an array whenever it is taken out of a tuple or cut, by atomic additions. In
kernels of many small steps over tuples of a dozen arrays this takes longer than the steps. The arguments of a kernel
stay alive until it returns, because its caller holds them, so that nothing has to be counted for them.
"""

from __future__ import annotations

from typing import Any

from numba import config, types
from numba.core.cgutils import get_null_value
from numba.core.errors import TypingError
from numba.extending import intrinsic


@intrinsic
def _borrowed(typing: Any, values: Any) -> Any:  # noqa: ARG001
    """Return a tuple with the same arrays, without the place where references to each are counted."""
    if not all(isinstance(kind, types.Array | types.Number | types.Boolean) for kind in values.types):
        raise TypingError(f"only tuples of arrays and numbers can be borrowed; got {values.types}.")

    def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (result,) = arguments
        for place, kind in enumerate(signature.args[0].types):
            if isinstance(kind, types.Array):
                array = context.make_array(kind)(context, builder, builder.extract_value(result, place))
                array.meminfo = get_null_value(array.meminfo.type)
                array.parent = get_null_value(array.parent.type)
                result = builder.insert_value(result, array._getvalue(), place)
        return result

    return values(values), lowered


def _same(values: Any) -> Any:
    return values


borrowed: Any = _same if config.DISABLE_JIT else _borrowed  # type: ignore[attr-defined]
"""`borrowed(values)`: a (named) tuple with the same arrays, for the rest of a kernel. It is for arguments of a kernel
that Python calls. Neither these arrays nor slices of them may be returned."""
