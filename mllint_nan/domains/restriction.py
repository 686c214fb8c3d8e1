"""What a condition leaves of a value: an interval without some single points.

Conditions refine values as in Granger, "Improving the results of static analyses of programs by
local decreasing iterations" (FSTTCS 1992).

>>> from mllint_nan.domains.value import Value
>>> positive = Restriction(Interval(0.0, 8.0), frozenset({0.0}))
>>> positive.of(Value(Interval(-1.0, 2.0), integer=True), "float32").interval
Interval(lo=1.0, hi=2.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from mllint_nan.domains.dtype import round_to, step
from mllint_nan.domains.interval import TOP, Interval
from mllint_nan.domains.value import NOTHING, Value

_WHOLE: Final = 2.0**53
"""Below this bound, adding 1 to an integer gives the next one."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """γ = {v ∈ interval : v ∉ holes} ∪ {NaN : not number}"""

    interval: Interval = TOP
    holes: frozenset[float] = NOTHING
    number: bool = False

    def meet(self, other: Restriction) -> Restriction:
        """γ(a ⊓ b) = γ(a) ∩ γ(b)"""
        return Restriction(
            self.interval.meet(other.interval),
            self.holes | other.holes,
            self.number or other.number,
        )

    def negated(self) -> Restriction:
        """γ(-a) = {-v : v ∈ γ(a)}"""
        span, holes = self.interval, frozenset(-hole for hole in self.holes)
        return Restriction(Interval(-span.hi, -span.lo), holes, self.number)

    def of(self, value: Value, dtype: str) -> Value:
        """The part of `value`, of the format `dtype`, that is admitted; all of it if none is."""
        kept = value.interval.meet(self.interval)
        lo, hi = kept.lo, kept.hi
        holes = self.holes | {0.0} if value.nonzero else self.holes
        if value.integer and kept.is_finite and not kept.is_empty:
            lo, hi = float(math.ceil(lo)), float(math.floor(hi))
        while lo <= hi and lo in holes:
            lo = _next(lo, value.integer, dtype)
        while lo <= hi and hi in holes:
            hi = -_next(-hi, value.integer, dtype)
        if not lo <= hi:
            return value
        left = frozenset(p for p in value.attained if lo <= p <= hi) - holes
        return replace(
            value,
            interval=Interval(lo, hi),
            nan=value.nan and not self.number,
            attained=left,
            scattered=value.scattered & left,
            nonzero=lo < 0.0 < hi and 0.0 in holes,
        )


def joint(restrictions: Sequence[Restriction]) -> Restriction:
    """The meet of one or more restrictions"""
    if len(restrictions) == 1:
        return restrictions[0]
    return Restriction(
        reduce(Interval.meet, [one.interval for one in restrictions]),
        NOTHING.union(*[one.holes for one in restrictions]),
        any(one.number for one in restrictions),
    )


def _next(bound: float, integer: bool, dtype: str) -> float:
    """The least member of the format, or integer, that is above `bound`"""
    if bound == math.inf:
        return math.nan
    if integer and abs(bound) < _WHOLE:
        return bound + 1.0
    member = round_to(bound, dtype)
    return member if member > bound else step(member, dtype, 1)
