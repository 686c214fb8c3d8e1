"""Differences of all pairs of rows, `x[:, None] - x[None]`: 0 where a row meets itself.

Elements off the diagonal are 0 only for two rows that are alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mllint_nan.domains.value import Value
from mllint_nan.flow.implications import EVERYTHING
from mllint_nan.flow.inner_products import distances_of_pairs
from mllint_nan.flow.masks import keeps_all
from mllint_nan.ir.term import OPAQUE, SEQUENCE, Term, behind_views, number_of, peel

_ADDING_AXES: Final = frozenset(("expand_dims", "reshape", "broadcast", "identity"))
_KEEPS_PLACES: Final = frozenset(("elementwise", "reduction"))
_KEEPS_ELEMENTS: Final = frozenset(("cast", "identity", "detach"))
_ABOVE_DIAGONAL: Final = ("triu_indices", "tril_indices", "triu_indices_from", "tril_indices_from")
_DEEPEST: Final = 8
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


def off_diagonal(part: Term, ask: Callable[[Term], Value]) -> Value | None:
    """The value of `d[~eye]`, or of `d[i, j]` for indices above the diagonal, for pairs of rows.

    It is not shown that it attains the 0 of the diagonal.
    """
    base, index = part.operands
    if not _leaves_out_diagonal(index) or not is_of_pairs(base):
        return None
    value = ask(base)
    attained, scattered = map(_above_zero, (value.attained, value.scattered))
    return replace(value, attained=attained, scattered=scattered)


def _above_zero(attained: frozenset[float]) -> frozenset[float]:
    """What is attained off the diagonal: on it are 0, and what rounding makes of it."""
    return frozenset(number for number in attained if number > 0)


def _leaves_out_diagonal(index: Term) -> bool:
    inner = behind_views(index)
    if inner.operation.name == "logical_not":
        return behind_views(inner.operands[0]).operation.name == "eye"
    indices = peel(index)
    if indices.operation is SEQUENCE:
        return bool(indices.operands) and all(map(_is_beside_diagonal, indices.operands))
    return _is_beside_diagonal(indices)


def _is_beside_diagonal(indices: Term) -> bool:
    """Whether these are indices of a triangle without its diagonal: `triu_indices(n, k=1)`."""
    inner = peel(indices)
    if inner.operation is OPAQUE and str(inner.detail).startswith("part "):
        inner = peel(inner.operands[0])
    if inner.operation is not OPAQUE or not str(inner.detail).endswith(_ABOVE_DIAGONAL):
        return False
    return len(inner.operands) > 2 and number_of(inner.operands[-1]) not in (None, 0)


def is_of_pairs(term: Term, depth: int = _DEEPEST) -> bool:
    """Whether a term is computed place by place from differences of all pairs."""
    inner = peel(term)
    if inner.operation.name == "sub" and of_pairs(*inner.operands) is not None:
        return True
    if distances_of_pairs(inner) is not None:
        return True
    operation = inner.operation
    if depth == 0 or not (operation.kind in _KEEPS_PLACES or operation.name in _KEEPS_ELEMENTS):
        return False
    return any(is_of_pairs(operand, depth - 1) for operand in inner.operands)
