"""Parts: functions that are compiled for their callers alone, with numba's own stages up to code for LLVM.

Numba gives every function machine code and an entry for Python, also where only other compiled functions call it, and
optimizes it before it is copied into its callers, where it is optimized again. A part skips all of that. This uses
classes of numba that are not documented. Where a version of numba lacks them, parts are ordinary functions, which only
take longer to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numba
from numba import types

try:
    from numba import _dynfunc  # type: ignore[attr-defined]
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import LoweringPass, register_pass
    from numba.core.typed_passes import NativeLowering
except ImportError:
    AVAILABLE = False
else:
    AVAILABLE = all(
        hasattr(JITCodeLibrary, name)
        for name in ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals")
    )

compiled: Any = numba.njit
"""What numba calls a compiled function; its types leave out some options."""

if AVAILABLE:

    class PartLibrary(JITCodeLibrary):
        """Code for LLVM that is linked into callers as it is."""

        def _optimize_final_module(self) -> None:
            """Leave it to the callers, which are optimized with this code in them."""

        def _finalize_final_module(self) -> None:
            """Make no machine code."""
            self._finalize_dynamic_globals()
            self._finalized = True

    @register_pass(mutates_CFG=False, analysis_only=False)
    class OfferToCallers(LoweringPass):
        """Register the part for calls from compiled functions, as numba does after it has made machine code."""

        _name = "offer_part_to_callers"

        def __init__(self) -> None:
            LoweringPass.__init__(self)

        def run_pass(self, state: Any) -> bool:
            """Name the part by an entry for Python that leads nowhere: `Kernel` never calls it."""
            made = state["cr"]
            name = made.fndesc.qualname.split(".")[-1]
            entry = _dynfunc.make_function(made.fndesc.lookup_module(), name, "", 0, made.env, (state.library,))
            state["cr"] = made._replace(cfunc=entry)
            state.targetctx.insert_user_function(entry, made.fndesc, [state.library])
            return True

    class PartCompiler(CompilerBase):
        """Numba's stages, without machine code."""

        def define_pipelines(self) -> list[Any]:
            """Return the stages of numba with another place for the code and without its translation."""
            state = self.state
            state.flags.no_compile = True
            state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            stages = DefaultPassBuilder.define_nopython_pipeline(state)
            stages.add_pass_after(OfferToCallers, NativeLowering)
            stages.finalize()
            return [stages]


def new_part(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return a function that compiled functions can call."""
    stages = {"pipeline_class": PartCompiler, "no_cpython_wrapper": True} if AVAILABLE else {}
    part = compiled(nogil=True, no_cfunc_wrapper=True, **stages, **options)(function)
    part.get_call_template = partial(_same_for_constants, part.get_call_template)
    return part


def _same_for_constants(template: Callable[..., Any], arguments: Sequence[Any], named: dict[str, Any]) -> Any:
    """Take constants in a call for values of their type; numba would compile the function for each of them."""
    return template(tuple(map(types.unliteral, arguments)), {k: types.unliteral(v) for k, v in named.items()})
