"""Differences of all pairs of rows, `x[:, None] - x[None]`: 0 where a row meets itself."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.value import Value
from mllint_nan.flow.implications import EVERYTHING
from mllint_nan.flow.masks import keeps_all
from mllint_nan.ir.term import SEQUENCE, Term, behind_views, peel

_ADDING_AXES: Final = frozenset(("expand_dims", "reshape", "broadcast", "identity"))
_OF_PAIRS: Final = Value(EVERYTHING.interval, nan=True, attained=frozenset({0.0}))


def of_pairs(left: Term, right: Term) -> Value | None:
    """The value of a difference of all pairs: rows may be alike, and one row is alone with itself.

    Whatever their range is, a row less itself is 0.
    """
    rows = [behind_views(side) for side in (left, right)]
    if rows[0].key != rows[1].key or peel(left).key == peel(right).key:
        return None
    return _OF_PAIRS if keeps_rows(left) and keeps_rows(right) else None


def keeps_rows(part: Term) -> bool:
    """Whether all views of a term keep all rows in place, and add axes at most."""
    inner = peel(part)
    while inner.operation.kind == "view" and inner.operands:
        if inner.operation.name == "subscript":
            index = peel(inner.operands[1])
            parts = index.operands if index.operation is SEQUENCE else (index,)
            if not all(map(keeps_all, parts)):
                return False
        elif inner.operation.name not in _ADDING_AXES:
            return False
        inner = peel(inner.operands[0])
    return True
