"""Equally spaced points, one of which is exactly 0."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.elements import WHOLE_VIEWS
from mllint_nan.flow.fixed_positions import less_own_element
from mllint_nan.flow.masks import keeps_all
from mllint_nan.flow.trained import TRAINED
from mllint_nan.ir.term import CHOICE, INPUT, OPAQUE, SEQUENCE, Term, number_of, peel
from mllint_nan.rulebook.predicates.context import Context, known, passed_for, tells
from mllint_nan.rulebook.predicates.first_points import is_zero_at_end
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.zeros import is_zero_by_operands

_ZERO_AT_ZERO: Final = WHOLE_VIEWS | {
    *("cast", "abs", "square", "sqrt", "neg", "sin", "tan", "tanh", "sinh", "expm1", "log1p"),
    *("relu", "mul", "div", "pow"),
}
_MESH: Final = re.compile(r"^call (\S+\.)?meshgrid$")
_FREQUENCIES: Final = re.compile(r"^call (\S+\.)?r?fftfreq$")
_PART: Final = re.compile(r"^part (\d+)$")
_DEEPEST: Final = 8


@tells(Zero.GRID)
def is_on_grid(context: Context, d: Term) -> Truth:
    """A point of a `linspace`, `arange` or `fftfreq` is 0, or d subtracts one element from all.

    Or d is 0 at the point 0, as `1 - cos(t) ** 2` is, or at the last of them.
    """
    return known(_has_zero(context, d, _DEEPEST) or is_zero_at_end(context, d))


def _has_zero(context: Context, term: Term, depth: int) -> bool:
    inner = peel(term)
    if depth == 0:
        return False

    def has_zero(part: Term) -> bool:
        return _has_zero(context, part, depth - 1)

    if inner.operation.name in ("linspace", "arange"):
        return 0.0 in context.value(inner).attained
    if inner.operation.name == "sub" and less_own_element(inner) is not None:
        return True
    if inner.operation is CHOICE:
        return bool(inner.operands) and all(map(has_zero, inner.operands))
    if inner.operation is INPUT:
        return any(map(has_zero, passed_for(context, inner)))
    if inner.operation is OPAQUE:
        if inner.detail == TRAINED:  # its initial value
            return has_zero(inner.operands[0])
        axis = _axis_of_mesh(inner)
        is_of_frequencies = _FREQUENCIES.search(str(inner.detail)) is not None
        return is_of_frequencies or (axis is not None and has_zero(axis))
    if inner.operation.name == "subscript":
        index = peel(inner.operands[1])
        parts = index.operands if index.operation is SEQUENCE else (index,)
        return all(map(keeps_all, parts)) and has_zero(inner.operands[0])
    if inner.operation.name == "pow" and not (number_of(inner.operands[1]) or 0) > 0:
        return False
    return is_zero_by_operands(inner, _ZERO_AT_ZERO, has_zero)


def _axis_of_mesh(part: Term) -> Term | None:
    """The row that one of the arrays of a `meshgrid` repeats; `None` for any other term."""
    number = _PART.search(str(part.detail))
    call = peel(part.operands[0]) if number is not None and part.operands else None
    if number is None or call is None or not _MESH.search(str(call.detail)):
        return None
    rows = call.operands[1:]
    if len(rows) == 1 and peel(rows[0]).operation is SEQUENCE:
        rows = peel(rows[0]).operands
    place = int(number[1])
    return rows[place] if place < len(rows) else None
