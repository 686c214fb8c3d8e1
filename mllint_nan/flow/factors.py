"""The diagonal of a Cholesky factor, which is positive: the roots of the pivots."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.value import Value
from mllint_nan.flow.masks import is_mask, is_slice, keeps_all
from mllint_nan.ir.term import CONSTANT, OPAQUE, SEQUENCE, Term, number_of, peel

_ROOT: Final = Value(Interval(1e-162, INF), nan=True)
"""The root of the least positive double is greater; NaN for a matrix that has no factor."""
_FACTORS: Final = frozenset(
    f"call {module}.cholesky"
    for module in (
        *("torch", "torch.linalg", "numpy.linalg", "jax.numpy.linalg", "jax.scipy.linalg"),
        *("scipy.linalg", "tensorflow.linalg"),
    )
)
_DIAGONALS: Final = frozenset(
    ("call diagonal", "call torch.diagonal", "call torch.linalg.diagonal")
)
_LAST_AXES: Final = [-2, -1]


def on_diagonal(term: Term) -> Value | None:
    """The value of the diagonal of a Cholesky factor, however it is selected, else `None`."""
    inner = peel(term)
    name = inner.operation.name
    if name == "diagonal":
        is_one = _is_factor(inner.operands[0])
    elif name == "subscript":
        is_one = _is_factor(inner.operands[0]) and _is_place_on_diagonal(inner.operands[1])
    elif inner.operation is OPAQUE and str(inner.detail) in _DIAGONALS:
        is_one = any(map(_is_factor, inner.operands)) and _is_of_last_axes(inner)
    else:
        is_one = False
    return _ROOT if is_one else None


def _is_factor(term: Term) -> bool:
    inner = peel(term)
    return inner.operation.name == "cholesky" or (
        inner.operation is OPAQUE and str(inner.detail) in _FACTORS
    )


def _is_place_on_diagonal(index: Term) -> bool:
    """Whether an index takes the same places of both axes: `factor[..., i, i]`."""
    inner = peel(index)
    if inner.operation is not SEQUENCE or len(inner.operands) < 2:
        return False
    *before, row, column = map(peel, inner.operands)
    is_place = not (is_slice(row) or keeps_all(row) or is_mask(row))
    return is_place and _is_same(row, column) and all(map(keeps_all, before))


def _is_same(row: Term, column: Term) -> bool:
    """Whether two places are one term, or the same `range` written twice."""
    limits = [[peel(part).key for part in place.operands[1:]] for place in (row, column)]
    are_ranges = all(place.detail == "call builtins.range" for place in (row, column))
    return row.key == column.key or (are_ranges and limits[0] == limits[1])


def _is_of_last_axes(call: Term) -> bool:
    """Whether a call asks for the main diagonal of the last two axes, and says no more."""
    given = [peel(part) for part in call.operands]
    numbers = [number_of(part) for part in given if part.operation is CONSTANT]
    return None not in numbers and sorted(filter(None, numbers)) == _LAST_AXES
