"""Totals and counts that a loop adds up from 0, and in which no round need add anything."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import CHOICE, CONSTANT, Fact, Term, behind_views, number_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context, through_views
from mllint_nan.rulebook.predicates.found import finds
from mllint_nan.rulebook.predicates.tables import joined_choices

_ZEROS: Final = ("zeros", "zeros_like")
_ARRAYS: Final = (*_ZEROS, "cast")
_CARRIED: Final = ("loop", "exit")
_FINITE: Final = frozenset(("isnan", "isinf", "isfinite"))
_SIZES: Final = ("size", "shape")
_PRESENCE: Final = ("is", "is not", "in", "not in")
_RANGE: Final = "call builtins.range"


def add_up_nothing(context: Context, b: Term, d: Term) -> bool:
    """Whether b and d are totals of the same loops, both 0 if no round adds to d: 0 / 0.

    One of them is an array from the start: Python's own 0 / 0 raises an exception.
    """
    above, below = behind_views(b), behind_views(d)
    if above.operation is not CHOICE or below.operation is not CHOICE:
        return False
    starts = [*_starts(above), *_starts(below)]
    is_array = any(_is_array(one) for one in (b, d, *starts))
    return is_array and _is_total(above) and _is_count(context, below)


def _is_array(term: Term) -> bool:
    return any(part.operation.name in _ARRAYS for part in through_views(term))


def _starts(total: Term) -> list[Term]:
    """The values with which a total begins: neither carried on nor added to."""
    return [
        option
        for choice in joined_choices(total)
        for option in choice.operands
        if peel(option).operation is not CHOICE and not _is_step(option)
    ]


def _is_step(option: Term) -> bool:
    """Whether an option adds to what is carried."""
    inner = peel(option)
    return inner.operation.name == "add" and any(
        peel(part).operation is CHOICE and peel(part).detail in _CARRIED for part in inner.operands
    )


def _is_total(total: Term) -> bool:
    """Whether a loop adds up a total, from 0."""
    starts = _starts(total)
    is_carried = any(choice.detail == "exit" for choice in joined_choices(total))
    return is_carried and bool(starts) and all(map(_is_zero, starts))


def _is_zero(start: Term) -> bool:
    inner = behind_views(start)
    return inner.operation.name in _ZEROS or (inner.operation is CONSTANT and number_of(inner) == 0)


def _is_count(context: Context, count: Term) -> bool:
    """Whether a total adds numbers of elements that may be 0, or adds only under a condition."""
    if not _is_total(count) or not context.value(count).integer:
        return False
    steps = [
        (choice, option, choice.facts[place] if place < len(choice.facts) else ())
        for choice in joined_choices(count)
        for place, option in enumerate(choice.operands)
        if _is_step(option)
    ]
    return bool(steps) and all(_may_add_none(context, *step) for step in steps)


def _may_add_none(context: Context, choice: Term, step: Term, facts: tuple[Fact, ...]) -> bool:
    added = [part for part in peel(step).operands if peel(part).operation is not CHOICE]
    if added and all(context.value(part).can_be(0.0) is Truth.YES for part in added):
        return True
    is_skipped = any(peel(one).operation is CHOICE for one in choice.operands)
    is_of_path = choice.detail not in _CARRIED and is_skipped
    return is_of_path and any(map(_is_of_data, facts))


def _is_of_data(fact: Fact) -> bool:
    """Whether a condition compares data, or looks an element up elsewhere.

    Not counters or sizes, or whether something is finite or there at all.
    """
    if finds(fact):
        return True
    test = peel(fact.test)
    names = {part.operation.name for part in walk(test)} | {str(test.detail)}
    if not names.isdisjoint(_FINITE) or not names.isdisjoint(_PRESENCE):
        return False
    if test.operation.name not in ("eq", "ne", "gt", "ge", "lt", "le", "any"):
        return False
    if any(behind_views(operand).operation.name in _SIZES for operand in test.operands):
        return False
    return any(_is_datum(operand) for operand in test.operands)


def _is_datum(operand: Term) -> bool:
    """Whether an operand is read from data: an element or a measure of some, not a counter."""
    inner = peel(operand)
    parts = list(walk(inner))
    is_counter = inner.operation.name == "element" and any(p.detail == _RANGE for p in parts)
    is_read = any(p.operation.name in ("subscript", "element", "boolean_mask") for p in parts)
    return is_read and not is_counter
