"""Differences from the bound of a clamp: `1 - clip(x, -1, 1)**2` is 0 wherever that cuts off."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.saved_tensors import saved_as
from mllint_nan.ir.term import OPAQUE, Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context

_CLAMPS: Final = frozenset(("clip", "maximum", "minimum"))
_KEEPS_BOUNDS: Final = frozenset(("square", "sqrt", "abs"))


def is_cut_to_number(context: Context, difference: Term) -> bool:
    """Whether a term subtracts a number from what the code clamps to that number, or vice versa.

    An upper bound that only rounds to the number is reported itself.
    """
    if difference.operation.name != "sub":
        return False
    for part, other in (difference.operands, difference.operands[::-1]):
        number = number_of(other)
        clamp = None if number is None else _clamp_of(context, part)
        if number is None or clamp is None:
            continue
        value = context.value(part)
        if number in value.attained and (
            number == value.lo or (number == value.hi and _is_written(clamp, number))
        ):
            return True
    return False


def _is_written(clamp: Term, number: float) -> bool:
    """Whether the number, or its root, is written as a bound."""
    bounds = (*clamp.operands, *clamp.settings.values())
    return any(bound in (number, number**0.5) for bound in map(number_of, bounds))


def _clamp_of(context: Context, term: Term) -> Term | None:
    """The clamp that a term is, or of which it is the magnitude or square."""
    inner = behind_views(term)
    while True:
        if inner.operation.name in _KEEPS_BOUNDS:
            inner = behind_views(inner.operands[0])
            continue
        is_part = inner.operation is OPAQUE and str(inner.detail).startswith("part ")
        saved = saved_as(inner, context.analysis) if is_part else None
        if saved is None:
            return inner if inner.operation.name in _CLAMPS else None
        inner = behind_views(saved)
