"""Predicates about boxes: sides and areas that nothing keeps from 0."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.masks import is_slice
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
)
from mllint_nan.rulebook.predicates.carried import holds_integers
from mllint_nan.rulebook.predicates.chosen import only_chooses
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    passed_for,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.overflow import is_difference

_SIDES_DEEPEST: Final = 4
_MERGES: Final = frozenset(("round", "floor", "ceil", "clip", "minimum", "maximum"))
"""Operations that map several numbers to one: two corners can become equal."""
_KEEPS_EQUAL: Final = frozenset(("mul", "div", "concat", "stack"))
_FILLS_UP: Final = re.compile(r"(^call |\.)(pad|pad_sequence|padded_batch)$")
_ZEROS: Final = frozenset(("zeros", "zeros_like"))
_CUT: Final = frozenset(("relu", "clip", "maximum"))
_PARTS: Final = re.compile(r"^part |^call (\S+\.)?(unbind|chunk|split|unstack)$")
_DEEPEST: Final = 4


@tells(Zero.SIDE)
def is_aspect_ratio(context: Context, w: Term, h: Term) -> Truth:
    """w and h are the sides of a box: differences of corners, or two entries of one array.

    UNKNOWN for sides that are inputs. NO for exponentials, which training makes small but not 0.
    """
    if context.value(h).can_be(0.0) is Truth.NO or behind_views(h).operation.name == "exp":
        return Truth.NO
    if _is_side(context, w) and _is_side(context, h):
        return Truth.YES
    ends = [behind_views(side).operation for side in (w, h)]
    return Truth.UNKNOWN if all(end in (INPUT, ATTRIBUTE) for end in ends) else Truth.NO


def _is_side(context: Context, side: Term) -> bool:
    """Whether a side is a difference of corners (which calls may pass), or an entry of an array."""
    inner = behind_views(side)
    passed = passed_for(context, inner) if inner.operation is INPUT else []
    if passed:
        return all(_is_between_corners(context, given) for given in passed)
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
    """Whether an index contains a number: `2`, `(..., 2)`, `(slice, slice(2, 3))`."""
    inner = peel(index)
    if inner.operation is SEQUENCE:
        return any(map(_is_by_number, inner.operands))
    if is_slice(inner):
        return any(number_of(bound) is not None for bound in inner.operands)
    return number_of(inner) is not None


@tells(Zero.AREA)
def can_be_empty(context: Context, a: Term) -> Truth:
    """The box with area a can be empty: the code rounds, clips or zero-pads its corners.

    YES also where a visible call passes zeros. UNKNOWN for any other input box: annotated boxes,
    detections and anchors have an area. NO where a condition on the path keeps both sides of the
    overlap above 0: neither box is empty then.
    """
    if context.value(a).can_be(0.0) is Truth.NO or _do_overlap(context):
        return Truth.NO
    inner = behind_views(a)
    if inner.operation.name != "mul":
        return Truth.NO
    is_brought = context.is_brought(a, 0.0)
    if not is_brought and not all(map(_is_extent, inner.operands)):
        return Truth.NO
    if only_chooses(context, context.occurrence.term):
        return Truth.UNKNOWN
    is_evident = is_brought or any(_is_emptied(context, part) for part in inner.operands)
    return known(is_evident).or_(Truth.UNKNOWN)


def _is_emptied(context: Context, extent: Term) -> bool:
    """Whether both corners of a side come from operations that can make different numbers equal."""
    inner = _uncut(extent)
    if inner is None:
        return False
    corners = inner.operands if inner.operation.name == "sub" else (extent,)
    return all(_is_merged(context, corner, _DEEPEST) for corner in corners)


def _is_merged(context: Context, corner: Term, depth: int) -> bool:
    """Whether a corner was rounded or clipped, or is an entry of an array padded with zeros."""
    views = through_views(corner)
    inner = views[-1]
    if any(view.operation.name == "cast" and holds_integers(view) for view in views):
        return True
    if inner.operation.name in _MERGES:
        return True
    if inner.operation is OPAQUE and _FILLS_UP.search(str(inner.detail)):
        return True
    if depth == 0:
        return False
    if inner.operation is INPUT:
        sources = passed_for(context, inner)
    elif inner.operation is OPAQUE and inner.detail == "update":
        return _is_filled_up(inner) or _is_merged(context, inner.operands[0], depth - 1)
    elif inner.operation is OPAQUE and not _PARTS.search(str(inner.detail)):
        return False
    elif inner.operation is CHOICE or inner.operation.name in _KEEPS_EQUAL:
        sources = list(inner.operands)
    else:
        return False
    return any(_is_merged(context, source, depth - 1) for source in sources)


def _is_filled_up(update: Term) -> bool:
    """Whether an array of zeros is written only in part, so that the rest of it stays 0."""
    written = update
    while written.operation is OPAQUE and written.detail == "update":
        written = behind_views(written.operands[0])
    return written.operation.name in _ZEROS


def _do_overlap(context: Context) -> bool:
    """Whether both sides of the overlap are above 0 here, as after an early return."""
    overlap = context.found.terms.get("i")
    if overlap is None:
        return False
    inner = behind_views(overlap)
    return inner.operation.name == "mul" and all(
        context.value(side).lo > 0 for side in inner.operands
    )


def _uncut(side: Term) -> Term | None:
    """A side without the cuts at 0 around it; `None` if it is cut at anything else."""
    inner = behind_views(side)
    for _ in range(_DEEPEST):
        if inner.operation.name not in _CUT:
            break
        least = inner.settings.get("min") if inner.operation.name == "clip" else None
        if inner.operation.name == "clip" and (least is None or number_of(least) != 0):
            return None
        parts = [part for part in inner.operands if number_of(part) != 0]
        if len(parts) != 1:
            return None
        inner = behind_views(parts[0])
    return inner


def _is_extent(term: Term) -> bool:
    """Whether a term is an element of an input, or one minus another, with no number added."""
    inner = _uncut(term)
    if inner is None:
        return False
    if inner.operation.name == "sub":
        return all(map(_is_coordinate, inner.operands))
    return _is_coordinate(inner)


def _is_coordinate(term: Term) -> bool:
    """Whether a term is an input, or one of the parts into which an input is split."""
    inner = behind_views(term)
    if inner.operation.name in _MERGES:
        return any(map(_is_coordinate, inner.operands))
    if inner.operation is not OPAQUE:
        return inner.operation in (INPUT, ATTRIBUTE)
    if inner.detail == "update" or _FILLS_UP.search(str(inner.detail)):
        return True
    if _PARTS.search(str(inner.detail)) is None:
        return False
    split = (part for part in map(peel, inner.operands) if part.operation is not QUALIFIED)
    return any(_is_coordinate(part) for part in split)
