"""Windows: masks of positions near a centre, and weights that fade with the distance from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.ir.term import Term, behind_views, number_of, walk
from mllint_nan.rulebook.predicates.context import Context

_CUTS: Final = frozenset(("clip", "relu", "maximum"))
_POSITIONS: Final = frozenset(("arange", "linspace"))
_AT_LEAST: Final = frozenset(("ge", "gt"))
_AT_MOST: Final = frozenset(("le", "lt"))


def is_window(context: Context, mask: Term) -> bool:
    """Whether a mask is `(-width <= position) & (position <= width)`, which holds at the centre.

    The width is a whole number, so these are positions in a sequence, and no measurements.
    """
    inner = behind_views(mask)
    if inner.operation.name != "logical_and":
        return False
    bounds = [bound for side in inner.operands for bound in _bounds(side)]
    return any(
        below.operation.name == "neg"
        and behind_views(below.operands[0]).key == width.key
        and inside.key == position.key
        and context.value(width).integer
        for inside, below in bounds
        for width, position in bounds
    )


def _bounds(side: Term) -> Iterator[tuple[Term, Term]]:
    """Yield the greater and the less of what a mask compares."""
    compared = behind_views(side)
    name = compared.operation.name
    if name in _AT_LEAST | _AT_MOST:
        first, second = map(behind_views, compared.operands)
        yield (first, second) if name in _AT_LEAST else (second, first)


def is_hat(weights: Term) -> bool:
    """Whether weights are `relu(1 - |position - centre|)` on a grid, as for interpolation.

    They are all 0 only if the centre is outside of the grid.
    """
    cut = behind_views(weights)
    height = behind_views(cut.operands[0]) if cut.operation.name in _CUTS else cut
    if height.operation.name != "sub" or number_of(height.operands[0]) is None:
        return False
    return any(
        part.operation.name == "sub" and any(map(_is_grid, part.operands))
        for distance in walk(height.operands[1])
        if distance.operation.name == "abs"
        for part in walk(distance)
    )


def _is_grid(positions: Term) -> bool:
    """Whether these are evenly spaced positions, all shifted alike or not."""
    inner = behind_views(positions)
    if inner.operation.name == "add":
        return any(map(_is_grid, inner.operands)) and None not in map(number_of, inner.operands[1:])
    return inner.operation.name in _POSITIONS
