"""Which experiments are run, with how many runs of each method: the slow ones have fewer."""

from __future__ import annotations

from dataclasses import dataclass, field

from orderspn.experiments.cells import EXPERIMENTS


@dataclass(frozen=True)
class Plan:
    """One experiment: `runs` of each of the methods, but `fewer` of some."""

    experiment: str
    d: int
    methods: tuple[str, ...]
    runs: int = 30
    fewer: dict[str, int] = field(default_factory=dict)

    @property
    def groups(self) -> dict[int, list[str]]:
        """Methods by their number of runs."""
        groups: dict[int, list[str]] = {}
        for method in self.methods:
            groups.setdefault(self.fewer.get(method, self.runs), []).append(method)
        return groups


EVERYBODY = ("GADGET", "TRUST-G", "DIBS", "TRUST-D", "ORDERSPN")
SLOW = {"DIBS": 6, "TRUST-D": 6}
BEYOND = ("mixed", "nonlinear", "missing")
"""Data as it comes, which the paper does not have."""

PLANS = {
    "conditional": Plan("conditional", 16, ("EXACT", "TRUST-G", "GADGET")),
    "performance": Plan("performance", 16, EVERYBODY, fewer=SLOW),
    "coverage": Plan("coverage", 16, EVERYBODY, fewer=SLOW),
    "ablation": Plan("ablation", 16, ("RANDOM", "PARAMETERS", "STRUCTURE", "GADGET", "TRUST-G")),
    "exact": Plan(
        "exact",
        16,
        ("EXACT", "EXACT-DAG", "TRUST-G", "TRUST", "GADGET", "DIBS", "TRUST-D"),
        runs=12,
        fewer={"DIBS": 4, "TRUST-D": 4},
    ),
    "performance-32": Plan("performance", 32, ("GADGET", "TRUST-G", "ORDERSPN"), runs=3),
    **{name: Plan(name, EXPERIMENTS[name].d, tuple(EXPERIMENTS[name].methods)) for name in BEYOND},
}
