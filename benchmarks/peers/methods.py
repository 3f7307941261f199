"""The methods of the study: the environment and adapter of each, and its settings. The runner knows nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ADAPTERS = Path(__file__).parent / "adapters"
NUMBERS, CATEGORIES, MIXED = "numbers", "categories", "mixed"
ALL_KINDS = (NUMBERS, CATEGORIES, MIXED)


@dataclass(frozen=True)
class Method:
    """A method with its settings."""

    name: str
    label: str
    environment: str
    adapter: str
    settings: dict[str, Any] = field(default_factory=dict)
    kinds: tuple[str, ...] = (NUMBERS, MIXED)
    """Tables that it takes; a method of numbers reads the codes of categories in mixed tables as numbers."""
    gives: tuple[str, ...] = ("graph",)
    most_variables: int = 100
    cpu_limit: float = 0.0
    """More CPU-seconds than the data would allow, for a method that has no answer otherwise."""

    @property
    def script(self) -> Path:
        """The file of the adapter."""
        return ADAPTERS / f"run_{self.adapter}.py"


def _causal_learn(algorithm: str, label: str, **more: Any) -> Method:
    resampled = "resamples" in more
    return Method(
        f"{algorithm}-bootstrap" if resampled else algorithm,
        label,
        "causal-learn",
        "causal_learn",
        {"algorithm": algorithm, **more},
        ALL_KINDS,
        ("edges",) if resampled else ("graph",),
    )


def _ours(name: str, label: str, gives: tuple[str, ...] = ("graph", "edges"), **settings: Any) -> Method:
    limits = {"degree": 50, "gadget_effort": 50, "target": 16}  # beyond, a table takes minutes, or says nothing new
    most = min((limits[key] for key in settings if key in limits), default=100)
    most = 20 if settings.get("degree") == "auto" else most  # it learns three times
    kinds = (NUMBERS, MIXED) if "degree" in settings else ALL_KINDS
    return Method(name, label, "orderspn", "orderspn", settings, kinds, gives, most)


_PENALTY = {"penalty": 2.0, "restarts": 20}
_LISTED = (
    _ours("ours", "orderspn", effects=True),
    _ours("ours-learned", 'orderspn, prior="learned"', prior="learned", effects=True),
    _ours("ours-auto", 'orderspn, prior="learned", degree="auto"', prior="learned", degree="auto"),
    _ours("ours-dag", 'orderspn, target="dag"', target="dag", effects=True),
    _ours("ours-gadget", "orderspn, Gadget of effort 0.1", gadget_effort=0.1),
    _ours("ours-degree3", "orderspn, BGe of degree 3", degree=3),
    _ours("ours-best", "orderspn.best_graph", ("graph",), best_graph=True),
    Method("flop", "FLOP", "flop", "flop", _PENALTY),
    Method(
        "flop-bootstrap",
        "FLOP, bootstrap",
        "flop",
        "flop",
        {"penalty": 2.0, "restarts": 5, "resamples": 50},
        gives=("edges",),
    ),
    _causal_learn("boss", "BOSS (causal-learn)"),
    _causal_learn("grasp", "GRaSP (causal-learn)"),
    _causal_learn("ges", "GES (causal-learn)"),
    _causal_learn("pc", "PC (causal-learn)", alpha=0.01),
    _causal_learn("pc", "PC, bootstrap", alpha=0.01, resamples=30),
    Method(
        "pgmpy-hc-bootstrap",
        "hill climbing, bootstrap (pgmpy)",
        "pgmpy",
        "pgmpy",
        {"resamples": 10},
        ALL_KINDS,
        ("edges",),
        20,
    ),
    Method(
        "pyagrum-hc-bootstrap",
        "hill climbing, bootstrap (pyAgrum)",
        "pyagrum",
        "pyagrum",
        {"resamples": 30, "bins": 3},
        ALL_KINDS,
        ("edges",),
    ),
    Method("dagma", "DAGMA, linear", "dagma", "dagma", {"lambda1": 0.05, "threshold": 0.1}),
    Method("lingam", "DirectLiNGAM", "lingam", "lingam", {"threshold": 0.05}),
    Method(
        "dibs",
        "DiBS (dibs-lib)",
        "dibs",
        "dibs",
        {"particles": 20, "steps": 1000, "compiles_each_shape": True},
        (NUMBERS,),
        ("graph", "edges"),
        16,
        cpu_limit=900.0,
    ),
    Method("bidag", "BiDAG (R)", "r", "bidag", {}, (NUMBERS,), ("graph", "edges"), 50),
)
METHODS = {method.name: method for method in _LISTED}
