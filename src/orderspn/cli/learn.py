"""`orderspn learn` and `info`: from a table to a posterior, and what a posterior is and how it was learned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.files import named_columns, opened, read_known
from orderspn.cli.method_options import method_options, split_method
from orderspn.cli.options import (
    FILE,
    POSITIVE,
    format_options,
    number_or_auto,
    posterior_argument,
    read_groups,
    read_kinds,
    rng_option,
    size,
)
from orderspn.cli.output import Answer, Table, progress_bars, show
from orderspn.cli.table_options import (
    chosen_score,
    context_option,
    given_options,
    group_option,
    kind_option,
    knowledge_option,
    max_parents_option,
    penalty_option,
    score_option,
    standardize_option,
    table_options,
    take_table,
)

if TYPE_CHECKING:
    from orderspn.posterior import Posterior


@click.command(short_help="Learn a posterior from a table.")
@table_options
@click.option("-o", "--output", type=FILE, required=True, help="Where to save the posterior (.npz).")
@score_option
@click.option(
    "--prior",
    type=click.Choice(["fair", "uniform", "learned"]),
    default="fair",
    show_default=True,
    help="Prior over parent sets: every size, or every set, equally probable; or learned from the data.",
)
@click.option(
    "--candidates",
    type=number_or_auto,
    metavar="N|auto",
    default="auto",
    show_default=True,
    help="Candidate parents per variable; auto: all others up to 20 variables, 9 to 20 beyond.",
)
@max_parents_option
@knowledge_option
@context_option
@kind_option
@group_option
@click.option(
    "--imputations", type=POSITIVE, help="Completed tables, if values are missing and not dropped [default: 20]."
)
@method_options
@click.option("--runs", type=POSITIVE, help="For trust, gadget, dibs: independent searches [default: 4].")
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Keep finished parts of the work there; the same command continues after a crash, with the same result.",
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="For trust, gadget: when to stop searching.")
@standardize_option
@click.option("--alpha-mu", type=float, help="Strength of BGe's prior mean [default: 1].")
@click.option("--alpha-w", type=float, help="Degrees of freedom of BGe's prior [default: variables + 2].")
@click.option("--t", type=float, help="Scale of BGe's prior [default: from the other two, 0.5].")
@click.option(
    "--degree", type=number_or_auto, metavar="N|auto", help="For curves, degree of polynomials in BGe [default: 1]."
)
@click.option("--equivalent-sample-size", type=float, help="Strength of BDeu's prior, in rows [default: 1].")
@penalty_option
@rng_option("Seed of random methods; recorded.", default=0)
@click.option("--n-jobs", type=POSITIVE, help="Threads [default: all cores]; never changes an answer.")
@click.option("--memory-limit", type=size, metavar="SIZE", help="For example 8GiB or 500MB [default: 4GiB].")
@click.option(
    "--check/--no-check", default=True, show_default=True, help='Warn of data that may not fit, as "check" does.'
)
@click.option(
    "--distributions/--no-distributions",
    default=True,
    show_default=True,
    help="Keep a histogram of each column in the file.",
)
@format_options
def learn(
    output: Path,
    score: str,
    knowledge: tuple[str, ...],
    context: tuple[str, ...],
    kinds: tuple[str, ...],
    groups: tuple[str, ...],
    degree: int | str | None,
    alpha_mu: float | None,
    alpha_w: float | None,
    t: float | None,
    equivalent_sample_size: float | None,
    penalty: float | None,
    form: str | None,
    **options: Any,
) -> None:
    """Learn the posterior over causal graphs from DATA, a table with a header line.

    DATA is a file of comma-separated values, of tab-separated values if its name ends in .tsv, an Excel workbook
    (.xlsx) or a Parquet file (.parquet), or - for standard input. Columns hold numbers or categories (text, true and
    false). Missing values are imputed, unless --drop-missing leaves out their rows.

    \b
    Examples:
      orderspn learn data.csv -o posterior.npz
      orderspn learn data.tsv -o posterior.npz --variables dose,response,age
      orderspn learn measured.csv -o posterior.npz --sep ";" --decimal "," --exclude id --drop-missing
      orderspn learn answers.csv -o posterior.npz --score bdeu
      orderspn learn data.csv -o posterior.npz --interventions condition --targets control= --targets u0126=Mek
      orderspn learn data.csv -o posterior.npz --knowledge "smoking -> cancer, cancer !-> age"
      orderspn learn data.csv -o posterior.npz --context age,batch
      orderspn learn patients.csv -o posterior.npz --kind ward=category --degree auto
      orderspn learn wide.csv -o posterior.npz --method trust --rng 0 --time-limit 60
      orderspn learn wide.csv -o posterior.npz --checkpoint parts --runs 8
    """
    import orderspn as osp
    from orderspn.storage import check_destination

    check_destination(output)
    hyperparameters = {
        "alpha_mu": alpha_mu,
        "alpha_w": alpha_w,
        "t": t,
        "degree": degree,
        "equivalent_sample_size": equivalent_sample_size,
        "penalty": penalty,
    }
    chosen = chosen_score(score, given_options(hyperparameters))
    method, settings = split_method(options)
    background = read_known(knowledge)
    data, about_data = take_table(settings)
    with progress_bars(form) as progress:
        posterior = osp.learn(
            data,
            **about_data,
            score=chosen,
            knowledge=background,
            context=named_columns(context, data) or None,
            kinds=read_kinds(kinds),
            groups=read_groups(groups),
            method=method,
            progress=progress,
            **given_options(settings),
        )
        posterior.save(output)
        described = description(posterior, {"file": str(output)})
    people = [described.people[0], f"Saved to {output}"]
    show(Answer(described.document, described.table, people), form)


@click.command(short_help="Describe a posterior.")
@posterior_argument
@format_options
def info(posterior_file: Path, form: str | None) -> None:
    """Describe a posterior: its variables, how it was learned, and how certain it is.

    \b
    Example:
      orderspn info posterior.npz
    """
    with opened(posterior_file, (), form) as posterior:
        answer = description(posterior, _origin(posterior_file))
    show(answer, form)


def description(posterior: Posterior, origin: Mapping[str, Any]) -> Answer:
    """Describe a posterior: its origin, its variables, its settings and how certain it is."""
    settings = dict(posterior.settings)
    document = {
        **origin,
        "variables": posterior.variables,
        "context": posterior.context,
        "evidence": str(posterior.evidence) or None,
        "settings": settings,
        **_evidence_and_entropy(posterior),
        "expected_edges": float(posterior.edge_probabilities().to_numpy().sum()),
    }
    lines = {**origin, "variables": ", ".join(posterior.variables)}
    lines |= {key: settings[key] for key in ("seed", "data_fingerprint") if key in settings}
    details = "\n".join(f"  {key.replace('_', ' '):20} {value}" for key, value in lines.items())
    table = Table(["property", "value"], _flat({**document, "settings": _without_distributions(settings)}))
    return Answer(document, table, [posterior.summary(), details])


def _evidence_and_entropy(posterior: Posterior) -> dict[str, float]:
    """The log evidence and the entropy; a sample of graphs has neither."""
    from orderspn.models.capabilities import MASSES, MIXTURE

    mixed = MIXTURE.optional(posterior.model)
    if mixed is not None:
        return {} if mixed.log_total is None else {"log_evidence": mixed.log_total}
    if not MASSES.of(posterior.model):
        return {}
    return {"log_evidence": posterior.log_evidence, "entropy": posterior.entropy()}


def _origin(path: Path) -> dict[str, Any]:
    from orderspn.storage import read_manifest

    manifest = read_manifest(path)
    return {"file": str(path)} | {
        key: manifest[key] for key in ("format", "format_version", "package_version") if key in manifest
    }


def _without_distributions(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings for a table, in which the distributions of the data would be thousands of lines."""
    from orderspn.data.distributions import DISTRIBUTIONS

    kept = {key: value for key, value in settings.items() if key != DISTRIBUTIONS}
    if "components" in kept:
        kept["components"] = [_without_distributions(own) for own in kept["components"]]
    return kept


def _flat(document: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in document.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{prefix}{key}.")
        else:
            rows.append((f"{prefix}{key}", value))
    return rows
