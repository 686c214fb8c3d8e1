"""The derivative of an expression where one operand is singular, with a scalar for each tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from mllint_nan.fixing.singular import HIGHEST, SAME, Kept, Singular, exponential, place_of
from mllint_nan.ir.term import CHOICE, REFERENCE, Term

Slope: TypeAlias = float | None
"""A derivative; `None` for a term that does not depend on the operand, whatever the factors."""


class Slopes:
    """Derivatives by one operand, multiplied as in the chain rule: 0 times infinity is NaN."""

    def __init__(self, values: Singular, operand: int, kept_by: Kept) -> None:
        self._values = values
        self._operand = operand
        self._kept_by = kept_by
        self._known: dict[int, Slope] = {}

    def is_finite(self, term: Term) -> bool:
        slope = self.slope(term)
        return slope is None or math.isfinite(slope)

    def slope(self, term: Term) -> Slope:
        if id(term) not in self._known:
            self._known[id(term)] = self._computed(term)
        return self._known[id(term)]

    def _computed(self, term: Term) -> Slope:
        kept = self._kept_by(term)
        if kept is not None:
            return _sum(*(_through(0.5, self.slope(part)) for part in kept))
        if place_of(term) == self._operand:
            return 1.0
        if term.height > HIGHEST:
            return None
        operation = term.operation
        if operation is REFERENCE or (operation.name in SAME and term.operands):
            return self.slope(term.operands[0])
        if operation is CHOICE or operation.name == "where":
            return self._one_of(term)
        return self._by_the_chain_rule(term)

    def _one_of(self, term: Term) -> Slope:
        """Return the slope of an option or branch where it is finite, if there is one."""
        slopes = [self.slope(option) for option in term.operands[-2:]]
        finite = [one for one in slopes if one is None or math.isfinite(one)]
        return (finite or slopes or [None])[0]

    def _by_the_chain_rule(self, term: Term) -> Slope:
        partials = _PARTIALS.get(term.operation.name)
        if partials is None:
            return None
        values = [self._values.value(operand) for operand in term.operands]
        slopes = [self.slope(operand) for operand in term.operands]
        if len(values) != partials.__code__.co_argcount:
            return None
        try:
            factors = partials(*values)
        except (ArithmeticError, ValueError, TypeError):
            return None
        return _sum(*map(_through, factors, slopes))


def _through(factor: float, slope: Slope) -> Slope:
    return None if slope is None else factor * slope


def _sum(*slopes: Slope) -> Slope:
    known = [slope for slope in slopes if slope is not None]
    return sum(known) if known else None


def _over(x: float, y: float) -> float:
    return math.copysign(math.inf, x) if y == 0 else x / y


def _power(x: float, y: float) -> tuple[float, float]:
    if x == 0:
        return (0.0 if y > 1 else 1.0 if y == 1 else math.inf), 0.0
    return y * x ** (y - 1), 0.0


def _sign(x: float) -> tuple[float]:
    return (math.copysign(1.0, x) if x else 0.0,)


_PARTIALS: Final[Mapping[str, Callable[..., tuple[float, ...]]]] = {
    "add": lambda x, y: (1.0, 1.0),
    "sub": lambda x, y: (1.0, -1.0),
    "mul": lambda x, y: (y, x),
    "dot": lambda x, y: (y, x),
    "matmul": lambda x, y: (y, x),
    "div": lambda x, y: (_over(1.0, y), -_over(x, y * y)),
    "pow": _power,
    "neg": lambda x: (-1.0,),
    "abs": _sign,
    "norm": _sign,
    "square": lambda x: (2.0 * x,),
    "sqrt": lambda x: (_over(0.5, math.sqrt(x)),),
    "rsqrt": lambda x: (-_over(0.5, x * math.sqrt(x)),),
    "exp": lambda x: (exponential(x),),
    "log": lambda x: (_over(1.0, x),),
    "log1p": lambda x: (_over(1.0, 1.0 + x),),
    "tanh": lambda x: (1.0 - math.tanh(x) ** 2,),
}
