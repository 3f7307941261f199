"""`experiments`: the value of each possible experiment for a question, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from orderspn.core.arguments import check_choice, check_flag, check_fraction, check_integer
from orderspn.core.errors import InvalidValue
from orderspn.core.randomness import RNGLike, seed_for, seed_sequence
from orderspn.core.tasks import workers_stay
from orderspn.design import limit
from orderspn.design.experiment import Experiment
from orderspn.design.listing import Costs, allowed_targets, possible_experiments, shown_values
from orderspn.design.outcomes import check_simulates, simulates
from orderspn.design.questions import Decision, Effect, Event, Graph, Question, QuestionLike, as_question
from orderspn.design.relearning import is_exact, learned_again
from orderspn.design.reweighting import check_reweights, effective_orders, reweighted_trial, reweights
from orderspn.design.simulation import Learn, Plan, Trial, Values, simulate
from orderspn.display.progress import Progress, make_workers, showing
from orderspn.methods.trust import Trust
from orderspn.models.dag_graphs import DagGraphs
from orderspn.posterior import Posterior
from orderspn.updating import learned_again as learned_by_search
from orderspn.updating import updatable

if TYPE_CHECKING:
    import pandas as pd

How = Literal["auto", "simulate", "reweight", "limit"]

QUICK_ORDERS, QUICK_DAGS = 12, 9
"""Largest numbers of explained variables for which experiments are simulated by default: a model takes milliseconds."""

MOST_DRAWS = 1024
"""Default of the largest number of simulated outcomes of an experiment."""

SHORT_EFFORT = 0.1
"""Effort of the searches that follow simulated rows, where a posterior is not exact."""


class Asked(NamedTuple):
    """A question about a posterior, and how values are computed."""

    posterior: Posterior
    question: Question
    method: str
    draws: int
    precision: float
    seed: np.random.SeedSequence


class Valued(NamedTuple):
    """Values of plans, the uncertainty now, and a word on how they were computed."""

    values: Values
    now: float
    how: str
    effective_orders: float | None = None


def experiments(
    posterior: Posterior,
    question: QuestionLike = "graph",
    *,
    rows: int = 50,
    targets: Sequence[str] | None = None,
    values: Mapping[str, Any] | None = None,
    pairs: bool = False,
    costs: Costs = None,
    method: How = "auto",
    draws: int | None = None,
    precision: float = 0.05,
    rng: RNGLike = 0,
    n_jobs: int | None = None,
    progress: Progress = "auto",
) -> pd.DataFrame:
    """Return what each possible experiment is expected to tell about a question, most valuable first.

    The possible experiments are `do(X)`, rows in which X is set to some values, for each variable that may be
    intervened on, and `observe`, more rows without interventions.

    Parameters
    ----------
    posterior : Posterior
    question : str, Edges or tuple, default "graph"
        "graph": the entropy of the graph. "orientation": the entropy of the directions of edges, given which variables
        are neighbours. An event such as "A -> B" or "A ~> B": the entropy of whether it holds. ("effect", "A", "B"):
        the variance of the total effect. ("sign", "A", "B"): the entropy of its sign. ("raise", "B") or
        ("lower", "B"): which variable to change by a standard deviation for the largest effect on B; the value is the
        reduction of the expected regret, the expected gain of choosing after the experiment instead of now.
    rows : int, default 50
        Rows of each experiment, spread evenly over its values.
    targets : sequence of str, optional
        Variables that may be intervened on (default: all but context variables).
    values : mapping, optional
        Values that variables are set to, in the units of the data (default: a standard deviation below and above the
        mean, or all levels).
    pairs : bool, default False
        Also experiments on two variables at once.
    costs : mapping, optional
        Cost of an experiment by its variable or its name ("observe", "do(A, B)"); 1 by default, the sum of both for
        two variables.
    method : {"auto", "simulate", "reweight", "limit"}, default "auto"
        "simulate": draw a graph and parameters from the posterior, simulate the rows, learn again from sums, ask again,
        and average. Each posterior after simulated rows is exact if the posterior is; circuits are searched again,
        shortly. "reweight": the same with 2000 orders that are drawn from the posterior once and weighted anew after
        each simulated outcome, parents being summed exactly given each order; it is fast with many variables, exact
        posteriors and circuits alike. "limit": the value of very many rows, by the equivalence classes of drawn graphs
        under interventions; it needs no simulation, for effects it leaves out the uncertainty of parameters. "auto"
        simulates up to 12 explained variables (9 with the target "dag"); beyond, it reweights where it can: numbers
        without polynomials or categories alone, the target "order", and questions other than paths.
    draws : int, optional
        Largest number of simulated outcomes of an experiment (default 1024), or of graphs for "limit" (default 10,000).
    precision : float, default 0.05
        Simulation of an experiment ends when its standard error is below this share of the range of all values. Those
        that may be the best go on until it is a quarter of that.
    rng : int, SeedSequence, Generator or None, default 0
    n_jobs : int, optional
        Threads (default: all cores). A joblib backend, if one is chosen, spreads the simulated outcomes instead.
    progress : bool, "auto" or callable, default "auto"

    Returns
    -------
    pandas.DataFrame
        Indexed by experiment: `targets`, `values`, `rows`, the expected `reduction` of uncertainty with its
        `standard_error`, its `share` of the uncertainty now, `cost`, `value_per_cost` and `draws`. `attrs` has the
        question, its unit, the uncertainty `now` and the `method`; after reweighting also `effective_orders`, the
        median effective number of orders after outcomes of the experiment that tells most.

    Notes
    -----
    The prior stays in the units of the rows that the posterior was learned from. For the target "order" the entropy is
    that of pairs of a graph and an order; its reduction is that of the graph, because rows tell nothing else.

    Drawn orders are a finite posterior of their own: what they can tell about the order of the variables is at most the
    log of their number, so by reweighting values are on average at most the true ones. There is a warning if few orders
    keep their weight. Each variable keeps its 10 most probable candidates.

    Examples
    --------
    >>> import orderspn as osp
    >>> network = osp.simulate.LinearGaussianNetwork([[0, 1], [0, 0]], variables=["A", "B"])
    >>> posterior = osp.learn(network.sample(100, rng=0))
    >>> table = osp.design.experiments(posterior, "A -> B", rows=20)
    >>> bool(table.loc["do(A)", "reduction"] > 5 * abs(table.loc["observe", "reduction"]))
    True
    """
    places = allowed_targets(posterior, targets)
    asked = ask(posterior, question, places, method, draws, precision, rng)
    listed = possible_experiments(posterior, places, rows, values, check_flag("pairs", pairs), costs)
    with workers_stay(), showing(progress):
        valued = value_of(asked, [(one,) for one in listed], n_jobs, progress)
    return _table(posterior, asked.question, listed, valued)


def ask(
    posterior: Posterior,
    question: QuestionLike,
    targets: Sequence[int],
    method: str,
    draws: int | None,
    precision: float,
    rng: RNGLike,
) -> Asked:
    """Check a question, and settle how values are computed."""
    updatable(posterior)  # an error for mixtures
    check_choice("method", method, get_args(How))
    read = as_question(question, posterior, targets)
    chosen = _quickest(posterior, read) if method == "auto" else method
    if chosen != "limit":
        check_simulates(posterior.model.score.likelihood)
    if chosen == "reweight":
        check_reweights(posterior)
    if chosen == "simulate" and isinstance(read, Graph) and not is_exact(posterior.model):
        raise InvalidValue(
            "the entropy of the graph cannot be compared between searches, and this posterior is not exact. "
            "Use method='reweight' or method='limit', or ask for 'orientation' or a single edge."
        )
    default = limit.DRAWS if chosen == "limit" else MOST_DRAWS
    count = default if draws is None else check_integer("draws", draws, 2)
    seed = seed_for(seed_sequence(rng), "experiments")
    return Asked(posterior, read, chosen, count, check_fraction("precision", precision), seed)


def _quickest(posterior: Posterior, question: Question) -> str:
    most = QUICK_DAGS if isinstance(posterior.model, DagGraphs) else QUICK_ORDERS
    if is_exact(posterior.model) and len(posterior.explained) <= most:
        return "simulate"
    paths = isinstance(question, Event) and bool(question.event.ancestry)
    fits = reweights(posterior) and simulates(posterior.model.score.likelihood)
    return "reweight" if fits and not paths else "limit"


def value_of(asked: Asked, plans: Sequence[Plan], n_jobs: int | None, progress: Progress) -> Valued:
    """Return the values of plans, each of which is one or several experiments that are done together."""
    posterior, question = asked.posterior, asked.question
    if asked.method != "reweight":
        drawn = posterior.sample(asked.draws, rng=seed_for(asked.seed, "graphs")).adjacency
    if asked.method == "limit":
        found = limit.limit_values(posterior.model, question, plans, drawn)
        how = "limit of many rows, " + ("classes listed" if found.listed else "classes counted")
        return Valued(found.values, found.now, how)
    model, workers = posterior.model, make_workers(n_jobs, progress)
    before = question.of_model(model)
    if asked.method == "reweight":
        reweighted = reweighted_trial(posterior, question, plans, asked.draws, asked.seed)
        values = simulate(reweighted, asked.draws, asked.precision, workers)
        left = effective_orders(reweighted, int(values.reduction.argmax()))
        return Valued(values, _now(asked, before), "simulated, orders reweighted", left)
    trial = Trial(model, _learner(posterior), question, tuple(plans), drawn, asked.seed, before)
    return Valued(simulate(trial, asked.draws, asked.precision, workers), _now(asked, before), "simulated")


def _learner(posterior: Posterior) -> Learn:
    if is_exact(posterior.model):
        return partial(learned_again, posterior.model, evidence=posterior.evidence)
    return partial(_searched, posterior)


def _searched(posterior: Posterior, likelihood: Any) -> Any:
    method = Trust(effort=SHORT_EFFORT)
    return learned_by_search(posterior, likelihood, posterior.units, {}, method, 0, 1, progress=False).model


def _now(asked: Asked, before: np.ndarray) -> float:
    """Return the uncertainty before any experiment; of effects from draws, with their parameters."""
    posterior, question = asked.posterior, asked.question
    if not isinstance(question, Effect | Decision):
        return question.uncertainty(before)
    drawn = posterior.effect_samples(4000, rng=seed_for(asked.seed, "effects"), units="sd").values
    if isinstance(question, Effect):
        return float((question.scale * drawn[:, question.cause, question.effect]).var())
    actions = question._actions(drawn[:, :, question.effect])
    return float(actions.max(axis=1).mean() - actions.mean(axis=0).max())


def _table(posterior: Posterior, question: Question, listed: Sequence[Experiment], valued: Valued) -> pd.DataFrame:
    import pandas as pd

    names, (found, now, how, orders) = posterior.variables, valued
    frame = pd.DataFrame(
        {
            "targets": [tuple(names[v] for v in one.targets) for one in listed],
            "values": [shown_values(posterior, one) for one in listed],
            "rows": [one.rows for one in listed],
            "reduction": found.reduction,
            "standard_error": found.error,
            "share": found.reduction / now if now > 0.0 else np.zeros(len(listed)),
            "cost": [one.cost for one in listed],
            "value_per_cost": [value / one.cost for value, one in zip(found.reduction, listed, strict=True)],
            "draws": found.draws,
        },
        index=pd.Index([one.name for one in listed], name="experiment"),
    )
    frame = frame.sort_values("value_per_cost", ascending=False, kind="stable")
    frame.attrs = {"question": question.text, "unit": question.unit, "now": now, "method": how}
    if orders is not None:
        frame.attrs["effective_orders"] = orders
    return frame
