"""Posteriors under evidence: what is asked, and the brute force to compare with."""

from functools import cached_property

import numpy as np
import pytest

import orderspn as osp
from helpers.evidence import as_pairs

REFUSED = "cannot condition on"


class Question:
    """One posterior, one piece of evidence, and whether anything is left under it."""

    def __init__(self, both, given, indices):
        """`given` as the posterior takes it, and the same as pairs of indices for the brute force."""
        self.posterior, self.prior_brute, self.weights = both.posterior, both.brute, both.weights
        self.modular = both.modular
        self.given, self.indices = given, indices

    @cached_property
    def brute(self):
        return self.prior_brute.given(*self.indices)

    @property
    def possible(self):
        return len(self.brute.log_weight) > 0

    def expected(self, event):
        """The probability of an event that is written with all words apart."""
        return self.brute.probability(*as_pairs(event, self.posterior.variables))

    def ask(self, query, *args, **options):
        """The answer under the evidence."""
        return getattr(self.posterior, query)(*args, given=self.given, **options)


def possible(questions):
    return {name: question for name, question in questions.items() if question.possible}


def check_refusals(questions, queries):
    """Evidence that leaves nothing has probability 0, and is refused as a condition: the first by every query."""
    impossible = {name: question for name, question in questions.items() if not question.possible}
    for number, (name, question) in enumerate(impossible.items()):
        try:
            assert question.posterior.probability(question.given) == 0.0
            assert question.posterior.log_probability(question.given) == -np.inf
            with pytest.raises(osp.ImpossibleEvidence, match=REFUSED):
                question.posterior.given(question.given)
            for query, arguments in queries.items() if number == 0 else ():
                with pytest.raises(osp.ImpossibleEvidence, match=REFUSED):
                    question.ask(query, *arguments)
        except BaseException as failure:
            failure.add_note(f"evidence: {name}, which leaves nothing")
            raise
