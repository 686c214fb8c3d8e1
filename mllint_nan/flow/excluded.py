"""Numbers within the range of a term that no element of it equals: `x[x != 0]`."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.elements import WHOLE_VIEWS
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.masks import selecting_mask
from mllint_nan.flow.oracle import Oracle
from mllint_nan.ir.term import CHOICE, OPAQUE, Fact, Term, number_of, peel, walk

_DEEPEST: Final = 6
_MOST: Final = 8


def excluded(term: Term, facts: tuple[Fact, ...], oracle: Oracle) -> tuple[float, ...]:
    """The numbers in the range of a term that none of its elements equals.

    The candidates are 0 and the numbers that occur in the term and in the facts.
    """
    known = oracle.value(term, facts)
    compared = [0.0]
    for part in (term, *(fact.test for fact in facts)):
        numbers = map(number_of, walk(part))
        compared += [float(number) for number in numbers if number is not None]
    within = [number for number in dict.fromkeys(compared) if known.lo < number < known.hi]
    return tuple(
        number for number in within[:_MOST] if _excludes(term, number, facts, oracle, _DEEPEST)
    )


def _excludes(
    term: Term, number: float, facts: tuple[Fact, ...], oracle: Oracle, deepest: int
) -> bool:
    inner = peel(term)
    if oracle.excludes(inner, number, facts):
        return True
    if deepest == 0 or not inner.operands:
        return False

    def part(of: Term, more: tuple[Fact, ...] = ()) -> bool:
        return _excludes(of, number, (*facts, *more), oracle, deepest - 1)

    name = inner.operation.name
    if name in WHOLE_VIEWS:
        return part(inner.operands[0])
    if name in ("boolean_mask", "subscript", "gather"):
        mask = selecting_mask(inner)
        return part(inner.operands[0], () if mask is None else facts_of(mask, True))
    if name == "where":
        condition, first, second = inner.operands
        return part(first, facts_of(condition, True)) and part(second, facts_of(condition, False))
    if inner.operation is OPAQUE and inner.detail == "update" and len(inner.operands) == 3:
        container, written, mask = inner.operands
        return part(container, facts_of(mask, False)) and part(written)
    if inner.operation is CHOICE and inner.detail != "loop" and inner.facts:
        return all(map(part, inner.operands, inner.facts))
    return False
