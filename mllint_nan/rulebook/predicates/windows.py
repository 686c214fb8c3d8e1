"""Windows: masks of the whole-numbered positions that are no farther from a centre than a width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.ir.term import Term, behind_views
from mllint_nan.rulebook.predicates.context import Context

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
