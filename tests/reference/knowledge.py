"""Background knowledge, one parent set at a time: whether it may be, and what odds do to its prior."""

import math

from reference.local_scores import subsets


def allows(known, names, child, parents):
    """Whether the parents (indices) of a child keep to what is known, edge by edge."""
    effect, causes = names[child], {names[p] for p in parents}
    tier = {name: place for place, members in enumerate(known.tiers) for name in members}
    for cause, wanted in known.required:
        if wanted == effect and cause not in causes:
            return False
    for cause in causes:
        if (cause, effect) in known.forbidden or effect in known.roots or cause in known.leaves:
            return False
        if cause in tier and effect in tier:
            if tier[cause] > tier[effect]:
                return False
            if tier[cause] == tier[effect] and not known.within_tiers:
                return False
    most = known.max_parents
    limit = most.get(effect, math.inf) if isinstance(most, dict) else math.inf if most is None else most
    return len(causes) <= limit


def log_odds(known, names, child, parents):
    """Log of the product of the odds of the parents."""
    stated = [known.edge_probabilities.get((names[p], names[child]), 0.5) for p in parents]
    return sum(math.log(p / (1 - p)) for p in stated)


def with_knowledge(scores, log_prior, known, names):
    """Local scores (child -> {parents: log score}) under knowledge.

    `log_prior(parents)` is the prior that the scores have; odds change it, and it stays a distribution over all sets.
    """
    changed = {}
    for child, sets in scores.items():
        others = set(range(len(names))) - {child}
        total = sum(math.exp(log_prior(s) + log_odds(known, names, child, s)) for s in subsets(others))
        changed[child] = {
            parents: log_score + log_odds(known, names, child, parents) - math.log(total)
            for parents, log_score in sets.items()
            if allows(known, names, child, parents)
        }
    return changed
