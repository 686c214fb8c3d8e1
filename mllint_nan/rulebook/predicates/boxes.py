"""Questions about boxes: extents and areas that nothing keeps from 0."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    ATTRIBUTE,
    INPUT,
    OPAQUE,
    QUALIFIED,
    Term,
    behind_views,
    number_of,
    peel,
)
from mllint_nan.rulebook.predicates.context import Context, known, predicate

_CUT: Final = frozenset(("relu", "clip", "maximum"))
_PARTS: Final = re.compile(r"^part |^call (\S+\.)?(unbind|chunk|split|unstack)$")
_DEEPEST: Final = 4


@predicate
def is_overlap(context: Context, i: Term) -> Truth:
    """i is the product of two extents that were cut off at 0: the area that two boxes share."""
    inner = behind_views(i)
    is_product = inner.operation.name == "mul"
    return known(is_product and all(_is_cut(context, part) for part in inner.operands))


@predicate
def can_be_empty(context: Context, a: Term) -> Truth:
    """a is the area of a box as it came in: 0 of one that fills a batch up, or has no width."""
    if context.value(a).can_be(0.0) is Truth.NO:
        return Truth.NO
    inner = behind_views(a)
    is_product = inner.operation.name == "mul"
    return known(is_product and all(_is_extent(part, _DEEPEST) for part in inner.operands))


@predicate
def can_have_no_extent(context: Context, d: Term) -> Truth:
    """d is a width or a height as it came in, or the difference of two coordinates."""
    if context.value(d).can_be(0.0) is Truth.NO:
        return Truth.NO
    return known(_is_extent(d, _DEEPEST))


@predicate
def is_compared_aspect(context: Context, result: Term) -> Truth:
    """The angle whose tangent is the result is subtracted from another one, or the other way."""
    consumers = context.analysis.consumers
    angles = [term for term in consumers.get(result.key, ()) if term.operation.name == "atan"]
    return known(
        any(
            difference.operation.name == "sub"
            and all(behind_views(part).operation.name == "atan" for part in difference.operands)
            for angle in angles
            for difference in consumers.get(angle.key, ())
        )
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
