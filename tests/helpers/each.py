"""The same check for many inputs in one test, which tells every input that fails."""

from collections.abc import Callable, Mapping


def check_each(check: Callable[[object], None], inputs: Mapping[str, object]) -> None:
    """Check every input; the first failure is raised, with the names of all inputs that fail."""
    assert inputs, "nothing to check"
    failures = {}
    for name, value in inputs.items():
        try:
            check(value)
        except Exception as failure:
            failures[name] = failure
    if failures:
        first = next(iter(failures.values()))
        first.add_note(f"fails for {len(failures)} of {len(inputs)}: {'; '.join(failures)}. The first one is shown.")
        raise first
