"""Random knowledge that some graph keeps to: everything follows from a hidden order."""

import itertools

from hypothesis import strategies as st

import orderspn as osp


@st.composite
def knowledge(draw, names, soft=True):
    order = draw(st.permutations(names))
    forward = list(itertools.combinations(order, 2))
    required = draw(st.lists(st.sampled_from(forward), max_size=2, unique=True))
    pairs = [pair for pair in itertools.permutations(names, 2) if pair not in required]
    forbidden = draw(st.lists(st.sampled_from(pairs), max_size=4, unique=True))
    cut = draw(st.integers(0, len(names)))
    tiered = [name for name in order if draw(st.booleans())]
    tiers = [[name for name in tiered if (order.index(name) < cut) == first] for first in (True, False)]
    causes, effects = {cause for cause, _ in required}, {effect for _, effect in required}
    roots = [name for name in names if name not in effects and draw(st.integers(0, 4)) == 0]
    leaves = [name for name in names if name not in causes and draw(st.integers(0, 4)) == 0]
    needed = {name: sum(effect == name for _, effect in required) for name in names}
    most = draw(st.sampled_from([None, "all", "some"]))
    if most == "all":
        most = max(1, *needed.values())
    elif most == "some":
        most = {name: needed[name] + draw(st.integers(0, 1)) for name in names[:2]}
    within = all(not ({c, e} <= set(tier)) for c, e in required for tier in tiers) and draw(st.booleans())
    known = osp.Knowledge(required, forbidden, tiers, not within, roots, leaves, most)
    if not soft:
        return known
    odds = {pair: draw(st.sampled_from([0.05, 0.3, 0.5, 0.9])) for pair in pairs if _free(known, pair, draw)}
    return osp.Knowledge(required, forbidden, tiers, not within, roots, leaves, most, odds)


def _free(known, pair, draw):
    """Whether an edge is possible, and gets a prior probability."""
    from reference.knowledge import allows

    free = osp.Knowledge((), known.forbidden, known.tiers, known.within_tiers, known.roots, known.leaves)
    return allows(free, pair, 1, [0]) and draw(st.integers(0, 2)) == 0
