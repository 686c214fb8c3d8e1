"""Tables of each with each: what they hold where both are the same, on their diagonal."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.interval import NON_NEGATIVE, Interval, corners, point
from mllint_nan.ir.term import OPAQUE, Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.context import Context

_GRIDS: Final = re.compile(r"^call (\S+\.)?meshgrid$")
_ZERO_AT_ZERO: Final = frozenset(("abs", "square", "sqrt", "sum", "mean", "div", "neg"))
_DEEPEST: Final = 6


def is_positive_on_diagonal(context: Context, w: Term) -> bool:
    """w is a function of the distances of all to all, and positive where a distance is 0.

    Each row and each column has one such: none of them adds up to 0 if none is negative.
    """
    found = _where_same(context, w, _DEEPEST)
    return found is not None and found.lo > 0


def _where_same(context: Context, term: Term, depth: int) -> Interval | None:
    """The range of a term on the diagonal; `None` if it has nothing to do with one."""
    inner = behind_views(term)
    name, operands = inner.operation.name, inner.operands
    if name == "sub" and _is_of_pairs(*operands):
        return point(0.0)
    if depth == 0 or not operands or inner.operation is OPAQUE:
        return None
    parts = [_where_same(context, one, depth - 1) for one in operands]
    if all(one is None for one in parts):
        return None
    first, *others = (
        found if found is not None else context.value(one).interval
        for found, one in zip(parts, operands, strict=True)
    )
    if first == point(0.0) and name in _ZERO_AT_ZERO:
        return first
    if first == point(0.0) and name == "exp":
        return point(1.0)
    if name in ("abs", "square"):
        return NON_NEGATIVE
    if name == "neg":
        return first.negated
    if name == "add":
        return corners(lambda p, q: p + q, first, others[0])
    if name == "sub":
        return corners(lambda p, q: p - q, first, others[0])
    if name == "mul" and point(0.0) in (first, others[0]):
        return point(0.0)
    if name == "maximum":
        return Interval(max(first.lo, others[0].lo), max(first.hi, others[0].hi))
    if name == "relu" or (name == "clip" and number_of(inner.settings.get("min")) == 0):
        return first
    return None


def _is_of_pairs(one: Term, other: Term) -> bool:
    """Both are the same row of numbers, once along each axis of a table."""
    grids = [_grid_of(part) for part in (one, other)]
    if None not in grids and grids[0] == grids[1]:
        return True
    rows = [behind_views(part) for part in (one, other)]
    turned = [peel(part).key != row.key for part, row in zip((one, other), rows, strict=True)]
    return rows[0].key == rows[1].key and any(turned)


def _grid_of(part: Term) -> int | None:
    """The key of the call that made a grid of the same row twice, of which this is one axis."""
    inner = behind_views(part)
    if inner.operation is not OPAQUE or inner.detail not in ("part 0", "part 1"):
        return None
    call = peel(inner.operands[0])
    if call.operation is not OPAQUE or not _GRIDS.search(str(call.detail)):
        return None
    rows = [peel(row) for row in call.operands[1:]]
    return call.key if len(rows) > 1 and _are_alike(rows[0], rows[1]) else None


def _are_alike(one: Term, other: Term) -> bool:
    """One term, or two calls of one function that are given the same."""
    if one.key == other.key:
        return True
    names = set(one.settings) | set(other.settings)
    pairs = [*zip(one.operands, other.operands, strict=False)]
    pairs += [(one.settings[name], other.settings[name]) for name in one.settings]
    return (
        one.operation is other.operation
        and one.detail == other.detail
        and len(one.operands) == len(other.operands)
        and names == set(one.settings) == set(other.settings)
        and bool(pairs)
        and all(_are_alike(peel(p), peel(q)) for p, q in pairs)
    )
