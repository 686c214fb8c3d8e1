"""Pixels of images that are scaled to the unit interval: they attain both of its ends."""

from __future__ import annotations

import math
from typing import Final

from mllint_nan.flow.masks import selecting_mask
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import ATTRIBUTE, INPUT, Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context, passed_for, through_views

_BRIGHTEST: Final = 255
"""The largest value of a pixel of 8 bits."""
_ROUNDED: Final = 1e-3
"""How far a written factor may be from the inverse of that, relative to it."""


def are_pixels(context: Context, term: Term) -> bool:
    """Whether this is `images / 255`, where nothing is added to the images, or done to them."""
    inner = behind_views(term)
    if inner.operation.name == "div":
        is_scaled = number_of(inner.operands[1]) == _BRIGHTEST
        return is_scaled and _came_in(context, inner.operands[0])
    if inner.operation.name != "mul":
        return False
    return any(_is_scale(one) and _came_in(context, other) for one, other in _either_way(inner))


def _either_way(product: Term) -> tuple[tuple[Term, Term], ...]:
    left, right = product.operands
    return (left, right), (right, left)


def _is_scale(factor: Term) -> bool:
    number = number_of(factor)
    return number is not None and math.isclose(number * _BRIGHTEST, 1.0, rel_tol=_ROUNDED)


def _came_in(context: Context, images: Term) -> bool:
    """Whether images come from outside: as an argument, a part of one, or an attribute.

    A mean over an image, which a visible call passes, is hardly ever 0, and a mask may have
    selected other pixels.
    """
    if any(selecting_mask(part) is not None for part in through_views(images)):
        return False
    inner = behind_views(images)
    while inner.operation.name == "element" and inner.operands:
        inner = behind_views(inner.operands[0])
    passed = (behind_views(one) for one in passed_for(context, inner))
    is_of_pixels = all(one.operation.kind != "reduction" for one in passed)
    is_number = context.kind(inner) is Kind.NUMBER
    return inner.operation in (INPUT, ATTRIBUTE) and is_of_pixels and not is_number
