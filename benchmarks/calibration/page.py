"""The page docs/calibration.md: tables, statements and figures from kept cells, within the prose of page.md."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from pathlib import Path

import orderspn
from benchmarks.calibration.arms import ARMS, DEFAULT, GROUPS, LEARNED, ORDERS, SCALES, SHARES, TABLES, Arm
from benchmarks.calibration.figures import FEWEST_PAIRS, draw_figures
from benchmarks.calibration.lookups import (
    DISTINCT,
    Results,
    best,
    counted,
    families_of,
    inside_bands,
    log_loss,
    measure,
    measured_arms,
    regret,
)
from benchmarks.calibration.tables import FAMILIES, OWN, SIMULATED, VARIABLES, WRONG, Family
from benchmarks.markdown import table_of

DOCS = Path(__file__).parents[2] / "docs"
PROSE = Path(__file__).parent / "page.md"

KIND_LABELS = {"adjacent": "joined", "directed": "directed"}
OWN_ARMS = ("raw", "dag-raw")
"""Those whose prior over parameters is the one that the own tables were drawn from: columns as they are."""

MEASURES = (
    ("calibration_error", "calibration error"),
    ("log_loss", "log loss"),
    ("brier", "Brier"),
    ("average_precision", "average precision"),
    ("promised", "promised"),
)


def write_page(results: Results) -> None:
    """Fill tables and statements into the prose, and draw the figures."""
    text = PROSE.read_text()
    for name, part in PARTS.items():
        text = text.replace(f"<!-- {name} -->", part(results))
    draw_figures(results, DOCS)
    (DOCS / "calibration.md").write_text(text)


def in_short(results: Results) -> str:
    """The answers of the page, in a sentence each."""
    lines = []
    for group, where in ((OWN, "its own prior"), (SIMULATED, "simulated data"), (WRONG, "data against assumptions")):
        promised = [measure(results, family, DEFAULT, "adjacent", "promised") for family in families_of(group)]
        few = sum(found.value < 1.0 - DISTINCT * found.error for found in promised)
        many = sum(found.value > 1.0 + DISTINCT * found.error for found in promised)
        values = [found.value for found in promised]
        lines.append(
            f"- On {where} the default promised from {min(values):.2f} to {max(values):.2f} joined pairs for each that "
            f"is true: too few on {few} of {len(promised)} kinds of data, too many on {many} (by more than two "
            "standard errors)."
        )
    families = [*families_of(SIMULATED), *families_of(WRONG)]
    arms = measured_arms(results, families)
    ranked = sorted(arms, key=lambda arm: regret(results, families, arm, arms, "adjacent").mean)
    lines.append(
        f"- Settings with the smallest mean regret over simulated data, first three: "
        f"{'; '.join(arm.label for arm in ranked[:3])}. The default is number {ranked.index(DEFAULT) + 1} of "
        f"{len(arms)}."
    )
    return "\n".join(lines)


def own_table(results: Results) -> str:
    """Targets on data of their own prior, and of each other's."""
    rows = []
    for kind, label in KIND_LABELS.items():
        for family in families_of(OWN):
            for arm in measured_arms(results, [family]):
                if arm.name not in (*OWN_ARMS, DEFAULT.name, "learned"):
                    continue
                inside, points = inside_bands(results, family, arm, kind, FEWEST_PAIRS)
                shown = [measure(results, family, arm, kind, key).shown() for key in ("calibration_error", "promised")]
                rows.append([f"{family.label}: {arm.label}", label, *shown, f"{inside} of {points}"])
    return table_of(["data: settings", "pairs", "calibration error", "promised", "points within bands"], rows)


def own_verdict(results: Results) -> str:
    """How far each target is from what its own prior demands, in one sentence each."""
    lines = []
    for family, name in zip(families_of(OWN), OWN_ARMS, strict=True):
        arm = ARMS[name]
        if arm not in measured_arms(results, [family]):
            continue
        inside, points = map(
            sum, zip(*(inside_bands(results, family, arm, kind, FEWEST_PAIRS) for kind in KIND_LABELS), strict=True)
        )
        promised = measure(results, family, arm, "adjacent", "promised")
        lines.append(
            f"- {family.label}, {arm.label}: {inside} of the {points} points (joined and directed pairs) have their "
            f"probability within their 95% band, and for each true edge {promised.shown(2)} were promised; 1 is right."
        )
    return "\n".join(lines)


def arms_table(group: str) -> Callable[[Results], str]:
    """Return the table of settings over the kinds of data of a group."""

    def table(results: Results) -> str:
        families, arms = families_of(group), measured_arms(results, families_of(group))
        ranked = sorted(arms, key=lambda arm: regret(results, families, arm, arms, "adjacent").mean)
        rows = []
        for arm in ranked:
            errors = [measure(results, family, arm, "adjacent", "calibration_error").value for family in families]
            promised = [measure(results, family, arm, "adjacent", "promised").value for family in families]
            losses = [log_loss(results, family, arm, "adjacent") for family in families]
            lost = regret(results, families, arm, arms, "adjacent")
            rows.append(
                [
                    arm.label,
                    f"{sum(errors) / len(errors):.3f}",
                    f"{max(errors):.3f}",
                    f"{min(promised):.2f} to {max(promised):.2f}",
                    f"{sum(losses) / len(losses):.3f}",
                    f"{lost.mean:.3f}",
                    f"{lost.largest:.3f} (`{lost.where.name}`)",
                    *(_against_default(results, families, arm, kind) for kind in KIND_LABELS),
                ]
            )
        header = [
            "settings",
            "calibration error, mean",
            "largest",
            "promised",
            "log loss, mean",
            "regret, mean",
            "largest",
            "beside the default",
            "of directions",
        ]
        return table_of(header, rows)

    return table


