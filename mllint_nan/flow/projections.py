"""Products with unit vectors, and with draws that weigh what is differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mllint_nan.domains.interval import Interval
from mllint_nan.domains.value import Value
from mllint_nan.ir.term import Term, behind_views

UNIT: Final = Value(Interval(-1.001, 1.001), nan=True)
"""A component of a unit vector, or a cosine."""


def is_random_projection(gradient: Term) -> bool:
    """The gradient of outputs that were weighed by a draw: 0 only if they depend on nothing."""
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
    """The inner products of unit vectors lie in [-1, 1]."""
    are_units = all(behind_views(one).operation.name == "normalize" for one in term.operands)
    return UNIT if are_units else None
