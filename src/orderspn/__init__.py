"""orderspn: exact and tractable posteriors over causal graphs.

Examples
--------
>>> import orderspn as osp
>>> posterior = osp.learn(osp.load_asia().data)  # or a table of your own
>>> round(posterior.probability("bronc -> dysp", given="smoke -> bronc"), 2)
1.0
>>> posterior.most_probable_graph().graph.has_edge("lung", "either")
True

What to call for which question
-------------------------------
Does my table fit?                        check_data(data)
From a table to a posterior               learn(data), OrderSPN() for scikit-learn
How was it learned, how certain is it?    posterior.summary(), posterior.coverage()
How probable is an edge?                  posterior.probability("A -> B"), posterior.edge_probabilities()
And if that edge is known?                posterior.probability("A -> B", given="C -> D"), posterior.given("C -> D")
Which parents does a variable have?       posterior.parent_sets("A")
Which graph is the best?                  posterior.most_probable_graph(), posterior.best_graph()
Only the best graph, and quickly          best_graph(data)
Which experiment next?                    design.experiments(posterior), posterior.update(new_rows)
Which graphs are plausible?               posterior.sample(1000)
What can data identify at all?            posterior.cpdags(), posterior.adjacency_probabilities()
Which one graph stands for all?           posterior.consensus()
Does the data speak against my graph?     posterior.judge("A -> B -> C"), plot.judgement
What does a change of A do to B?          posterior.causal_effects(), posterior.effect_samples()
And if they are categories?               posterior.interventional("B", {"A": "yes"})
What is known before any data             learn(data, knowledge="A -> B, C !-> D"), Knowledge
What is only ever a cause                 learn(data, context=["age", "batch"])
Time series                               time_series.lagged(data), plot.time_graph(posterior)
What the experimenter changed             learn(data, interventions="column")
Keep a posterior                          posterior.save("file.npz"), load("file.npz")
Several posteriors as one                 mix([posterior, other])
What differs between two posteriors?      compare(posterior, other)
See it, click edges, send it              posterior.explore(), posterior.to_html("report.html")
Pictures                                  plot
Results for other tools                   export
Comparison with a truth, or new rows      metrics
Ways of learning, and their settings      methods, scores
Data of known origin                      simulate, load_sachs(), load_asia(), load_penguins(), load_macro()
The paper's experiments                   experiments
Kernels compiled before they are needed   warm_up()

Names are loaded when first used, so that `import orderspn` is quick and compiles nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orderspn import design as design
    from orderspn import experiments as experiments
    from orderspn import export as export
    from orderspn import methods as methods
    from orderspn import metrics as metrics
    from orderspn import scores as scores
    from orderspn import simulate as simulate
    from orderspn import time_series as time_series
    from orderspn._version import __version__ as __version__
    from orderspn.checks.checking import check_data as check_data
    from orderspn.checks.finding import Finding as Finding
    from orderspn.checks.report import DataReport as DataReport
    from orderspn.comparison.comparing import compare as compare
    from orderspn.comparison.comparison import Comparison as Comparison
    from orderspn.core.errors import ImpossibleEvidence as ImpossibleEvidence
    from orderspn.core.errors import UnreadableFile as UnreadableFile
    from orderspn.core.errors import UnwritableFile as UnwritableFile
    from orderspn.core.errors import UserError as UserError
    from orderspn.data.bundled import Asia as Asia
    from orderspn.data.bundled import Macro as Macro
    from orderspn.data.bundled import Penguins as Penguins
    from orderspn.data.bundled import Sachs as Sachs
    from orderspn.data.bundled import load_asia as load_asia
    from orderspn.data.bundled import load_macro as load_macro
    from orderspn.data.bundled import load_penguins as load_penguins
    from orderspn.data.bundled import load_sachs as load_sachs
    from orderspn.data.categories import Categories as Categories
    from orderspn.data.categories import read_categories as read_categories
    from orderspn.data.dataset import Dataset as Dataset
    from orderspn.data.dataset import read_table as read_table
    from orderspn.data.mixed import MixedTable as MixedTable
    from orderspn.data.mixed_reading import read_mixed as read_mixed
    from orderspn.estimator import OrderSPN as OrderSPN
    from orderspn.graph_search import best_graph as best_graph
    from orderspn.knowledge.statement import Knowledge as Knowledge
    from orderspn.learning import learn as learn
    from orderspn.mixture import Mixture as Mixture
    from orderspn.mixture import mix as mix
    from orderspn.posterior import Posterior as Posterior
    from orderspn.queries.edges import Edges as Edges
    from orderspn.queries.found_graph import FoundGraph as FoundGraph
    from orderspn.queries.most_probable import MostProbableGraph as MostProbableGraph
    from orderspn.queries.sampling import GraphSamples as GraphSamples
    from orderspn.storage import load as load
    from orderspn.warming import warm_up as warm_up

_HOME = {
    "Asia": "orderspn.data.bundled",
    "Categories": "orderspn.data.categories",
    "Comparison": "orderspn.comparison.comparison",
    "DataReport": "orderspn.checks.report",
    "Dataset": "orderspn.data.dataset",
    "Edges": "orderspn.queries.edges",
    "Finding": "orderspn.checks.finding",
    "FoundGraph": "orderspn.queries.found_graph",
    "GraphSamples": "orderspn.queries.sampling",
    "ImpossibleEvidence": "orderspn.core.errors",
    "MixedTable": "orderspn.data.mixed",
    "Knowledge": "orderspn.knowledge.statement",
    "Macro": "orderspn.data.bundled",
    "Mixture": "orderspn.mixture",
    "MostProbableGraph": "orderspn.queries.most_probable",
    "OrderSPN": "orderspn.estimator",
    "Penguins": "orderspn.data.bundled",
    "Posterior": "orderspn.posterior",
    "Sachs": "orderspn.data.bundled",
    "UnreadableFile": "orderspn.core.errors",
    "UnwritableFile": "orderspn.core.errors",
    "UserError": "orderspn.core.errors",
    "__version__": "orderspn._version",
    "best_graph": "orderspn.graph_search",
    "check_data": "orderspn.checks.checking",
    "compare": "orderspn.comparison.comparing",
    "learn": "orderspn.learning",
    "load": "orderspn.storage",
    "load_asia": "orderspn.data.bundled",
    "load_macro": "orderspn.data.bundled",
    "load_penguins": "orderspn.data.bundled",
    "load_sachs": "orderspn.data.bundled",
    "mix": "orderspn.mixture",
    "read_categories": "orderspn.data.categories",
    "read_mixed": "orderspn.data.mixed_reading",
    "read_table": "orderspn.data.dataset",
    "warm_up": "orderspn.warming",
}
_MODULES = ("design", "experiments", "export", "methods", "metrics", "plot", "scores", "simulate", "time_series")

__all__ = [*_HOME, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(f"orderspn.{name}")
    else:
        raise AttributeError(f"module 'orderspn' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
