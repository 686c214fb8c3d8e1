"""Questions about boxes: sides and areas that nothing keeps from 0."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
)
from mllint_nan.rulebook.predicates.chosen import only_chooses
from mllint_nan.rulebook.predicates.context import Context, tells, through_views
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.overflow import is_difference

_SIDES_DEEPEST: Final = 4
_CUT: Final = frozenset(("relu", "clip", "maximum"))
_PARTS: Final = re.compile(r"^part |^call (\S+\.)?(unbind|chunk|split|unstack)$")
_DEEPEST: Final = 4


@tells(Zero.SIDE)
def is_aspect_ratio(context: Context, w: Term, h: Term) -> Truth:
    """w and h are the sides of a box: differences of corners, or two entries of one array.

    UNKNOWN of what comes in as such from outside.
    """
    if context.value(h).can_be(0.0) is Truth.NO:
        return Truth.NO
    if _is_side(context, w) and _is_side(context, h):
        return Truth.YES
    ends = [behind_views(side).operation for side in (w, h)]
    return Truth.UNKNOWN if all(end in (INPUT, ATTRIBUTE) for end in ends) else Truth.NO


def _is_side(context: Context, side: Term) -> bool:
    """The distance of two corners, or an entry of an array of boxes."""
    return _is_between_corners(context, side) or _entry_of(side) is not None


def _is_between_corners(context: Context, side: Term) -> bool:
    inner = behind_views(side)
    if inner.operation.name != "sub" or is_difference(context, inner) is not Truth.YES:
        return False
    return all(_entry_of(corner) is not None for corner in inner.operands)


def _entry_of(term: Term) -> int | None:
    """The key of the array of which a term is one entry along an axis: `x[..., 2]`, `a, b = x`."""
    for part in through_views(term)[:_SIDES_DEEPEST]:
        if part.operation.name == "subscript" and _is_by_number(part.operands[1]):
            return peel(part.operands[0]).key
        if part.operation is OPAQUE and str(part.detail).startswith("part "):
            return peel(part.operands[0]).key
    return None


def _is_by_number(index: Term) -> bool:
    """An index that holds a number: `2`, `(..., 2)`, `(slice, slice(2, 3))`."""
    inner = peel(index)
    if inner.operation is SEQUENCE:
        return any(map(_is_by_number, inner.operands))
    if inner.operation is OPAQUE and inner.detail == "slice":
        return any(peel(bound).operation is CONSTANT for bound in inner.operands)
    return number_of(inner) is not None


@tells(Zero.AREA)
def can_be_empty(context: Context, a: Term) -> Truth:
    """a is the area of a box as it came in: 0 of one that fills a batch up, or has no width.

    UNKNOWN where the overlaps only decide which boxes belong together. NO where a condition on the
    path keeps both sides of the overlap above 0: neither box is empty then.
    """
    if context.value(a).can_be(0.0) is Truth.NO or _do_overlap(context):
        return Truth.NO
    inner = behind_views(a)
    is_product = inner.operation.name == "mul"
    if not (is_product and all(_is_extent(part, _DEEPEST) for part in inner.operands)):
        return Truth.NO
    return Truth.UNKNOWN if only_chooses(context, context.occurrence.term) else Truth.YES


def _do_overlap(context: Context) -> bool:
    """Both sides of the overlap are above 0 here, as a return before it sees to."""
    overlap = context.found.terms.get("i")
    if overlap is None:
        return False
    inner = behind_views(overlap)
    return inner.operation.name == "mul" and all(
        context.value(side).lo > 0 for side in inner.operands
    )


def _is_cut(context: Context, term: Term) -> bool:
    inner = behind_views(term)
    return inner.operation.name in _CUT and context.value(inner).lo == 0.0


def _is_extent(term: Term, depth: int) -> bool:
    """An element of what came in, or one minus another, with no number added."""
    inner = behind_views(term)
    if inner.operation.name in _CUT and depth > 0:
        parts = [part for part in inner.operands if number_of(part) != 0]
        return len(parts) == 1 and _is_extent(parts[0], depth - 1)
    if inner.operation.name == "sub":
        return all(map(_is_coordinate, inner.operands))
    return _is_coordinate(inner)


def _is_coordinate(term: Term) -> bool:
    """What came in, or one of the parts into which that was split."""
    inner = behind_views(term)
    if inner.operation is not OPAQUE:
        return inner.operation in (INPUT, ATTRIBUTE)
    if _PARTS.search(str(inner.detail)) is None:
        return False
    split = (part for part in map(peel, inner.operands) if part.operation is not QUALIFIED)
    return any(_is_coordinate(part) for part in split)
