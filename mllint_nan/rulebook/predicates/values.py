"""Questions about the values of a term, answered by its abstract value alone: no name counts.

A range is written as an interval, "[0, inf)". An end may be `exp`, the largest number whose
exponential is finite, and that of its negative not subnormal, in the format at hand; `exp2`, the
same for powers of 2; or `tail`, up to which no sigmoid and no softmax rounds to 0 or 1. "[0, inf)
whole" are its whole numbers, and "nonzero" is everything but 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from math import inf, isinf
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.flow.formats import dtype_of
from mllint_nan.ir.term import Term
from mllint_nan.rulebook.predicates.context import Context, known, proof
from mllint_nan.rulebook.predicates.proofs import excludes_zero, is_logarithm_of_share

TAKE_RANGES: Final = frozenset(("lies_in", "is_proved_in"))
"""The predicates whose last argument is a range."""
_WRITTEN: Final = re.compile(r"([\[(])(-?)(\w[\w.-]*), (-?)(\w[\w.-]*)([\])])( whole)?")
_NAMED: Final = {
    "exp": {"float16": 11.0, "bfloat16": 88.0, "float32": 88.0, "float64": 709.0},
    "exp2": {"float16": 15.0, "bfloat16": 126.0, "float32": 126.0, "float64": 1022.0},
    "tail": {"float16": 4.0, "bfloat16": 4.0, "float32": 15.0, "float64": 30.0},
}


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers between two ends, each of which belongs to it or does not."""

    low: float
    high: float
    has_low: bool
    has_high: bool
    is_whole: bool = False
    is_nonzero: bool = False

    def holds(self, value: Value) -> bool:
        """Whether all of the values lie in the range."""
        if self.is_nonzero:
            return value.can_be(0.0) is Truth.NO
        is_above = value.lo >= self.low if self.has_low else value.lo > self.low
        is_below = value.hi <= self.high if self.has_high else value.hi < self.high
        is_one = value.is_constant and value.lo.is_integer()
        return is_above and is_below and (not self.is_whole or value.integer or is_one)


@cache
def range_of(text: str, dtype: str) -> Range:
    """The range that a rule writes as "(-1, 1]", in a format; raises `ValueError`."""
    if text == "nonzero":
        return Range(-inf, inf, has_low=True, has_high=True, is_nonzero=True)
    written = _WRITTEN.fullmatch(text)
    if written is None:
        raise ValueError(f"{text!r} is not a range")
    opening, low_sign, low, high_sign, high, closing, whole = written.groups()
    least, most = _end(low_sign, low, dtype), _end(high_sign, high, dtype)
    # An infinite end keeps nothing out.
    has_low, has_high = opening == "[" or isinf(least), closing == "]" or isinf(most)
    return Range(least, most, has_low, has_high, bool(whole))


def _end(sign: str, text: str, dtype: str) -> float:
    size = _NAMED[text][dtype] if text in _NAMED else float(text)
    return -size if sign else size


def is_within(context: Context, x: Term | None, text: str) -> bool:
    """Whether all values of x lie in a range."""
    if x is None:
        return False
    numbers = range_of(text, dtype_of(x))
    if numbers.holds(context.value(x)):
        return True
    if numbers.is_nonzero:
        return excludes_zero(context, x)
    return numbers.low == -inf and numbers.high >= 0 and is_logarithm_of_share(x)


@proof
def can_be(context: Context, x: Term, number: float) -> Truth:
    """number ∈ γ(x): YES if it is attained."""
    return context.value(x).can_be(float(number))


@proof
def lies_in(context: Context, x: Term | None, numbers: str) -> Truth:
    """All values of x lie in numbers.

    UNKNOWN where nothing proves it.
    """
    return Truth.YES if is_within(context, x, numbers) else Truth.UNKNOWN


@proof
def is_proved_in(context: Context, x: Term | None, numbers: str) -> Truth:
    """All values of x provably lie in numbers.

    NO where nothing proves it: a repair may not rest on it.
    """
    return known(is_within(context, x, numbers))
