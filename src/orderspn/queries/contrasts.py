"""Contrasts: the two values that a cause is set to, and the level of the effect whose probability is asked for.

They are what an effect is where one number per unit does not describe it: for categories, and for curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.names import quoted, variable_index
from orderspn.queries.interventional import Question


@dataclass(frozen=True)
class Contrast:
    """The values that the cause is set to, one after the other, and the level of the effect, if it is a category."""

    start: Any
    end: Any
    of: str | None = None

    @classmethod
    def checked(
        cls,
        cause: str,
        effect: str,
        levels: object,
        of: object,
        names: Sequence[str],
        known: Sequence[Sequence[str]],
    ) -> Contrast:
        """Make one from levels by name; what is not given is clear for variables of two levels.

        `known` has the levels of each variable, none for numbers.
        """
        causes, effects = (known[variable_index(name, names)] for name in (cause, effect))
        start, end = _pair(cause, levels, causes)
        return cls(start, end, _level_of(effect, of, effects))

    def about(self, cause: str, effect: str) -> str:
        """Return what the effect is, in words.

        Examples
        --------
        >>> Contrast("no", "yes", "yes").about("bronc", "dysp")
        'change of P(dysp = yes) when bronc is set from no to yes'
        """
        what = f"P({effect} = {self.of})" if self.of is not None else f"the mean of {effect}"
        return f"change of {what} when {cause} is set from {self.start} to {self.end}"


def _pair(cause: str, levels: object, known: Sequence[str]) -> tuple[Any, Any]:
    """Return two values of the cause."""
    if levels is None:
        if len(known) == 2:
            return known[0], known[1]
        why = (
            f"its levels are {quoted(known)}"
            if known
            else "it has no single slope, because the model has curves, groups of columns, or categories beside numbers"
        )
        example, instead = ((known[0], known[1]), "interventional") if known else ((0.0, 1.0), "effect_curve")
        raise InvalidValue(
            f"levels must be given, the two values that {cause!r} is set to: {why}. Pass for example "
            f"levels={example!r}, or ask for posterior.{instead}()."
        )
    if isinstance(levels, str) or not isinstance(levels, Sequence | np.ndarray) or len(levels) != 2:
        raise InvalidType(f"levels must be two values that {cause!r} is set to, one after the other; got {levels!r}.")
    start, end = levels
    if known:
        start, end = str(start), str(end)
        for value in (start, end):
            if value not in known:
                raise unknown_name(value, known, "level", of=cause)
    else:
        start, end = _number(start, cause), _number(end, cause)
    if start == end:
        raise InvalidValue(f"levels must be two different values of {cause!r}; got {levels!r}.")
    return start, end


def _number(value: Any, cause: str) -> float:
    """Return a value as a number, which may be written as text."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidType(f"levels must be two numbers that {cause!r} is set to; got {value!r}.") from None
    if not np.isfinite(number):
        raise InvalidValue(f"levels must be two finite numbers that {cause!r} is set to; got {value!r}.")
    return number


def _level_of(effect: str, of: object, known: Sequence[str]) -> str | None:
    """Return the level of the effect whose probability is asked for; None for numbers."""
    if not known:
        if of is not None:
            raise InvalidValue(f"of is a level of an effect that is a category; {effect!r} is a number. Leave it out.")
        return None
    if of is None:
        if len(known) == 2:
            return known[1]
        raise InvalidValue(
            f"of must be given, the level of {effect!r} whose probability is asked for: its levels are "
            f"{quoted(known)}. Pass for example of={known[-1]!r}."
        )
    if str(of) not in known:
        raise unknown_name(str(of), known, "level", of=effect)
    return str(of)


def difference_question(
    contrast: Contrast, cause: str, effect: str, names: Sequence[str], levels: Sequence[str], context: Sequence[str]
) -> Question:
    """Return the question for the probability of each level of the effect after the change, less that before.

    Distributions are linear in the distribution of the cause, so their difference is the answer for a cause with the
    weight 1 at one level and -1 at another.
    """
    if effect in context:
        raise InvalidValue(f"{effect!r} is context: it is never explained, and nothing causes it. Ask for another.")
    others = [name for name in context if name != cause]
    if others:
        raise InvalidValue(
            f"the effect of {cause!r} depends on context variables, which have no distribution of their own: "
            f"{quoted(others)}. Ask for posterior.interventional({effect!r}, do={{...}}), which sets all of them."
        )
    weights = np.zeros(len(levels))
    weights[list(levels).index(contrast.end)] += 1.0
    weights[list(levels).index(contrast.start)] -= 1.0
    return Question(variable_index(effect, names), {}, {variable_index(cause, names): weights})
