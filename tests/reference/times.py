"""Orders as times, the slow way: masks and masses from sets of variables, and one move by listing its intervals.

`families` are those of the variables to be ordered, by their places, and `variables` their indices. Times are a list,
one for each place.
"""

import itertools
import math

from helpers.families import members
from reference.enumeration import log_sum_exp


def order_of(times):
    """Places by their times."""
    return sorted(range(len(times)), key=times.__getitem__)


def before(j, times, variables, known):
    """Variables before place j: those known to be, and those with earlier times."""
    return {*known, *(variables[k] for k in range(len(times)) if times[k] < times[j])}


def mask_of(family, placed):
    """The mask of the candidates that are among `placed`."""
    return sum(1 << bit for bit, candidate in enumerate(family.candidates.tolist()) if candidate in placed)


def log_unit(family, placed):
    """Log mass of row 0 given the variables before; of the largest row, open or not, where row 0 is impossible."""
    if not set(family.needs.tolist()) <= placed:
        return -math.inf
    n_masks = 1 << family.candidates.size
    inside = [mask for mask in range(n_masks) if members(mask, family.candidates) <= placed]
    rows = [log_sum_exp([family.log_score[row * n_masks + mask] for mask in inside]) for row in range(family.n_rows)]
    return float(rows[0] if rows[0] > -math.inf else max(rows))


def log_score_of_units(times, families, variables, known):
    """What the moves take for the log score: without outsiders."""
    return sum(log_unit(family, before(j, times, variables, known)) for j, family in enumerate(families))


def intervals(j, times, families, variables, known, beta):
    """All intervals that a new time of place j may be in, ends and probability of each.

    Cut at the times of all others, related or not; the score is computed anew in the middle of each.
    """
    cuts = [0.0, *sorted(time for k, time in enumerate(times) if k != j), 1.0]
    ends = list(itertools.pairwise(cuts))
    log_weights = []
    for begin, end in ends:
        moved = [*times[:j], 0.5 * (begin + end), *times[j + 1 :]]
        log_weights.append(math.log(end - begin) + beta * log_score_of_units(moved, families, variables, known))
    total = log_sum_exp(log_weights)
    return [(*pair, math.exp(value - total)) for pair, value in zip(ends, log_weights, strict=True)]
