"""A score that kills the workers that use it, a given number of times: each death leaves a file."""

import os
import signal
import sys

import cloudpickle

from orderspn.scores.bge import BGe

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not know the tests


class DeadlyScore:
    """BGe; in other processes than this one, fatal."""

    standardizes = True

    def __init__(self, folder, deaths=0):
        self.folder, self.deaths = folder, deaths

    def fit(self, data):
        return DeadlyFit(BGe().fit(data), self.folder, self.deaths, os.getpid())


class DeadlyFit:
    """BGe, fitted."""

    def __init__(self, fitted, folder, deaths, parent):
        self.fitted, self.folder, self.deaths, self.parent = fitted, folder, deaths, parent
        self.n_variables = fitted.n_variables

    def log_likelihoods(self, child, candidates, max_parents, always=()):
        if os.getpid() != self.parent:
            for number in range(self.deaths):
                if self._is_first(number):
                    os.kill(os.getpid(), signal.SIGKILL)
        return self.fitted.log_likelihoods(child, candidates, max_parents, always)

    def log_likelihoods_with_one_more(self, child, parents):
        return self.fitted.log_likelihoods_with_one_more(child, parents)

    def settings(self):
        return {"name": "deadly"}

    def _is_first(self, number):
        try:
            os.close(os.open(self.folder / str(number), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True
