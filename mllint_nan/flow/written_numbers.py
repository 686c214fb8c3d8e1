"""Numbers that a program writes out and passes to calls."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import CONSTANT, SEQUENCE, Term, behind_views, number_of, peel

_COMPUTED_DEEPEST: Final = 3


def holds_zero(term: Term) -> bool:
    """Whether a term is a written-out array of numbers with a 0 in it, or a float 0."""
    inner = behind_views(term)
    if inner.operation is SEQUENCE:
        return any(map(holds_zero, inner.operands))
    is_number = inner.operation is CONSTANT and type(inner.detail) in (int, float)
    is_array = inner.framework is not None or type(inner.detail) is float
    return is_number and is_array and inner.detail == 0


def holds_numbers(term: Term, depth: int = _COMPUTED_DEEPEST) -> bool:
    """Whether a term is, or is computed from, an array of numbers that is written out."""
    inner = behind_views(term)
    if inner.operation is SEQUENCE:
        return peel(term).framework is not None and is_made_of_numbers(inner, 0)
    is_computed = depth > 0 and inner.operation.kind == "elementwise"
    return is_computed and any(holds_numbers(one, depth - 1) for one in inner.operands)


def is_made_of_numbers(term: Term, depth: int = _COMPUTED_DEEPEST) -> bool:
    """Whether all that a value is made of is written out: numbers, and lists of any depth."""
    inner = behind_views(term)
    if inner.operation is SEQUENCE:
        return bool(inner.operands) and all(is_made_of_numbers(one, 0) for one in inner.operands)
    if depth > 0 and inner.operation.kind == "elementwise":
        return all(is_made_of_numbers(one, depth - 1) for one in inner.operands)
    return number_of(inner) is not None
