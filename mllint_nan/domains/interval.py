"""Intervals of extended floats, ordered by inclusion: every operation over-approximates.

Cousot and Cousot, "Static determination of dynamic properties of programs" (ISOP 1976).

>>> Interval(0.0, 1.0).join(Interval(3.0, 4.0))
Interval(lo=0.0, hi=4.0)
>>> Interval(0.0, 1.0).meet(Interval(3.0, 4.0)).is_empty
True
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf, isnan
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Where a bound that keeps moving stops. 0 keeps "non-negative", ±1 keeps "a probability".
_LANDINGS: Final = (-inf, -1.0, 0.0, 1.0, inf)


@dataclass(frozen=True, slots=True)
class Interval:
    """The floats from `lo` to `hi`, both included.  γ([lo, hi]) = {v : lo ≤ v ≤ hi}

    Both zeros are 0; a NaN is in no interval.
    """

    lo: float
    hi: float

    @property
    def is_empty(self) -> bool:
        """γ = ∅"""
        return self.lo > self.hi

    @property
    def is_point(self) -> bool:
        """γ has one element"""
        return self.lo == self.hi

    @property
    def is_finite(self) -> bool:
        """γ ∩ {-inf, inf} = ∅"""
        return self.is_empty or not (isinf(self.lo) or isinf(self.hi))

    def contains(self, value: float) -> bool:
        """value ∈ γ"""
        return self.lo <= value <= self.hi

    def leq(self, other: Interval) -> bool:
        """[a, b] ⊑ [c, d] ⇔ a > b ∨ (c ≤ a ∧ b ≤ d)"""
        return self.lo > self.hi or (other.lo <= self.lo and self.hi <= other.hi)

    def join(self, other: Interval) -> Interval:
        """[a, b] ⊔ [c, d] = [min(a, c), max(b, d)]"""
        return Interval(min(self.lo, other.lo), max(self.hi, other.hi))

    def meet(self, other: Interval) -> Interval:
        """[a, b] ⊓ [c, d] = [max(a, c), min(b, d)], ⊥ if that is empty"""
        lo, hi = max(self.lo, other.lo), min(self.hi, other.hi)
        return Interval(lo, hi) if lo <= hi else BOTTOM

    def widen(self, other: Interval) -> Interval:
        """[a, b] ∇ [c, d]: a bound that moves is moved on to the next of -inf, -1, 0, 1, inf"""
        if self.is_empty or other.is_empty:
            return self.join(other)
        lo, hi = self.lo, self.hi
        if other.lo < lo:
            lo = max(landing for landing in _LANDINGS if landing <= other.lo)
        if other.hi > hi:
            hi = min(landing for landing in _LANDINGS if landing >= other.hi)
        return Interval(lo, hi)

    @property
    def negated(self) -> Interval:
        """-[a, b] = [-b, -a]"""
        return Interval(-self.hi, -self.lo)

    @property
    def mignitude(self) -> float:
        """min |v|"""
        return 0.0 if self.lo <= 0.0 <= self.hi else min(abs(self.lo), abs(self.hi))

    @property
    def magnitude(self) -> float:
        """max |v|"""
        return max(abs(self.lo), abs(self.hi))


INF: Final = inf
TOP: Final = Interval(-inf, inf)
BOTTOM: Final = Interval(inf, -inf)  # neutral in `join` without a special case
UNIT: Final = Interval(0.0, 1.0)
NON_NEGATIVE: Final = Interval(0.0, inf)


def point(number: float) -> Interval:
    """α({number}); ⊥ for a NaN"""
    return BOTTOM if isnan(number) else Interval(number, number)


def hull(numbers: Iterable[float]) -> Interval:
    """α(numbers), without NaN"""
    kept = [number for number in numbers if not isnan(number)]
    return Interval(min(kept), max(kept)) if kept else BOTTOM


def corners(function: Callable[[float, float], float], x: Interval, y: Interval) -> Interval:
    """The range over x × y of a function that is monotone in each argument"""
    return hull(function(p, q) for p in (x.lo, x.hi) for q in (y.lo, y.hi))