def _against_default(results: Results, families: Sequence[Family], arm: Arm, kind: str) -> str:
    if arm is DEFAULT:
        return ""
    found = counted(results, families, arm, kind)
    return f"{found['better']} / {found['equal']} / {found['worse']}"


def which_table(results: Results) -> str:
    """The settings with the lowest log loss for each kind of data, beside the default."""
    rows = []
    for family in FAMILIES.values():
        arms, shown = measured_arms(results, [family]), []
        for kind in KIND_LABELS:
            first = best(results, family, arms, kind)
            difference = measure(results, family, first, kind, "log_loss_difference")
            shown.append(first.label if first is DEFAULT else f"{first.label}, {difference.shown(3, sign=True)}")
        default = measure(results, family, DEFAULT, "adjacent", "promised")
        rows.append([family.label, f"{_true_edges(results, family):.1f}", default.shown(2), *shown])
    return table_of(["data", "true edges", "promised by the default", "joined: best", "directed: best"], rows)


def _true_edges(results: Results, family: Family) -> float:
    return float(results[f"{family.name} | {DEFAULT.group}"]["true_edges"])


def which_default(results: Results) -> str:
    """What a default would be by these tables."""
    families = [*families_of(SIMULATED), *families_of(WRONG)]
    arms = measured_arms(results, families)
    lines = []
    for kind, label in KIND_LABELS.items():
        lost = {arm.name: regret(results, families, arm, arms, kind) for arm in arms}
        by_mean = sorted(arms, key=lambda arm: lost[arm.name].mean)
        by_largest = sorted(arms, key=lambda arm: lost[arm.name].largest)
        lines.append(
            f"- Pairs that are {label}: the smallest mean regret over {len(families)} kinds of simulated data has "
            f"**{by_mean[0].label}** ({lost[by_mean[0].name].mean:.3f}), the smallest largest regret "
            f"**{by_largest[0].label}** ({lost[by_largest[0].name].largest:.3f}, on "
            f"`{lost[by_largest[0].name].where.name}`). The default is number {by_mean.index(DEFAULT) + 1} and number "
            f"{by_largest.index(DEFAULT) + 1} of {len(arms)}, with {lost[DEFAULT.name].mean:.3f} and "
            f"{lost[DEFAULT.name].largest:.3f} (on `{lost[DEFAULT.name].where.name}`)."
        )
    return "\n".join(lines)


def judged_option(results: Results) -> str:
    """What `prior="learned"` does, if it was measured."""
    arm = ARMS["learned"]
    families = [family for family in FAMILIES.values() if arm in measured_arms(results, [family])]
    if not families:
        return "It was not measured."
    arms = measured_arms(results, families)
    lines = []
    for kind, label in KIND_LABELS.items():
        found = counted(results, families, arm, kind)
        own, default = (regret(results, families, one, arms, kind) for one in (arm, DEFAULT))
        lines.append(
            f"- Pairs that are {label}: better than the default on {found['better']} of {len(families)} kinds of data, "
            f"equal on {found['equal']}, worse on {found['worse']}; mean regret {own.mean:.3f} instead of "
            f"{default.mean:.3f}, largest {own.largest:.3f} (`{own.where.name}`) instead of {default.largest:.3f} "
            f"(`{default.where.name}`)."
        )
    return "\n".join(lines)


def every_table(results: Results) -> str:
    """All settings on all kinds of data."""
    parts = []
    for family in FAMILIES.values():
        for kind, label in KIND_LABELS.items():
            rows = [
                [arm.label, *(measure(results, family, arm, kind, key).shown() for key, _ in MEASURES)]
                for arm in measured_arms(results, [family])
            ]
            header = ["settings", *(name for _, name in MEASURES)]
            parts.append(f"**{family.label}** (`{family.name}`), pairs that are {label}\n\n{table_of(header, rows)}")
    return "\n\n".join(parts)


def left_out(results: Results) -> str:
    """What was not measured."""
    lines = []
    for group in GROUPS:
        absent = [f"`{name}`" for name in FAMILIES if f"{name} | {group}" not in results]
        labels = ", ".join(arm.label for arm in ARMS.values() if arm.group == group)
        if absent:
            lines.append(f"- Not measured, for time: {labels} on {', '.join(absent)}.")
    return "\n".join(lines) or "Nothing: all settings on all kinds of data."


def what_was_measured(_: Results) -> str:
    """Sizes, and what it was done with."""
    return (
        f"{TABLES[ORDERS]} tables of each of {len(FAMILIES)} kinds, all of {VARIABLES} variables, under "
        f"{len(ARMS)} settings; the learned prior, which takes longer, on the first "
        f"{TABLES[LEARNED]} of them (orderspn {orderspn.__version__}, Python {platform.python_version()})"
    )


def _grid(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values[:-1]) + f" and {values[-1]:g}"


PARTS: dict[str, Callable[[Results], str]] = {
    "measured": what_was_measured,
    "variables": lambda _: str(VARIABLES),
    "short": in_short,
    "scales": lambda _: _grid(SCALES),
    "shares": lambda _: _grid(SHARES),
    "fewest": lambda _: str(FEWEST_PAIRS),
    "own": own_table,
    "own verdict": own_verdict,
    "simulated": arms_table(SIMULATED),
    "wrong": arms_table(WRONG),
    "which": which_table,
    "default": which_default,
    "learned": judged_option,
    "every": every_table,
    "left out": left_out,
}
