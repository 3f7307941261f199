"""Forward selection of candidate parents, one determinant at a time."""

from reference.bge import log_marginal_likelihood


def forward_selection(values, child, size, **hyperparameters):
    chosen = set()
    for _ in range(size):
        others = [v for v in range(values.shape[1]) if v != child and v not in chosen]
        chosen.add(max(others, key=lambda v: log_marginal_likelihood(values, child, chosen | {v}, **hyperparameters)))
    return sorted(chosen)
