"""One posterior, one piece of evidence, and whether anything is left under it."""

import pytest

import orderspn as osp
from helpers.cases import both


class Question:
    def __init__(self, case, given, indices):
        """`given` as the posterior takes it, and the same as pairs of indices for the brute force."""
        self.posterior = both(case).posterior
        self.weights = both(case).weights
        self.modular = both(case).modular
        self.given, self.indices = given, indices
        self.prior_brute = both(case).brute
        self.brute = self.prior_brute.given(*indices)

    @property
    def possible(self):
        return len(self.brute.log_weight) > 0

    def ask(self, query, *args, **options):
        """The answer under the evidence; None if, as it should, the posterior refuses impossible evidence."""
        if self.possible:
            return getattr(self.posterior, query)(*args, given=self.given, **options)
        with pytest.raises(osp.ImpossibleEvidence, match="cannot condition on"):
            getattr(self.posterior, query)(*args, given=self.given, **options)
        return None


def question_fixture(cases, evidences, few, make):
    """A fixture for every case and piece of evidence; a few also exercise the kernels."""
    params = [
        pytest.param((c, e), id=f"{c}: {e}", marks=[pytest.mark.kernels] if e in few else [])
        for c in cases
        for e in evidences
    ]

    @pytest.fixture(params=params)
    def question(request):
        return make(*request.param)

    return question
