"""Choices that leave small magnitudes to the other branch: 0 is among them."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import ATTRIBUTE, INPUT, Term, behind_views, peel, walk

_MAGNITUDES: Final = ("abs", "square")


def is_left_to_other_branch(
    where: Term, singular: Term, comparison: Term, side: Term, x: Term
) -> bool:
    """Whether `where` selects an operation on a magnitude x above some bound, whatever it is.

    If the bound is above 0, the operation is differentiated at 0 but not selected there; if not,
    the operation is selected even at 0. Roots of magnitudes are found wherever they stand.
    """
    if peel(singular).operation.name == "sqrt":
        return False
    magnitude = behind_views(x)
    while magnitude.operation.name == "div":  # by what makes 1 of the largest
        magnitude = behind_views(magnitude.operands[0])
    if magnitude.operation.name not in _MAGNITUDES or not _is_of_arguments(magnitude):
        return False
    if where.operation.name != "where" or peel(where.operands[0]).key != comparison.key:
        return False
    within = [singular.key in (part.key for part in walk(b)) for b in where.operands[1:]]
    if comparison.operation.name not in ("gt", "ge") or within[0] == within[1]:
        return False
    return within[0] == (side.key == comparison.operands[0].key)


def _is_of_arguments(term: Term) -> bool:
    """Whether a term is made of arguments, and not of an object's settings alone."""
    pending, seen = [term], set[int]()
    while pending:
        inner = peel(pending.pop())
        if inner.operation is INPUT:
            return True
        if inner.key not in seen and inner.operation is not ATTRIBUTE:
            seen.add(inner.key)
            pending += inner.operands
    return False
