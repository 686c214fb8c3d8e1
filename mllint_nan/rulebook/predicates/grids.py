"""Matrices of all pairs of rows: their values on the diagonal, where both rows are the same."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.interval import NON_NEGATIVE, Interval, corners, point
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.pairs import keeps_rows
from mllint_nan.flow.triangles import is_triangle
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    CHOICE,
    INPUT,
    OPAQUE,
    REFERENCE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, known, made_from, passed_for, tells
from mllint_nan.rulebook.predicates.graphs import has_loops
from mllint_nan.rulebook.predicates.members import Role, Zero

_GRIDS: Final = re.compile(r"^call (\S+\.)?meshgrid$")
_ZERO_AT_ZERO: Final = frozenset(("abs", "square", "sqrt", "sum", "mean", "norm", "div", "neg"))
_OF_PAIRS: Final = frozenset(
    ("exp", "neg", "square", "abs", "sqrt", "pow", "sum", "mean", "prod", "cos", "sin", "div")
)
_ADDING_AXES: Final = frozenset(("expand_dims", "reshape", "transpose", "broadcast", "identity"))
_DEEPEST: Final = 6
_KERNEL_DEEPEST: Final = 14


@tells(Role.PAIRS)
def is_kernel_of_pairs(context: Context, k: Term) -> Truth:
    """k depends on differences of all pairs of rows alone: equal rows give equal rows of k.

    UNKNOWN for x xᵀ, which is regular where the rows of x are independent.
    """
    if has_loops(k):
        return Truth.NO
    if _is_of_pairs_alone(context, k, _KERNEL_DEEPEST):
        return Truth.YES
    inner = behind_views(k)
    is_square = inner.operation.name == "matmul" and (
        behind_views(inner.operands[0]).key == behind_views(inner.operands[1]).key
    )
    return Truth.UNKNOWN if is_square else Truth.NO


def _is_of_pairs_alone(context: Context, term: Term, depth: int) -> bool:
    """Whether all that differs from entry to entry is a difference of two rows of one array."""
    inner = behind_views(term)
    if depth == 0:
        return False

    def is_of_pairs(part: Term) -> bool:
        return _is_of_pairs_alone(context, part, depth - 1)

    def is_number(part: Term) -> bool:
        return number_of(part) is not None or context.kind(part) is Kind.NUMBER

    name, operands = inner.operation.name, inner.operands
    if inner.operation is INPUT:
        return any(map(is_of_pairs, passed_for(context, inner)))
    if inner.operation is CHOICE:
        return bool(operands) and all(map(is_of_pairs, operands))
    if name == "distance":
        return peel(operands[0]).key == peel(operands[1]).key
    if name == "sub" and _is_of_pairs(*operands):
        return True
    if name == "mul":  # by an amplitude, a scale of each feature, or another kernel
        return any(map(is_of_pairs, operands))
    if name in ("add", "sub"):
        of_pairs = [*map(is_of_pairs, operands)]
        others = (part for part, found in zip(operands, of_pairs, strict=True) if not found)
        return any(of_pairs) and all(map(is_number, others))
    return name in _OF_PAIRS and is_of_pairs(operands[0])


def is_positive_on_diagonal(context: Context, w: Term) -> bool:
    """Whether w is a function of the distances of all pairs, and positive where a distance is 0.

    Each row and each column has such an entry: none of them sums to 0 if no entry is negative.
    """
    found = _where_same(context, w, _DEEPEST)
    return found is not None and found.lo > 0


@tells(Zero.DIAGONAL)
def is_zero_on_diagonal(context: Context, d: Term) -> Truth:
    """d is made of the differences of all pairs of rows, and is 0 where a row meets itself.

    UNKNOWN if something is written into the result afterwards, such as 0 on and below the diagonal
    by `triu(x, 1)`, or a caller may select of it.
    """
    if has_loops(d) or not any(_is_of_all_pairs(part) for part in walk(d)):
        return Truth.NO
    result = context.occurrence.term
    uses = context.analysis.consumers.get(result.key, ())
    if context.occurrence.call is not None or any(use.detail == "update" for use in uses):
        return Truth.UNKNOWN
    if any(_leaves_out_diagonal(made) for _, made in made_from(context, result, _keeps_places)):
        return Truth.UNKNOWN
    return known(_where_same(context, d, _DEEPEST) == point(0.0))


def _keeps_places(made: Term) -> bool:
    return made.operation.kind == "elementwise" or made.operation is REFERENCE


def _leaves_out_diagonal(made: Term) -> bool:
    """Whether this is `triu(x, 1)` or `tril(x, -1)`."""
    return is_triangle(made) and peel(made.operands[0]).operation.name == "gt"


def _is_of_all_pairs(difference: Term) -> bool:
    """Whether this is `x[:, None] - x[None]`, by whatever adds the axes, or `cdist(x, x)`."""
    if _are_distances_within(difference):
        return True
    if difference.operation.name != "sub" or not _is_of_pairs(*difference.operands):
        return False
    return all(map(keeps_rows, difference.operands))


def _are_distances_within(term: Term) -> bool:
    """Whether this is `cdist(x, x)`, the distances of all pairs of rows of one matrix."""
    if term.operation.name != "distance" or term.written is None:
        return False
    one, other = map(peel, term.operands)
    return term.written.path.endswith("cdist") and one.key == other.key


def _where_same(context: Context, term: Term, depth: int) -> Interval | None:
    """The range of a term on the diagonal; `None` if it does not depend on pairs."""
    inner = behind_views(term)
    name, operands = inner.operation.name, inner.operands
    if (name == "sub" and _is_of_pairs(*operands)) or _are_distances_within(inner):
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
    """Whether both are the same row of numbers, once along each axis of a matrix."""
    grids = [_grid_of(part) for part in (one, other)]
    if None not in grids and grids[0] == grids[1]:
        return True
    rows = [behind_views(part) for part in (one, other)]
    turned = [peel(part).key != row.key for part, row in zip((one, other), rows, strict=True)]
    return rows[0].key == rows[1].key and any(turned)


def _grid_of(part: Term) -> int | None:
    """The key of the call that made a grid of one row twice, of which this is one axis."""
    inner = behind_views(part)
    if inner.operation is not OPAQUE or inner.detail not in ("part 0", "part 1"):
        return None
    call = peel(inner.operands[0])
    if call.operation is not OPAQUE or not _GRIDS.search(str(call.detail)):
        return None
    rows = [peel(row) for row in call.operands[1:]]
    return call.key if len(rows) > 1 and _are_alike(rows[0], rows[1]) else None


def _are_alike(one: Term, other: Term) -> bool:
    """Whether both are one term, or two calls of one function with the same arguments."""
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
