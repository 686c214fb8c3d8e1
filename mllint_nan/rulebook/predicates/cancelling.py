"""Differences that round to 0 where the exact difference is not 0."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import FUNCTION, OPAQUE, Term, behind_views, number_of, peel

_CUTS: Final = frozenset(("clip", "maximum", "relu", "minimum"))


def cancels(logarithm: Term) -> bool:
    """Whether a logarithm takes the difference of one function at two points, clipped or not.

    Where both values round to one number, the operand is 0, while the exact difference has a finite
    logarithm.
    """
    inner = behind_views(logarithm.operands[0]) if logarithm.operands else logarithm
    while inner.operation.name in _CUTS:
        parts = [part for part in inner.operands if number_of(part) is None]
        if not parts:
            return False
        inner = behind_views(parts[0])
    if inner.operation.name != "sub":
        return False
    left, right = map(behind_views, inner.operands)
    return (
        left.key != right.key
        and _function(left) is not None
        and _function(left) == _function(right)
    )


def _function(value: Term) -> object:
    """The function that computes a value: an operation or a callee; `None` for anything else."""
    if value.operation is OPAQUE:
        if not str(value.detail).startswith("call") or not value.operands:
            return None
        callee = peel(value.operands[0])
        return callee.key if callee.operation is FUNCTION else str(value.detail)
    is_elementwise = value.operation.kind == "elementwise"
    is_arithmetic = value.operation.name in ("add", "sub", "mul", "div", "neg", "where")
    return value.operation.name if is_elementwise and not is_arithmetic else None
