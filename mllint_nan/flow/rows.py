"""Rows of a softmax, each normalized on its own: their sum can be 0 in any one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mllint_nan.domains.interval import NON_NEGATIVE, Interval
from mllint_nan.domains.value import Value
from mllint_nan.ir.term import SEQUENCE, Term, constant_of, number_of, peel

_KEEP_ELEMENTS: Final = frozenset(("identity", "cast", "detach"))
_ZEROS: Final = frozenset({0.0})
_ENDS: Final = frozenset({0.0, 1.0})
_SHARES: Final = Value(Interval(0.0, 1.01), nan=True, attained=_ENDS, scattered=_ENDS)


def rows_added_up(total: Term) -> Term | None:
    """The softmax whose rows a sum or mean adds up, along other axes than its own.

    Axes that are counted from different ends may be the same one. That is likely with `keepdims`,
    which serves to divide a row by its own sum; without it, the result would be a constant.
    """
    if total.operation.name not in ("sum", "mean"):
        return None
    rows = peel(total.operands[0])
    while rows.operation.name in _KEEP_ELEMENTS:
        rows = peel(rows.operands[0])
    if rows.operation.name != "softmax":
        return None
    own, along = _axes(rows), _axes(total)
    if len(own) != 1 or not along or None in own | along or own <= along:
        return None
    is_counted_alike = len({number < 0 for number in own | along if number is not None}) == 1
    keeps_axes = total.settings.get("keepdims")
    is_left_out = keeps_axes is None or constant_of(keeps_axes) is False
    return rows if is_counted_alike or is_left_out else None


def is_share_so_far(running: Term) -> bool:
    """Whether a term is `cumsum(softmax(z))` along the softmax's axis: cumulative probabilities."""
    if running.operation.name != "cumsum":
        return False
    rows = peel(running.operands[0])
    while rows.operation.name in _KEEP_ELEMENTS:
        rows = peel(rows.operands[0])
    own = _axes(rows) if rows.operation.name == "softmax" else frozenset()
    return len(own) == 1 and None not in own and own == _axes(running)


def share_so_far(running: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of cumulative probabilities: 1, or slightly more by rounding, at the end."""
    return _SHARES if is_share_so_far(running) else None


def _axes(term: Term) -> frozenset[int | float | None]:
    """The axes along which a term is computed, None for one that is not written as a number."""
    axis = term.settings.get("axis")
    if axis is None:
        return frozenset()
    listed = peel(axis)
    parts = listed.operands if listed.operation is SEQUENCE else (listed,)
    return frozenset(map(number_of, parts))


def across_rows(total: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of a sum over rows: 0 only in some places, as each row adds up to 1."""
    rows = rows_added_up(total)
    if rows is None or 0.0 not in ask(rows).attained:
        return None
    return Value(NON_NEGATIVE, nan=True, attained=_ZEROS, scattered=_ZEROS)
