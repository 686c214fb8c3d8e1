"""What an operation is with the arguments of a visible call, beside what it is with any."""

from __future__ import annotations

from itertools import islice
from typing import Final

from mllint_nan.findings import Confidence, Hazard
from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import ATTRIBUTE, CONSTANT, INPUT, Fact, Term, peel, walk
from mllint_nan.rulebook.evidence import WITHOUT_GRADIENT
from mllint_nan.rulebook.rule import Case
from mllint_nan.rulebook.verdict import UNSHOWN, Verdict

_PARTS_MOST: Final = 200
"""How much of a term is searched for a name."""


def stands(known: Verdict, case: Case) -> bool:
    """Whether no call raises a verdict: what keeps it from being likely holds for calls too.

    A likely verdict may have a fix that another case, which spans two functions, lacks. For a
    value, it does not matter that no gradient is taken.
    """
    if known.confidence >= Confidence.LIKELY:
        return known.case is not case
    if case.hazard is Hazard.VALUE and known.reason in WITHOUT_GRADIENT:
        return False
    return known.reason not in (None, UNSHOWN)


def can_hold(analysis: Analysis, facts: tuple[Fact, ...]) -> bool:
    """Whether the flags that calls pass leave all facts possible."""
    for fact in facts:
        flag = peel(fact.test)
        passed = (
            [peel(term) for term, _ in analysis.passed(flag)] if flag.operation is INPUT else ()
        )
        if passed and all(
            term.operation is CONSTANT and bool(term.detail) is not fact.holds for term in passed
        ):
            return False
    return True


def is_epsilon_replaced(at_rest: Term, visited: Term) -> bool:
    """Whether a visible call passes something for what its name alone makes an epsilon."""
    return bool(_epsilons(at_rest) - _epsilons(visited))


def _epsilons(term: Term) -> set[str]:
    """The names of epsilons among the inputs and attributes of a term."""
    named = (
        str(part.detail)
        for part in islice(walk(term), _PARTS_MOST)
        if part.operation in (INPUT, ATTRIBUTE)
    )
    return {name for name in named if is_epsilon_name(name)}
