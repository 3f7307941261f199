"""A mixture as one long list: the pairs or graphs of all components, each counted with the weight of its component."""

import numpy as np

from reference.enumeration import log_sum_exp


def listed_graphs(adjacency):
    """Graphs (n, d, d) of equal weight as a list for a mixture: orders (that nobody asks about), masks, log weights."""
    n, d, _ = adjacency.shape
    masks = np.einsum("sij,i->sj", adjacency, 1 << np.arange(d))
    return np.zeros((n, d), dtype=int), masks, np.zeros(n)


class MixtureList:
    """Every query is a plain sum over the list; a graph may be in it several times."""

    def __init__(self, orders, masks, log_p, part):
        self.orders, self.masks, self.log_p, self.part = orders, masks, log_p, part
        self.d = orders.shape[1]

    @classmethod
    def of(cls, weights, parts):
        """From the weights of the components and their (orders, masks, log weights), which need not sum to 1."""
        total = sum(weights)
        used = [(m, w / total, rows) for m, (w, rows) in enumerate(zip(weights, parts, strict=True)) if w > 0]
        return cls(
            np.concatenate([orders for _, _, (orders, _, _) in used]),
            np.concatenate([masks for _, _, (_, masks, _) in used]),
            np.concatenate([np.log(w) + log_w - log_sum_exp(log_w) for _, w, (_, _, log_w) in used]),
            np.concatenate([np.full(len(log_w), m) for m, _, (_, _, log_w) in used]),
        )

    def has(self, cause, effect):
        return (self.masks[:, effect] >> cause & 1) == 1

    def holds(self, present=(), absent=(), before=(), adjacent=()):
        keep = np.ones(len(self.masks), dtype=bool)
        for cause, effect in present:
            keep &= self.has(cause, effect)
        for cause, effect in absent:
            keep &= ~self.has(cause, effect)
        for one, other in adjacent:
            keep &= self.has(one, other) | self.has(other, one)
        places = np.argsort(self.orders, axis=1)
        for first, second in before:
            keep &= places[:, first] < places[:, second]
        return keep

    def given(self, **evidence):
        keep = self.holds(**evidence)
        rows = self.orders[keep], self.masks[keep], self.log_p[keep] - log_sum_exp(self.log_p[keep]), self.part[keep]
        return MixtureList(*rows)

    @property
    def p(self):
        return np.exp(self.log_p)

    def probability(self, **event):
        return self.p[self.holds(**event)].sum()

    def weights(self, n):
        return np.bincount(self.part, self.p, n)

    def edge_probabilities(self):
        return np.array([[self.p[self.has(i, j)].sum() for j in range(self.d)] for i in range(self.d)])

    def parent_sets(self, child):
        by_mask = np.bincount(self.masks[:, child], self.p, 1 << self.d)
        return {frozenset(b for b in range(self.d) if m >> b & 1): q for m, q in enumerate(by_mask) if q > 0}

    def precedence(self):
        places = np.argsort(self.orders, axis=1)
        return np.einsum("p,pij->ij", self.p, places[:, :, None] < places[:, None, :])

    def graph_probabilities(self):
        """Masks of all children -> probability."""
        return self._summed(map(tuple, self.masks.tolist()))

    def pair_probabilities(self):
        """(order, masks of all children) -> probability."""
        return self._summed(zip(map(tuple, self.orders.tolist()), map(tuple, self.masks.tolist()), strict=True))

    def _summed(self, keys):
        summed = {}
        for key, q in zip(keys, self.p.tolist(), strict=True):
            summed[key] = summed.get(key, 0.0) + q
        return summed

    def entropy(self, of):
        p = np.array(list(of.values()))
        return -(p * np.log(p)).sum()

    def effects(self, mean_weights):
        """E[(I - B)^-1], B the mean weights given the graph and the component: one child -> {parents: weights} each."""
        total = np.zeros((self.d, self.d))
        for masks, q, part in zip(self.masks, self.p, self.part, strict=True):
            weights = [
                mean_weights[part][child][frozenset(b for b in range(self.d) if mask >> b & 1)]
                for child, mask in enumerate(masks.tolist())
            ]
            total += q * np.linalg.inv(np.eye(self.d) - np.stack(weights, axis=1))
        return total
