"""Squared distances of all pairs of vectors from inner products: `|a|**2 + |b|**2 - 2 a·b`.

The cancellation is that of Higham, "Accuracy and Stability of Numerical Algorithms" (2002), 1.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.value import Value
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.implications import EVERYTHING
from mllint_nan.ir import ops
from mllint_nan.ir.term import Term, behind_views, number_of, walk

_PRODUCTS: Final = ("matmul", "dot", "einsum")
_MULTIPLYING: Final = ops.bits_of(*_PRODUCTS)
_SUMMANDS_MOST: Final = 8
"""How many terms of a sum are looked at."""


class Summand(NamedTuple):
    """A term of a sum, with its factor."""

    factor: float
    term: Term


def distances_of_pairs(term: Term) -> Value | None:
    """The value of squared distances of all pairs of the same vectors, else `None`.

    On the diagonal it is 0, or slightly less by rounding, unless the squared lengths are the
    diagonal of the same products.
    """
    found = _lengths_and_product(term)
    if found is None:
        return None
    zero, (lengths, product) = frozenset({0.0}), found
    if any(part.key == product.key for part in walk(lengths)):
        return Value(EVERYTHING.interval, nan=True, attained=zero)
    least = FORMATS[dtype_of(term)].eps
    return Value(EVERYTHING.interval, nan=True, attained=zero | {-least})


def is_negative_by_rounding(distances: Term) -> bool:
    """Whether squared distances, an epsilon added or not, are negative between equal vectors."""
    value = distances_of_pairs(distances)
    if value is not None:
        return min(value.attained) < 0
    inner = behind_views(distances)
    added = [number_of(part) for part in inner.operands] if inner.operation.name == "add" else []
    if len(added) != 2 or added.count(None) != 1:
        return False
    (epsilon,) = (number for number in added if number is not None)
    is_small = 0 <= epsilon < FORMATS[dtype_of(inner)].eps / 4
    return is_small and is_negative_by_rounding(inner.operands[added.index(None)])


def _lengths_and_product(term: Term) -> tuple[Term, Term] | None:
    """The squared lengths in `n[:, None] + n - 2 * x @ x.T`, and the product, else `None`."""
    summands = [*_summands(term)] if term.inside & _MULTIPLYING else []
    products = [one for one in summands if one.factor < 0]
    lengths = [one for one in summands if one.factor > 0]
    if len(products) != 1 or len(lengths) != 2 or lengths[0].term.key != lengths[1].term.key:
        return None
    vectors = multiplied_by_itself(products[0].term)
    if vectors is None:
        return None
    factors = {one.factor for one in lengths}
    if factors != {-products[0].factor * vectors.factor / 2}:
        return None
    measured = lengths[0].term
    is_of_these = any(part.key == vectors.term.key for part in walk(measured))
    return (measured, products[0].term) if is_of_these else None


def _summands(term: Term) -> Iterator[Summand]:
    """Yield the terms of a sum of sums and differences."""
    pending = [Summand(1.0, term)]
    for _ in range(_SUMMANDS_MOST):
        if not pending:
            break
        factor, part = _scaled(*pending.pop())
        name = part.operation.name
        if name == "add" or name == "sub":
            first, second = part.operands
            pending.append(Summand(factor, first))
            pending.append(Summand(-factor if name == "sub" else factor, second))
        else:
            yield Summand(factor, part)


def _scaled(factor: float, term: Term) -> Summand:
    """A term behind its views, negations and numbers as factors."""
    inner = behind_views(term)
    while inner.operation.name in ("mul", "neg"):
        if inner.operation.name == "neg":
            factor, inner = -factor, behind_views(inner.operands[0])
            continue
        left, right = map(number_of, inner.operands)
        number = right if left is None else left
        if number is None:
            break
        factor, inner = factor * number, behind_views(inner.operands[1 if right is None else 0])
    return Summand(factor, inner)


def multiplied_by_itself(product: Term) -> Summand | None:
    """The vectors of which a term has the inner products of all pairs, and the factor of these."""
    factors = product.operands[-2:]  # an `einsum` with equal subscripts is a sum of products
    if product.operation.name not in _PRODUCTS or len(factors) != 2:
        return None
    left, right = (_scaled(1.0, one) for one in factors)
    is_itself = left.term.key == right.term.key
    return Summand(left.factor * right.factor, left.term) if is_itself else None
