"""What variables are called in a picture: short labels, a different one for each name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, takewhile

from orderspn.plot.names import LONGEST, shortened

GROWTH = (1.0, 1.5, 2.0)
"""How much longer labels may get, step by step, where shorter ones are alike."""


def labels_of(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """A label for each name, all different whatever the names are.

    A long name loses its middle. Names that would then be alike lose another part, in which they do not differ; if
    they differ in too many places, their labels become up to twice as long, and at last are numbered.

    Examples
    --------
    >>> names = ["expression of gene A in liver tissue (log2)", "expression of gene B in liver tissue (log2)"]
    >>> list(labels_of(names).values())
    ['expression of gene A…ue (log2)', 'expression of gene B…ue (log2)']
    """
    lines = {name: " ".join(name.split()) for name in names}  # a label is one line, a name need not be
    alike: dict[str, set[str]] = defaultdict(set)
    for line in lines.values():
        alike[shortened(line, longest)].add(line)
    short = {line: text for label, group in alike.items() for line, text in _told_apart(label, group, longest)}
    return _numbered({name: short[line] for name, line in lines.items()})


def _told_apart(label: str, group: set[str], longest: int) -> Iterable[tuple[str, str]]:
    """Texts with labels, all different if there is a way to that."""
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
    """Labels of texts that are alike, cut in other and other places, the shortest ones first."""
    for growth in GROWTH:
        most = int(growth * longest)
        for head in sorted(range(most), key=lambda head: abs(2 * head - most)):
            yield [_cut(text, head, most) for text in texts]
        yield from _around_differences(texts, most)


def _cut(text: str, head: int, longest: int) -> str:
    """A text of at most so many characters with a beginning of so many of them."""
    tail = longest - 1 - head
    return text if len(text) <= longest else text[:head] + "…" + text[len(text) - tail :]


def _around_differences(texts: Sequence[str], longest: int) -> Iterator[list[str]]:
    """The part in which texts differ, with as much of what they share on both sides as there is room for."""
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
    """How many characters all texts begin with."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False)))


def _numbered(labels: dict[str, str]) -> dict[str, str]:
    """The same labels, with numbers behind those that are taken; names that are their own labels come first."""
    unique: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(labels, key=lambda name: labels[name] != name):
        label = labels[name]
        tries = (label if k == 1 else f"{label} ({k})" for k in count(1))
        unique[name] = next(text for text in tries if text not in taken)
        taken.add(unique[name])
    return {name: unique[name] for name in labels}
