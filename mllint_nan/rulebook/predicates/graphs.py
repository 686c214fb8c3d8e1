"""Predicates about graphs: the degrees of nodes, and the matrices that are summed for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.counts import counts_each_of, is_tally
from mllint_nan.flow.masks import mask_of
from mllint_nan.ir.term import (
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
    walk_into,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    made_from,
    passed_for,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.members import Zero

_LOOPS: Final = re.compile(r"self_?loops?|(^|[._])(eye|fill_diag\w*|identity_matrix|set_diag)_?$")
_DIAGONALS: Final = frozenset(("diag", "diagflat", "set_diag", "diags"))
_PRODUCTS: Final = frozenset(("mul", "matmul", "dot", "einsum"))
_FACTORS_MOST: Final = 12
"""How many factors are searched for counts."""


def has_loops(term: Term) -> bool:
    """Whether an edge from each node to itself is added, so that no degree is 0.

    `1 - eye(n)` and `~eye(n)` remove such edges. In a list of edges, they are all numbers of nodes,
    twice.
    """
    parts = walk_into(term, _added)
    return any(_LOOPS.search(called(part)) or _has_every_node(part) for part in parts)


def _has_every_node(row: Term) -> bool:
    """Whether `arange(n)` is put beside other numbers, alone or as both ends of edges."""
    if row.operation.name != "concat":
        return False
    members = [member for part in row.operands for member in _members(behind_views(part))]
    return len(members) > 1 and any(one.operation.name == "arange" for one in members)


def _members(part: Term) -> list[Term]:
    """What a sequence or a `stack` consists of, else the term itself."""
    is_several = part.operation is SEQUENCE or part.operation.name == "stack"
    found = [behind_views(one) for one in part.operands] if is_several else [part]
    return [one for part in found for one in _members(part)] if is_several else found


def _added(inner: Term) -> tuple[Term, ...]:
    if inner.operation.name == "sub":
        return inner.operands[:1]
    return () if inner.operation.name == "logical_not" else inner.children()


def called(term: Term) -> str:
    """The name of the call or the operation that computes a term."""
    if term.operation in (OPAQUE, QUALIFIED):
        return str(term.detail).removeprefix("call ")
    return term.operation.name


@tells(Zero.ROWS)
def scales_what_it_sums(context: Context, result: Term, d: Term) -> Truth:
    """d sums the rows of an input matrix, and the match scales a product of that matrix.

    This turns an adjacency matrix into a mean over neighbours, whatever it is called: the row of a
    node without neighbours sums to 0.
    """
    total = _behind_roots(d)
    is_by_row = total.operation.name == "sum" and number_of(total.settings.get("axis")) is not None
    if not is_by_row or context.value(d).lo > 0 or has_loops(d):
        return Truth.NO
    matrix = behind_views(total.operands[0])
    if not _is_given(matrix) or any(map(has_loops, passed_for(context, matrix))):
        return Truth.NO
    if _is_mean_by_weights(context, result, total, matrix):
        return Truth.NO
    return known(any(_is_of(product, matrix) for product in _products(context, result)))


def _is_given(matrix: Term) -> bool:
    """Whether a term is a parameter, or a part of one, as in `x, adjacency = inputs`."""
    is_part = matrix.operation is OPAQUE and str(matrix.detail).startswith("part ")
    whole = behind_views(matrix.operands[0]) if is_part and matrix.operands else matrix
    return whole.operation is INPUT


@tells(Zero.TALLY)
def is_tally_of_more(context: Context, result: Term, d: Term) -> Truth:
    """d counts by adding ones at indices, possibly scaled, and is also read at other positions.

    If the program sets the number of entries, and not the indices that occur, some entries are 0.
    """
    tally = _tally_scaled(context, d)
    if tally is None or context.value(d).lo > 0 or has_loops(d):
        return Truth.NO
    misses_some = known(_misses_some(context, result, d, tally))
    return misses_some.and_(Truth.UNKNOWN if is_as_long_as_needed(tally) else Truth.YES)


def is_as_long_as_needed(count: Term) -> bool:
    """Whether the largest of the counted indices sets the length: only one left out has none."""
    given = {behind_views(one).key for one in count.operands}
    return any(
        part.operation.name == "max" and behind_views(part.operands[0]).key in given
        for one in count.operands
        for part in walk(one)
    )


def _behind_roots(d: Term) -> Term:
    inner = behind_views(d)
    while inner.operation.name in ("sqrt", "square"):
        inner = behind_views(inner.operands[0])
    return inner


def _tally_scaled(context: Context, d: Term) -> Term | None:
    """The counts of which d is a multiple, a share or a root; else `None`."""
    pending = [d]
    for _ in range(_FACTORS_MOST):
        if not pending:
            break
        inner = _behind_roots(pending.pop())
        if is_tally(inner) or counts_each_of(inner, context.analysis):
            return inner
        if inner.operation.name == "mul":
            pending.extend(inner.operands)
        elif inner.operation.name == "div":
            pending.append(inner.operands[0])
    return None


def _misses_some(context: Context, result: Term, d: Term, tally: Term) -> bool:
    """Whether entries other than the counted ones are read, and no visible call adds self-loops.

    A division of the elements of one class by their number reads none: `x[y == 1] / counts[1]`.
    """
    counted = {peel(part).key for part in tally.operands}
    if any(_selects_by(part, counted) for part in walk(result.operands[0])):
        return False

    def reads_counted(part: Term) -> bool:
        is_read = part.operation.name in ("subscript", "gather")
        return is_read and peel(part.operands[1]).key in counted

    consumers = context.analysis.consumers.get(result.key, ())
    if any(map(reads_counted, through_views(d))) or (
        consumers and all(map(reads_counted, consumers))
    ):
        return False
    inputs = [part for part in walk(tally) if part.operation is INPUT]
    return not any(has_loops(given) for part in inputs for given in passed_for(context, part))


def _selects_by(selection: Term, indices: set[int]) -> bool:
    """Whether a term selects elements by a test of one of these indices."""
    if selection.operation.name not in ("boolean_mask", "subscript"):
        return False
    mask = mask_of(selection.operands[1])
    return mask is not None and any(peel(part).key in indices for part in peel(mask).operands)


def _is_mean_by_weights(context: Context, result: Term, total: Term, matrix: Term) -> bool:
    """Whether one sum divides all rows of a product, or the matrix weighs elements elsewhere.

    This averages the points of a cluster, of which hardly all have the weight 0.
    """
    if result.operation.name != "div":
        return False
    product, divisor = map(behind_views, result.operands)
    if product.operation.name not in ("matmul", "dot") or divisor.key != total.key:
        return False
    is_by_row = constant_of(total.settings.get("keepdims")) is True or any(
        part.operation.kind == "view" for part in through_views(result.operands[1])
    )
    return not is_by_row or any(
        consumer.operation.name == "mul"
        for view in context.analysis.consumers.get(matrix.key, ())
        if view.operation.name in ("expand_dims", "subscript")
        for consumer in context.analysis.consumers.get(view.key, ())
    )


def _products(context: Context, result: Term) -> Iterator[Term]:
    """Yield the possible matrix products: what the result divides, and what is made of it."""
    if result.operation.name == "div" and behind_views(result.operands[0]).operation.name != "mul":
        yield behind_views(result.operands[0])
    yield from (product for _, product in made_from(context, result, _passes))


def _passes(term: Term) -> bool:
    """Whether a term is a product, a view, or a matrix with the operand on its diagonal."""
    is_plain = term.operation.kind == "view" or term.operation.name in _PRODUCTS
    return is_plain or called(term).rpartition(".")[2] in _DIAGONALS


def _is_of(product: Term, matrix: Term) -> bool:
    return product.operation.name in _PRODUCTS and any(
        part.key == matrix.key for operand in product.operands for part in through_views(operand)
    )
