"""The outcome of a condition, given the arguments of one call."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import CONSTANT, FUNCTION, LAYER, OPAQUE, SEQUENCE, Term, peel

_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
OBJECT: Final = Term(FUNCTION, (), 0, None)
"""Stands for any value that is true and not None, in what `known` returns."""
_SURE_KINDS: Final = frozenset(("elementwise", "comparison", "reduction", "along", "constant"))
"""Operations whose results are never None."""


def decided(test: Term, known: Callable[[Term], Term] = peel) -> Truth:
    """YES or NO where constants, or operands that cannot be None, decide the condition.

    `known` returns the known value of an operand.
    """
    inner = known(test)
    name = str(inner.detail) if inner.operation is OPAQUE else inner.operation.name
    if inner.operation is CONSTANT:
        return _known(bool(inner.detail))
    if inner.operation is FUNCTION:
        return Truth.YES
    if name == "logical_not":
        return decided(inner.operands[0], known).not_()
    if name in ("and", "or"):
        left, right = (decided(one, known) for one in inner.operands)
        return left.and_(right) if name == "and" else left.or_(right)
    if name in _COMPARISONS:
        return _compared(name, *map(known, inner.operands))
    if name in ("is", "is not"):
        answer = _is_same(*map(known, inner.operands))
        return answer if name == "is" else answer.not_()
    if name in ("in", "not in"):
        answer = _is_among(*map(known, inner.operands))
        return answer if name == "in" else answer.not_()
    return Truth.UNKNOWN


def _known(holds: bool) -> Truth:
    return Truth.YES if holds else Truth.NO


def _compared(name: str, left: Term, right: Term) -> Truth:
    if left.operation is not CONSTANT or right.operation is not CONSTANT:
        return Truth.UNKNOWN
    try:
        return _known(bool(_COMPARISONS[name](left.detail, right.detail)))
    except TypeError:
        return Truth.UNKNOWN


def _is_same(left: Term, right: Term) -> Truth:
    """The outcome of `is`; only comparisons with None, True and False are decided."""
    for one, other in ((left, right), (right, left)):
        if one.operation is CONSTANT and (one.detail is None or isinstance(one.detail, bool)):
            if other.operation is CONSTANT:
                return _known(other.detail is one.detail)
            is_another = _is_object(other) and (one.detail is None or not _may_be_truth(other))
            return Truth.NO if is_another else Truth.UNKNOWN
    return Truth.UNKNOWN


def _is_object(term: Term) -> bool:
    """Whether a value is certainly not None."""
    return term.operation in (FUNCTION, LAYER, SEQUENCE) or term.operation.kind in _SURE_KINDS


def _may_be_truth(term: Term) -> bool:
    """Whether a value may be True or False itself: what Python computes, and no framework."""
    return term.operation.kind in _SURE_KINDS and term.framework in (None, "math")


def _is_among(left: Term, right: Term) -> Truth:
    if left.operation is not CONSTANT or right.operation is not SEQUENCE:
        return Truth.UNKNOWN
    answer = Truth.NO
    for element in map(peel, right.operands):
        answer = answer.or_(_compared("eq", left, element))
    return answer
