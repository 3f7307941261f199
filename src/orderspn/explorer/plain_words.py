"""How far answers can be relied on, in plain words: what is exact, what is sampled, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orderspn.posterior import Posterior

NOTICEABLE = 0.01
"""Share of the probability that is worth a sentence if it is left out."""


def plain_words(posterior: Posterior) -> list[str]:
    """Return sentences about how answers of this posterior come about.

    Examples
    --------
    >>> import orderspn as osp
    >>> plain_words(osp.learn(osp.load_asia().data))[0]
    'All graphs are summed over: probabilities are exact, given the data, the model and the prior.'
    """
    lines = dict(posterior.model.lines())
    return [*_origin(posterior, lines), *_agreement(posterior), *_left_out(posterior), *_model()]


def _origin(posterior: Posterior, lines: dict[str, str]) -> list[str]:
    if "ancestors" in lines:
        return [f"{lines['ancestors']}; answers are shares of these."]
    method = posterior.settings.get("method")
    if method == "exact":
        return ["All graphs are summed over: probabilities are exact, given the data, the model and the prior."]
    if method == "trust":
        accuracy = f" Probabilities of edges are {lines['accuracy']}." if "accuracy" in lines else ""
        return [f"Sampled orders stand for all orders; answers are exact for those that are covered.{accuracy}"]
    if method == "gadget":
        return ["Answers are shares of sampled graphs: graphs that were never drawn count as impossible."]
    if method == "dibs":
        return ["Answers are weighted shares of a few graphs: they show less uncertainty than there is."]
    return ["A mixture of several posteriors: answers are their weighted means."]


def _agreement(posterior: Posterior) -> list[str]:
    """Say whether independent searches agree, if there were some."""
    diagnostics = posterior.settings.get("diagnostics") or {}
    rhat, limit = diagnostics.get("rhat_edges"), diagnostics.get("rhat_limit")
    if not isinstance(rhat, float) or not isinstance(limit, float):
        return []
    if rhat <= limit:
        return [f"Independent searches agree (R-hat of edges {rhat:.3f})."]
    return [
        f"Independent searches do not agree (R-hat of edges {rhat:.3f}): another seed may give other answers. Learn "
        "again with more effort."
    ]


def _left_out(posterior: Posterior) -> list[str]:
    lost = posterior.settings.get("lost_share")
    if not isinstance(lost, float) or lost < NOTICEABLE:
        return []
    return [
        f"About {100 * lost:.1f}% of the probability belongs to parent sets that were left out, because each variable "
        "has a limited number of candidate causes."
    ]


def _model() -> list[str]:
    return ["All of it assumes that there are no hidden common causes and no feedback."]
