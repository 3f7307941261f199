"""Local scores of families: marginal likelihoods and priors over parent sets."""

from orderspn.scores.bdeu import BDeu, FittedBDeu
from orderspn.scores.beta_binomial import BetaBinomial
from orderspn.scores.bge import BGe, FittedBGe
from orderspn.scores.bic import BIC, FittedBIC
from orderspn.scores.choosing import fit_score
from orderspn.scores.family_scores import family_scores
from orderspn.scores.group_bge import FittedGroupBGe, GroupBGe
from orderspn.scores.local import LocalScore
from orderspn.scores.registry import register
from orderspn.scores.structure_prior import log_prior_by_size

__all__ = [
    "BIC",
    "BDeu",
    "BGe",
    "BetaBinomial",
    "FittedBDeu",
    "FittedBGe",
    "FittedBIC",
    "FittedGroupBGe",
    "GroupBGe",
    "LocalScore",
    "family_scores",
    "fit_score",
    "log_prior_by_size",
    "register",
]


def __dir__() -> list[str]:
    return __all__
