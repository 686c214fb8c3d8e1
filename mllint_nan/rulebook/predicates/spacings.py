"""Distances between neighbours of a row of positions, such as the samples along a ray."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.fixed_positions import bounds_of
from mllint_nan.ir.term import CHOICE, OPAQUE, SEQUENCE, Term, behind_views, peel, walk_into

_RISES: Final = re.compile(r"(^|[._ ])(linspace|arange|sort)$")
"""What makes positions in ascending order."""


def joined(part: Term) -> tuple[Term, ...]:
    """The members of a list, else the term itself."""
    inner = peel(part)
    return inner.operands if inner.operation is SEQUENCE else (part,)


def is_between_neighbours(inner: Term) -> bool:
    """Whether a term is `x[1:] - x[:-1]`, of positions that are made in ascending order.

    Noise that is added to them is taken to be less than their spacing.
    """
    later, earlier = map(peel, inner.operands)
    if later.operation.name != "subscript" or earlier.operation.name != "subscript":
        return False
    base = peel(later.operands[0])
    if base.key != peel(earlier.operands[0]).key:
        return False
    is_spacing = (bounds_of(later), bounds_of(earlier)) == ((1, None, None), (None, -1, None))
    parts = list(walk_into(base, _positions)) if is_spacing else []
    is_known = not any(part.operation is OPAQUE and not _is_ascending(part) for part in parts)
    return is_known and any(map(_is_ascending, parts))


def _positions(term: Term) -> tuple[Term, ...]:
    """What positions are computed from, element by element, up to those that are in order."""
    is_followed = term.operation is CHOICE or term.operation.kind in ("elementwise", "view")
    return term.operands if is_followed and not _is_ascending(term) else ()


def _is_ascending(term: Term) -> bool:
    inner = behind_views(term)
    if inner.operation is OPAQUE and str(inner.detail).startswith("part ") and inner.operands:
        inner = behind_views(inner.operands[0])
    is_call = inner.operation is OPAQUE
    return _RISES.search(str(inner.detail) if is_call else inner.operation.name) is not None
