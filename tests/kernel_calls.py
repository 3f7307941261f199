"""A plugin of pytest: the run fails unless every kernel is called, as plain Python.

Kernels are the functions of the package that are decorated for compilation. With NUMBA_DISABLE_JIT=1 they are plain
functions, each of which is replaced by one that notes its first call. Run it in one process:
`NUMBA_DISABLE_JIT=1 PYTHONPATH=tests pytest -p kernel_calls -m kernels tests`.
"""

import ast
import importlib
import sys
from pathlib import Path

import pytest

import orderspn

SOURCE = Path(orderspn.__file__).parent
DECORATORS = {"njit", "kernel"}

called: set[str] = set()


def is_kernel(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    names = [getattr(d, "func", d) for d in node.decorator_list]
    return any(isinstance(name, ast.Name) and name.id in DECORATORS for name in names)


def kernels() -> list[str]:
    """Names of all kernels: module and function."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(("orderspn", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
        found += [
            f"{module}.{node.name}" for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if is_kernel(node)
        ]
    return found


def watch(name: str) -> None:
    """Note the first call of a kernel, wherever it was imported; from then on it is itself again."""
    module, _, attribute = name.rpartition(".")
    original = getattr(importlib.import_module(module), attribute)
    homes = [home for home in list(sys.modules.values()) if getattr(home, "__dict__", {}).get(attribute) is original]

    def noted(*arguments):
        called.add(name)
        for home in homes:
            setattr(home, attribute, original)
        return original(*arguments)

    for home in homes:
        setattr(home, attribute, noted)


def pytest_collection_finish() -> None:
    for name in kernels():
        watch(name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    never = [name for name in kernels() if name not in called]
    if never:
        terminalreporter.write_line(f"{len(never)} kernels were never called: {', '.join(never)}", red=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.exitstatus == pytest.ExitCode.OK and set(kernels()) - called:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
