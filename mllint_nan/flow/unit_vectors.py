"""Vectors of length 1 at most, and the inner products of two of them, which are in [-1, 1].

By the inequality of Cauchy and Schwarz: only if nothing is summed but the axis of both vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from mllint_nan.domains.value import TOP, Value
from mllint_nan.flow.einsum import summed_places
from mllint_nan.flow.masks import keeps_all
from mllint_nan.ir.term import CONSTANT, SEQUENCE, Term, constant_of, number_of, peel

_Ask = Callable[[Term], Value]
_SUMMED: Final = (frozenset((-1, 1, 2, 3, None)), frozenset((-2, 0, 1, None)))
"""The axes that may be the last one of an array, and the one before it."""
_TURNING: Final = (("transpose_a", "adjoint_a", "adj_x"), ("transpose_b", "adjoint_b", "adj_y"))
"""The arguments of a product that transpose its first factor, and its second."""
_ORDERS: Final = (None, 1, 2, "fro", "euclidean")
"""The orders of norms that are at least the Euclidean length."""


class Unit(NamedTuple):
    """An array whose vectors along an axis have the length 1 at most."""

    axis: int | None
    """`None` if the array as a whole has: then its vectors are shorter along any axis."""


def unit_of(term: Term, ask: _Ask) -> Unit | None:
    """Whether a term is an array of normalized vectors, and along which axis."""
    inner = peel(term)
    if inner.operation.name == "normalize":
        return _along(inner) if constant_of(inner.settings.get("ord")) in _ORDERS else None
    if inner.operation.name == "div":
        vector, divisor = inner.operands
        return _of_length(vector, divisor, ask)
    if inner.operation.name == "mul":
        for vector, factor in (inner.operands, inner.operands[::-1]):
            if peel(factor).operation.name == "rsqrt":
                return _of_root(vector, peel(factor), ask, frozenset())
    return None


def are_cosines(term: Term, ask: _Ask) -> bool:
    """Whether a sum of products sums only the axis along which both factors are normalized."""
    inner = peel(term)
    if inner.operation.name == "sum":
        product = peel(inner.operands[0])
        if product.operation.name != "mul":
            return False
        axis = number_of(inner.settings.get("axis"))
        units = [unit_of(factor, ask) for factor in product.operands]
        return all(unit is not None and unit.axis in (axis, None) for unit in units)
    if inner.operation.name != "einsum":
        return False
    equation, *operands = inner.operands
    written = constant_of(equation)
    places = summed_places(written) if isinstance(written, str) and len(operands) == 2 else None
    return places is not None and all(
        unit is not None and (unit.axis is None or unit.axis in place)
        for unit, place in zip([unit_of(one, ask) for one in operands], places, strict=True)
    )


def may_be_cosines(product: Term, ask: _Ask) -> bool:
    """Whether a matrix product is of two arrays of unit vectors, and may sum along these.

    It sums the last axis of its first factor, and the one before the last of its second. An axis
    that is counted from the start is taken for that of a matrix, except 1, which may be either.
    """
    found = [_behind_turns(factor) for factor in product.operands]
    units = [unit_of(inner, ask) for inner, _ in found]
    if len(units) != 2 or None in units:
        return False
    axes = [unit.axis for unit in units if unit is not None]
    turns = [
        turns + any(constant_of(product.settings.get(name)) is True for name in names)
        for (_, turns), names in zip(found, _TURNING, strict=True)
    ]
    if axes == [0, 0] and turns == [0, 0]:
        return True  # of two vectors
    return all(axis in _SUMMED[(turns[place] + place) % 2] for place, axis in enumerate(axes))


def counted_as(axis: int, count: int, operands: tuple[Term, ...]) -> int:
    """The number of one of `count` axes: from the end, if operands are normalized along that."""
    units = [unit_of(one, any_sign) for one in operands]
    is_from_end = axis >= 0 and any(
        unit is not None and unit.axis == axis - count for unit in units
    )
    return axis - count if is_from_end else axis


def _behind_turns(factor: Term) -> tuple[Term, int]:
    """What is behind views, and how many of these transpose it."""
    inner, turns = peel(factor), 0
    while inner.operation.kind == "view" and inner.operands:
        turns += inner.operation.name == "transpose"
        inner = peel(inner.operands[0])
    return inner, turns


def any_sign(term: Term) -> Value:
    """Where no range is known yet."""
    return TOP


def _along(term: Term) -> Unit | None:
    axis = term.settings.get("axis")
    if axis is None or (peel(axis).operation is CONSTANT and peel(axis).detail is None):
        return Unit(None)
    number = number_of(axis)
    return Unit(int(number)) if number is not None else None


def _of_length(vector: Term, divisor: Term, ask: _Ask) -> Unit | None:
    """How x / d is normalized, if d is at least the length of x."""
    for length, restored in _lower_bounds(divisor, ask):
        is_norm = length.operation.name == "norm" and (
            constant_of(length.settings.get("ord")) in _ORDERS
        )
        if is_norm and peel(length.operands[0]).key == peel(vector).key:
            return _kept(length, restored)
        found = _of_root(vector, length, ask, restored) if length.operation.name == "sqrt" else None
        if found is not None:
            return found
    return None


def _of_root(vector: Term, root: Term, ask: _Ask, restored: frozenset[int]) -> Unit | None:
    """How x / sqrt(s) is normalized, if s is at least the sum of the squares of x."""
    for total, again in _lower_bounds(root.operands[0], ask):
        squares = peel(total.operands[0]) if total.operation.name == "sum" else total
        is_of_squares = total is not squares and squares.operation.name == "square"
        if is_of_squares and peel(squares.operands[0]).key == peel(vector).key:
            return _kept(total, restored | again)
    return None


def _lower_bounds(term: Term, ask: _Ask) -> Iterator[tuple[Term, frozenset[int]]]:
    """Yield terms that a term is never less than, and the numbers of an axis added since.

    Both p and q for `maximum(p, q)`, and for p + q if neither is below 0.
    """
    pending = [(term, frozenset[int]())]
    while pending:
        inner, added = pending.pop()
        inner = peel(inner)
        yield inner, added
        further = inner.operands[:0]
        if inner.operation.name == "maximum":
            further = inner.operands
        elif inner.operation.name == "clip" and "max" not in inner.settings:
            further = inner.operands[:1]
        elif inner.operation.name == "add" and all(ask(one).lo >= 0 for one in inner.operands):
            further = inner.operands
        elif (numbers := _added_axis(inner)) is not None:
            further, added = inner.operands[:1], added | numbers
        pending += [(one, added) for one in further]


def _kept(reduction: Term, restored: frozenset[int]) -> Unit | None:
    """The axis of a reduction, if its result keeps it or gets it back: the quotient is aligned."""
    unit = _along(reduction)
    is_kept = constant_of(reduction.settings.get("keepdims")) is True
    if unit is None or unit.axis is None or is_kept or unit.axis in restored:
        return unit
    return None


def _added_axis(view: Term) -> frozenset[int] | None:
    """The numbers that the axis may have which a view adds; `None` if it does something else."""
    if view.operation.name == "expand_dims":
        axis = number_of(view.settings.get("axis"))
        return None if axis is None else frozenset((int(axis),))
    if view.operation.name != "subscript":
        return None
    index = peel(view.operands[1])
    parts = [peel(one) for one in index.operands] if index.operation is SEQUENCE else []
    if not parts or not _is_none(parts[-1]) or not all(map(keeps_all, parts[:-1])):
        return None
    return frozenset((-1, len(parts) - 1))


def _is_none(index: Term) -> bool:
    return index.operation is CONSTANT and index.detail is None
