"""Distances between inputs, as in the exponents of kernels and soft assignments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from mllint_nan.flow.rows import rows_added_up
from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views, number_of, peel, signed_factors
from mllint_nan.rulebook.predicates.context import has_inputs, through_views

DEEPEST: Final = 12
_GRIDS: Final = re.compile(r"(^|[._ ])(meshgrid|mgrid|ogrid|range|indices|\w*_grid)$")
_PRODUCTS: Final = frozenset(("matmul", "dot", "mul", "einsum"))
_PARTS_MOST: Final = 48


def are_rows_far(total: Term) -> bool:
    """Whether a total sums rows of a softmax of negative distances: no point may be near a bin.

    Each row has a closest bin, but a bin need not be the closest one of any row.
    """
    rows = rows_added_up(total)
    return rows is not None and distance_sign(rows.operands[0], of_grid=True) < 0


def distance_sign(x: Term, depth: int = DEEPEST, *, of_grid: bool = False) -> int:
    """1 for a distance between inputs, -1 for a negated one, 0 for anything else.

    A distance to a grid counts only if `of_grid`: a grid has a point close to whatever lies in it.
    """
    inner = behind_views(x)
    name, operands = inner.operation.name, inner.operands
    if depth == 0 or not operands:
        return 0
    if name in ("square", "abs", "norm") and _is_between_two(operands[0], depth - 1, of_grid):
        return 1
    if name == "distance":
        return 1
    if name == "neg":
        return -distance_sign(operands[0], depth - 1, of_grid=of_grid)
    if name in ("sum", "mean", "sqrt", "div"):
        return distance_sign(operands[0], depth - 1, of_grid=of_grid)
    if name == "sub" and not _is_least_subtracted(inner):
        return distance_sign(operands[0], depth - 1, of_grid=of_grid) or -distance_sign(
            operands[1], depth - 1, of_grid=of_grid
        )
    form = _form_sign(inner, depth, of_grid) if name in _PRODUCTS else 0
    if form or name != "mul":
        return form
    sign, factors = signed_factors(inner, behind_views)
    if factors and _is_a_square(factors):  # -z * z / 2, written out
        between = (_is_between_two(factor, depth - 1, of_grid) for factor in factors)
        return sign if any(between) else 0
    sign, found = 1, 0
    for part in operands:
        own = distance_sign(part, depth - 1, of_grid=of_grid)
        found, sign = found or own, sign if own else sign * _sign_of_scale(part)
    return sign * found


def _form_sign(product: Term, depth: int, of_grid: bool) -> int:
    """1 for `d.T @ A @ d`, also summed row by row, -1 for a negated one, 0 for anything else."""
    ends = (product.operands[0], product.operands[-1])
    orders = (ends, ends[::-1]) if product.operation.name == "mul" else (ends,)
    for first, last in orders:
        start, end = _leftmost(first), behind_views(last)
        if end.operation is OPAQUE and end.operands:  # the solution of `A x = d`
            end = behind_views(end.operands[-1])
        is_scaled = start.operation.name == "mul"
        sign, factors = signed_factors(start, behind_views) if is_scaled else (1, [start])
        if [one.key for one in factors] == [end.key] and _is_between_two(end, depth - 1, of_grid):
            return sign
    return 0


def _leftmost(product: Term) -> Term:
    """The first factor of `a @ b @ c`."""
    inner = behind_views(product)
    while inner.operation.name in ("matmul", "dot"):
        inner = behind_views(inner.operands[0])
    return inner


def sign_of(factor: Term) -> int:
    """-1 for what is written with a minus, as `-k / 2` is, else 1: scales are positive."""
    inner = behind_views(factor)
    number = number_of(inner)
    if number is not None:
        return -1 if number < 0 else 1
    if inner.operation.name == "neg":
        return -sign_of(inner.operands[0])
    if inner.operation.name in ("mul", "div"):
        return sign_of(inner.operands[0]) * sign_of(inner.operands[1])
    return 1


def _sign_of_scale(factor: Term) -> int:
    """The sign of a number, a quotient or a parameter: that of others may be part of a value."""
    inner = behind_views(factor)
    is_written = number_of(inner) is not None or inner.operation.name == "div"
    if inner.operation.name == "neg":
        is_written = behind_views(inner.operands[0]).operation is INPUT
    return sign_of(inner) if is_written else 1


def _is_least_subtracted(difference: Term) -> bool:
    """Whether the nearest of all distances is subtracted: one of the differences is 0."""
    whole, part = map(behind_views, difference.operands)
    is_end = part.operation.name in ("min", "max")
    return is_end and behind_views(part.operands[0]).key == whole.key


def _is_a_square(factors: Sequence[Term]) -> bool:
    """Whether each factor occurs an even number of times: x * y * x * y is (x * y) squared."""
    return all(count % 2 == 0 for count in Counter(factor.key for factor in factors).values())


def _is_between_two(x: Term, depth: int, of_grid: bool) -> bool:
    """Whether x is a difference with an input, and not of a term with itself or with a grid."""
    inner = behind_views(x)
    if inner.operation.name in ("div", "mul") and depth > 0:
        return any(_is_between_two(part, depth - 1, of_grid) for part in inner.operands)
    if inner.operation.name != "sub":
        return False
    left, right = ({part.key for part in through_views(part)} for part in inner.operands)
    if left & right or not has_inputs(inner):
        return False
    return of_grid or not any(map(_is_grid, _sources(inner)))


def _sources(term: Term) -> Iterator[Term]:
    """Yield the term and what it is made from, without the indices that select elements."""
    pending, seen = [term], set[int]()
    while pending and len(seen) < _PARTS_MOST:
        inner = peel(pending.pop())
        if inner.key not in seen:
            seen.add(inner.key)
            yield inner
            is_view = inner.operation.kind == "view"
            pending.extend(inner.operands[:1] if is_view else inner.operands)


def _is_grid(term: Term) -> bool:
    return term.operation.name in ("arange", "linspace") or (
        term.operation is OPAQUE and _GRIDS.search(str(term.detail)) is not None
    )
