"""Which questions a case is asked: all of them at the level `all`, else some of them in turn."""

SHARE = {"quick": 7, "test": 3, "all": 1}
"""By level, one of so many is asked."""


def chosen(questions, number, level):
    """Questions to the case of a number: the first that has an answer, and every so many of them all.

    The next case has the next ones, so that many cases are asked about each piece of evidence.
    """
    first = next(name for name, question in questions.items() if question.possible)
    in_turn = [name for place, name in enumerate(questions) if (place + number) % SHARE[level] == 0]
    return {name: questions[name] for name in dict.fromkeys([first, *in_turn])}


def coverage(cases, names, level):
    """The smallest number of cases with an answer under one of the pieces of evidence; from the questions of all."""
    asked = [chosen(questions, number, level) for number, questions in enumerate(cases)]
    return min(sum(name in questions and questions[name].possible for questions in asked) for name in names)
