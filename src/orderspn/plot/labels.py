"""Text in pictures: how wide it is, short labels for long names, and the entries of a legend."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, takewhile
from typing import NamedTuple

LONGEST = 30
"""Most characters of a label on one line."""

ON_A_SCREEN = 1.12
"""Letters on a screen begin at full pixels, which can make text wider by this factor."""

_PIECE = re.compile(r"[^\s_./:;,-]*[\s_./:;,-]*")
GROWTH = (1.0, 1.5, 2.0)
"""Factors by which labels may grow, step by step, if shorter ones are equal."""

KEY_WIDTH, COLUMN_GAP = 2.8, 2.0
"""Width of the key of an entry, and gap between columns, in units of the text size."""

LONGEST_ENTRY = 120
LINE = 1.72
"""Height of an entry of one line with the gap below it, in units of the text size."""


def text_width(text: str, size: float) -> float:
    """Width in inches of a line of text of a given size in points."""
    from matplotlib.textpath import TextPath

    return float(TextPath((0, 0), text, size=size).get_extents().width) / 72 if text.strip() else 0.0


def widest(texts: Iterable[str], size: float) -> float:
    """Width in inches of the widest line."""
    return max((text_width(text, size) for text in texts), default=0.0)


def room_for(texts: Iterable[str], size: float) -> float:
    """Width in inches that the widest line needs, on paper and on a screen."""
    return ON_A_SCREEN * widest(texts, size)


def shortened(name: str, longest: int = LONGEST) -> str:
    """Shorten a name to at most `longest` characters; the middle is cut, because names differ at their ends.

    Examples
    --------
    >>> shortened("expression of interleukin 6", 15)
    'express…eukin 6'
    """
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return name[: longest - 1 - tail] + "…" + name[len(name) - tail :]


def broken(name: str, longest: int) -> list[str]:
    """A name as lines of at most `longest` characters, broken after spaces and punctuation if possible.

    Examples
    --------
    >>> broken("household_income_2019", 18)
    ['household_income_', '2019']
    """
    lines = [""]
    for piece in _PIECE.findall(name):
        if len(lines[-1] + piece.rstrip()) > longest and lines[-1]:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1].rstrip()) > longest:
            lines[-1:] = [lines[-1][:longest], lines[-1][longest:]]
    return [line.rstrip() for line in lines if line.strip()] or [name]


def fitted(text: str, width: float, size: float) -> list[str]:
    """A text of a given size in points, broken into lines of at most `width` inches.

    Examples
    --------
    >>> fitted("observed share of edges", 1.0, 10.0)
    ['observed', 'share of', 'edges']
    """
    longest = len(text)
    while longest > 1 and room_for(broken(text, longest), size) > width:
        longest -= 1
    return broken(text, longest)


def labels_of(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """A label for each name, all different.

    The middle of a long name is cut. If labels would then be equal, another part is cut, in which the names do not
    differ. If they differ in too many places, labels become up to twice as long, and finally are numbered.

    Examples
    --------
    >>> names = ["expression of gene A in liver tissue (log2)", "expression of gene B in liver tissue (log2)"]
    >>> list(labels_of(names).values())
    ['expression of gene A…ue (log2)', 'expression of gene B…ue (log2)']
    """
    lines = {name: " ".join(name.split()) for name in names}  # a label is one line, even if the name has several
    similar: dict[str, set[str]] = defaultdict(set)
    for line in lines.values():
        similar[shortened(line, longest)].add(line)
    short = {line: text for label, group in similar.items() for line, text in _distinct_labels(label, group, longest)}
    return _numbered({name: short[line] for name, line in lines.items()})


def _distinct_labels(label: str, group: set[str], longest: int) -> Iterable[tuple[str, str]]:
    """Texts with labels, all different if possible."""
    texts = sorted(group)
    if len(texts) == 1:
        return [(texts[0], label)]
    best = [label] * len(texts)
    for labels in _attempts(texts, longest):
        if len(set(labels)) > len(set(best)):
            best = labels
        if len(set(best)) == len(texts):
            break
    return zip(texts, best, strict=True)


def _attempts(texts: Sequence[str], longest: int) -> Iterator[list[str]]:
    """Labels of similar texts, cut in different places, the shortest labels first."""
    for growth in GROWTH:
        most = int(growth * longest)
        for head in sorted(range(most), key=lambda head: abs(2 * head - most)):
            yield [_cut(text, head, most) for text in texts]
        yield from _around_differences(texts, most)


def _cut(text: str, head: int, longest: int) -> str:
    """A text cut to `longest` characters, of which the first `head` are its beginning."""
    tail = longest - 1 - head
    return text if len(text) <= longest else text[:head] + "…" + text[len(text) - tail :]


def _around_differences(texts: Sequence[str], longest: int) -> Iterator[list[str]]:
    """The part in which texts differ, with as much of what they share on both sides as fits."""
    before = _shared(texts)
    after = _shared([text[before:][::-1] for text in texts])
    room = longest - 2 - max(len(text) - before - after for text in texts)
    if room >= 0:
        start, kept = max(0, before - (room + 1) // 2), min(after, room // 2)
        yield [
            ("…" if start else "") + text[start : len(text) - after + kept] + ("…" if kept < after else "")
            for text in texts
        ]


def _shared(texts: Sequence[str]) -> int:
    """Number of characters at the beginning that all texts share."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False)))


def _numbered(labels: dict[str, str]) -> dict[str, str]:
    """The same labels, with numbers added to those already taken; names that are their own labels come first."""
    unique: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(labels, key=lambda name: labels[name] != name):
        label = labels[name]
        tries = (label if k == 1 else f"{label} ({k})" for k in count(1))
        unique[name] = next(text for text in tries if text not in taken)
        taken.add(unique[name])
    return {name: unique[name] for name in labels}


class LegendFit(NamedTuple):
    """Texts of a legend, the number of columns, and their height in inches."""

    texts: list[str]
    columns: int
    height: float


def legend_fit(names: Sequence[str], width: float, size: float) -> LegendFit:
    """Set entries in two columns if these fit into `width` inches, otherwise in one, with long entries broken."""
    label = labels_of(names, LONGEST_ENTRY)
    labels = [label[name] for name in names]
    rows, point = math.ceil(len(labels) / 2), size / 72
    sides = [room_for(side, size) + KEY_WIDTH * point for side in (labels[:rows], labels[rows:])]
    if sum(sides) + COLUMN_GAP * point <= width:
        return LegendFit(labels, 2, LINE * rows * point)
    broken = [fitted(label, width - KEY_WIDTH * point, size) for label in labels]
    return LegendFit(["\n".join(lines) for lines in broken], 1, LINE * sum(map(len, broken)) * point)
