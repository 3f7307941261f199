"""The value of an experiment by summing over every possible outcome: BDeu, few rows of binary variables."""

from itertools import product

import numpy as np

import orderspn as osp


def expected_reduction(data, rows, target, values, method, uncertainty):
    """Return the expected reduction by `rows` rows with `target` set to `values` in turn; None to observe.

    Every table of new rows is weighted by its probability: the ratio of the evidence with and without it, which is
    that of all variables that are not set.
    """
    names = list(data.columns)
    free = [name for name in names if name != target]
    before = osp.learn(data, method=method, check=False)
    left = total = 0.0
    for cells in product(["no", "yes"], repeat=rows * len(free)):
        new = {name: list(cells[place :: len(free)]) for place, name in enumerate(free)}
        if target is not None:
            new[target] = [values[row % len(values)] for row in range(rows)]
        after = learned_with(data, new, target, method)
        weight = np.exp(after.log_evidence - before.log_evidence)
        total += weight
        left += weight * uncertainty(after)
    assert abs(total - 1.0) < 1e-9
    return uncertainty(before) - left


def learned_with(data, new, target, method):
    """Learn from all rows at once."""
    import pandas as pd

    every = pd.concat([data, pd.DataFrame(new)[data.columns]], ignore_index=True)
    for name in every.columns:
        every[name] = pd.Categorical(every[name], categories=["no", "yes"])
    entries = None if target is None else [None] * len(data) + [target] * (len(every) - len(data))
    return osp.learn(every, method=method, check=False, score="bdeu", interventions=entries)
