"""Arrays that are replaced where their sum is 0: `if w.sum() == 0: w = np.ones_like(w)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mllint_nan.domains.value import Value
from mllint_nan.flow.extrema import axis_key
from mllint_nan.ir.term import Fact, Term, number_of, peel

_EQUAL: Final = {"eq": True, "ne": False}


def is_chosen_by_total(chosen: Term, axis: object) -> bool:
    """Whether a term is `where(w.sum() > 0, w, ...)`: if w is taken, its sum is above 0."""
    if chosen.operation.name != "where":
        return False
    condition = peel(chosen.operands[0])
    if condition.operation.name != "gt":
        return False
    total, bound = map(peel, condition.operands)
    least = number_of(bound)
    if total.operation.name != "sum" or axis_key(total) != axis or least is None or least < 0:
        return False
    return peel(total.operands[0]).key == peel(chosen.operands[1]).key


def is_replaced_at_zero(choice: Term, axis: object, ask: Callable[[Term], Value]) -> bool:
    """Whether each option of a choice is above 0, or is taken only where its sum is not 0."""
    return bool(choice.facts) and all(
        ask(option).lo > 0 or any(_shows_total(fact, option, axis) for fact in facts)
        for option, facts in zip(choice.operands, choice.facts, strict=False)
    )


def _shows_total(fact: Fact, summed: Term, axis: object) -> bool:
    """Whether a fact is that the sum of a term is not 0."""
    test, holds = peel(fact.test), fact.holds
    while test.operation.name == "logical_not":
        test, holds = peel(test.operands[0]), not holds
    name = test.operation.name
    if name in _EQUAL:
        sides = [one for one in test.operands if number_of(one) == 0]
        others = [one for one in test.operands if number_of(one) != 0]
        is_told = len(sides) == 1 and holds is not _EQUAL[name]
        return is_told and _is_sum_of(others[0], summed, axis)
    if name == "gt":
        total, bound = test.operands
        least = number_of(bound)
        return holds and least is not None and least >= 0 and _is_sum_of(total, summed, axis)
    return holds and _is_sum_of(test, summed, axis)


def _is_sum_of(total: Term, summed: Term, axis: object) -> bool:
    inner = peel(total)
    is_sum = inner.operation.name == "sum" and axis_key(inner) == axis
    return is_sum and peel(inner.operands[0]).key == peel(summed).key
