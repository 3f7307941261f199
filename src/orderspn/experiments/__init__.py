"""The experiments of the paper, and of data as it comes, from simulated data to tables and figures."""

from orderspn.experiments.cells import EXPERIMENTS as EXPERIMENTS
from orderspn.experiments.reproduction import Reproduction as Reproduction
from orderspn.experiments.reproduction import reproduce as reproduce

__all__ = ["EXPERIMENTS", "Reproduction", "reproduce"]


def __dir__() -> list[str]:
    return __all__
