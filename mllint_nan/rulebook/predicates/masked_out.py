"""Questions about sums of exponentials of which a mask may leave nothing."""

from __future__ import annotations

from math import inf
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context, known, tells
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.nonfinite import written_as
from mllint_nan.rulebook.predicates.selections import is_mask, leaves_itself_out

_DEEPEST: Final = 8
_UNDERFLOWS: Final = -1e4
"""A number this low, used instead of -inf, has the exponential 0 in every format."""


@tells(Zero.MASKED_SUM)
def sums_up_nothing(context: Context, x: Term) -> Truth:
    """x sums exponentials of which a mask can leave none: a row whose labels are all equal.

    The mask has set the other elements to -inf. Subtracting a maximum does not help: if no element
    counts, all of them are exponentials of -inf, or of NaN.
    """
    return known(_is_of_nothing(context, x, _DEEPEST))


def _is_of_nothing(context: Context, x: Term, depth: int) -> bool:
    inner = behind_views(x)
    if depth == 0:
        return False
    if inner.operation.name == "add":
        parts = [behind_views(part) for part in inner.operands]
        return any(_is_of_nothing(context, part, depth - 1) for part in parts) and all(
            _is_of_nothing(context, part, depth - 1) or _is_left_out(context, part)
            for part in parts
        )
    return inner.operation.name == "sum" and _is_left_out(context, inner.operands[0])


def _is_left_out(context: Context, x: Term) -> bool:
    """Whether x is an exponential of masked values, from which something may be subtracted."""
    inner = behind_views(x)
    if inner.operation.name != "exp":
        return False
    exponent = behind_views(inner.operands[0])
    while exponent.operation.name in ("sub", "div"):
        exponent = behind_views(exponent.operands[0])
    if exponent.operation.name != "where":
        return False
    mask, first, second = exponent.operands
    if _underflows(context, second):
        return _can_be_empty(context, mask, True)
    return _underflows(context, first) and _can_be_empty(context, mask, False)


def _underflows(context: Context, x: Term) -> bool:
    value = context.value(x)
    if written_as(x) == "-inf":
        return True
    return value.hi == -inf or (value.is_constant and value.hi <= _UNDERFLOWS)


def _can_be_empty(context: Context, mask: Term, selects: bool) -> bool:
    """Whether some row of a mask may have no true element, or no false one if not `selects`."""
    inner = behind_views(mask)
    name = inner.operation.name
    if name == "logical_not":
        return _can_be_empty(context, inner.operands[0], not selects)
    if name == "logical_xor" or (name in ("eq", "ne", "sub") and len(inner.operands) == 2):
        for part, other in (inner.operands, inner.operands[::-1]):
            number = number_of(other)
            if number not in (0, 1) or (name == "sub" and part is inner.operands[0]):
                continue
            turns = (number == 0) if name == "eq" else (number == 1)
            return _can_be_empty(context, part, selects != turns)
    if leaves_itself_out(inner):
        return selects
    if name in ("eq", "ne"):
        left, right = map(behind_views, inner.operands)
        if left.key == right.key:  # each element has itself for a partner
            return selects == (name == "ne")
    return is_mask(context, inner) is Truth.YES
