"""Maxima and minima over elements, terms shifted by one, and masks of elements that attain one."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.elements import behind_shapes
from mllint_nan.ir.term import CHOICE, OPAQUE, REFERENCE, Term, number_of, peel, walk

_MIRRORED: Final = {"max": "min", "min": "max"}
_MEETS: Final = {"eq": ("max", "min"), "ge": ("max",), "le": ("min",)}
"""By comparison of elements with their own extremum: the extrema for which one of them passes."""


def extremum_of(term: Term, subject: Term) -> Term | None:
    """The maximum or minimum over elements of `subject` that `term` is, in any shape."""
    inner = peel(term)
    while inner.operation.kind == "view" and inner.operands:
        inner = peel(inner.operands[0])
    if inner.operation.name not in ("max", "min"):
        return None
    return inner if behind_shapes(inner.operands[0]).key == behind_shapes(subject).key else None


def met_by(mask: Term) -> Term | None:
    """The maximum or minimum in a mask such as `x == max(x)`, where at least one element is 1."""
    inner = peel(mask)
    while inner.operation.name in ("cast", "identity", "collect"):
        inner = peel(inner.operands[0])
    if inner.operation.name == "where" and [*map(number_of, inner.operands[1:])] == [1, 0]:
        return met_by(inner.operands[0])
    if inner.operation.name not in _MEETS:
        return None
    for subject, other in (inner.operands, inner.operands[::-1]):
        extremum = extremum_of(other, subject)
        if extremum is not None:
            is_greater = subject is inner.operands[0]
            name = extremum.operation.name if is_greater else _MIRRORED[extremum.operation.name]
            return extremum if name in _MEETS[inner.operation.name] else None
    return None


def shift_of(term: Term, depth: int = 4) -> Term | None:
    """The maximum in `x - max(x)`, scaled or not: its largest element is 0."""
    inner = peel(term)
    name = inner.operation.name
    if name == "sub":
        found = extremum_of(inner.operands[1], inner.operands[0])
        return found if found is not None and found.operation.name == "max" else None
    if depth == 0 or name not in ("div", "mul", "identity", "cast"):
        return None
    scaled = inner.operands if name == "mul" else inner.operands[:1]
    shifts = (shift_of(operand, depth - 1) for operand in scaled)
    return next((shift for shift in shifts if shift is not None), None)


def is_shift(term: Term) -> bool:
    """Whether a term is a difference from some maximum, scaled or not, on at least one path.

    Of what it is the maximum cannot always be shown, but that one is subtracted shows that the
    author has thought of overflow.
    """
    inner = peel(term)
    if inner.operation is CHOICE:
        return any(is_shift(option) for option in inner.operands)
    if inner.operation.name in ("mul", "div"):
        return any(is_shift(operand) for operand in inner.operands)
    if inner.operation.kind == "view" and inner.operands:
        return is_shift(inner.operands[0])
    if inner.operation.name in ("add", "where"):
        return any(is_shift(operand) for operand in inner.operands)
    if inner.operation.name == "sub":
        subtracted = inner.operands[1]
        if subtracted.operation is REFERENCE and "max" in str(subtracted.detail).lower():
            return True  # found by comparing, one after the other
        return is_shift(inner.operands[0]) or any(
            part.operation.name in ("max", "maximum", "argmax", "logsumexp", "log_softmax")
            or (part.operation is OPAQUE and "max" in str(part.detail).lower())
            for part in walk(inner.operands[1])
        )
    return False


def axis_key(term: Term) -> int | None:
    """The key of the axis along which a term is computed; None: all of them, or unknown."""
    axis = term.settings.get("axis")
    return axis.key if axis is not None else None
