"""Evidence in the words of the tests: pairs of indices for the reference, `Edges` for the package."""

import itertools

import orderspn as osp


def as_indices(text, names):
    """`"A -> B, C !-> D"` as lists of (cause, effect) indices: present, absent. Own, simple parser."""
    present, absent = [], []
    for statement in filter(None, (part.strip() for part in text.split(","))):
        arrow = "!->" if "!->" in statement else "->"
        tokens = [token.strip() for token in statement.split(arrow)]
        for cause, effect in itertools.pairwise(tokens):
            pair = (names.index(cause), names.index(effect))
            (absent if arrow == "!->" else present).append(pair)
    return present, absent


def as_pairs(text, names):
    """`"A -> B < C, C !-> D"`, all words apart, as lists of pairs of indices: present, absent, before."""
    pairs = {"->": [], "!->": [], "<": []}
    for statement in filter(None, (part.strip() for part in text.split(","))):
        words = statement.split()
        for left, sign, right in zip(words[:-2:2], words[1::2], words[2::2], strict=True):
            pairs[sign].append((names.index(left), names.index(right)))
    return pairs["->"], pairs["!->"], pairs["<"]


def as_edges(present, absent, names):
    """The same as `Edges`, or None where there are none."""
    if not present and not absent:
        return None
    return osp.Edges([(names[c], names[e]) for c, e in present], [(names[c], names[e]) for c, e in absent])
