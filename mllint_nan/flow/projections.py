"""Products with unit vectors, and with random weights of what is differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mllint_nan.domains.interval import Interval
from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.flow.implications import EVERYTHING
from mllint_nan.flow.unit_vectors import are_cosines, may_be_cosines
from mllint_nan.ir.term import Term, behind_views, peel

_OF_ITSELF: Final = Value(EVERYTHING.interval, nan=True, attained=frozenset({0.0}))
UNIT: Final = Value(Interval(-1.001, 1.001), nan=True)
"""A component of a unit vector, or a cosine."""


def is_random_projection(gradient: Term) -> bool:
    """Whether a gradient is of randomly weighted outputs: 0 only if they depend on nothing."""
    pending = [gradient.operands[0]]
    while pending:
        inner = behind_views(pending.pop())
        if inner.operation.name in ("sum", "mean", "mul"):
            pending.extend(inner.operands)
        elif inner.operation.name == "div":
            pending.append(inner.operands[0])
        elif inner.operation.name in ("normal", "uniform"):
            return True
    return False


def product(term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the range of the inner products of unit vectors, or of a vector with itself.

    The latter is 0 for the zero vector. As it might be a matrix, nothing else is known.
    """
    if term.operation.name == "einsum":
        return UNIT if are_cosines(term, ask) else None
    if may_be_cosines(term, ask):
        return UNIT
    left, right = term.operands
    is_itself = peel(left).key == peel(right).key and ask(left).can_be(0.0) is not Truth.NO
    return _OF_ITSELF if is_itself else None
