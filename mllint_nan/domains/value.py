"""Abstract floats: an over-approximation of the values, and evidence of single ones.

The interval and `nan` over-approximate: what they exclude cannot happen. `attained` and `free`
under-approximate: what they hold can happen. Neither ever answers for the other.

Over-approximation: Cousot and Cousot, "Abstract interpretation" (POPL 1977). Under-approximation as
evidence: O'Hearn, "Incorrectness logic" (POPL 2020).

>>> relu = Value(Interval(0.0, inf), attained=frozenset({0.0}))
>>> relu.can_be(0.0), relu.can_be(1.0), relu.can_be(-1.0)
(<Truth.YES: 'yes'>, <Truth.UNKNOWN: 'unknown'>, <Truth.NO: 'no'>)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isinf, isnan
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains.dtype import FORMATS, is_float
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.truth import Truth

NOTHING: Final[frozenset[float]] = frozenset()
# The attained points that survive widening: finitely many, so that it terminates.
_LASTING: Final = frozenset({-inf, -1.0, 0.0, 1.0, inf})


@dataclass(frozen=True, slots=True)
class Value:
    """γ = {v ∈ interval : integer ⇒ v ∈ ℤ ∪ {±inf}, nonzero ⇒ v ≠ 0} ∪ {NaN : nan}

    `nan`        may be NaN although every unknown and every free input is a number.
    `attained`   points of the interval that some input admitted by the program yields exactly.
    `integer`    every finite element is an integer.
    `dtype`      the format or integer type, None if the source does not show one.
    `free`       every finite element of the interval is admitted, as far as the program shows.
    `scattered`  attained points that not every element of a tensor has at once (softmax has a 0,
                 but is not all 0).
    `nonzero`    no element is 0, although the interval contains it.
    """

    interval: Interval = intervals.TOP
    nan: bool = False
    attained: frozenset[float] = NOTHING
    integer: bool = False
    dtype: str | None = None
    free: bool = False
    scattered: frozenset[float] = NOTHING
    nonzero: bool = False

    @property
    def lo(self) -> float:
        """inf γ"""
        return self.interval.lo

    @property
    def hi(self) -> float:
        """sup γ"""
        return self.interval.hi

    @property
    def together(self) -> frozenset[float]:
        """Attained points that every element of a tensor can have at once."""
        return self.attained - self.scattered if self.scattered else self.attained

    @property
    def excludes_zero(self) -> bool:
        """0 ∉ γ"""
        return self.nonzero or not self.interval.contains(0.0)

    @property
    def is_bottom(self) -> bool:
        """γ = ∅: the term is never evaluated."""
        return self.interval.is_empty and not self.nan

    @property
    def is_constant(self) -> bool:
        """γ has one element, which is a number."""
        return self.interval.is_point and not self.nan

    def contains(self, number: float) -> bool:
        """number ∈ γ"""
        if isnan(number):
            return self.nan
        if number == 0.0 and self.nonzero:
            return False
        return self.interval.contains(number) and not (self.integer and _is_fraction(number))

    # Questions that rules ask.

    def can_be(self, number: float) -> Truth:
        """number ∈ γ: YES by evidence, NO by the interval"""
        if isnan(number):
            return self.can_be_nan()
        if not self.contains(number):
            return Truth.NO
        return _known(number in self.attained or self.is_constant)

    def can_be_nan(self) -> Truth:
        """NaN ∈ γ"""
        if not self.nan:
            return Truth.NO
        return _known(self.interval.is_empty)

    def can_exceed(self, bound: float) -> Truth:
        """∃v ∈ γ: v > bound"""
        if self.interval.is_empty or self.hi <= bound:
            return Truth.NO
        return _known(self._is_above(bound) or any(point > bound for point in self.attained))

    def can_be_below(self, bound: float) -> Truth:
        """∃v ∈ γ: v < bound"""
        if self.interval.is_empty or self.lo >= bound:
            return Truth.NO
        return _known(self._is_below(bound) or any(point < bound for point in self.attained))

    def can_be_negative(self) -> Truth:
        """∃v ∈ γ: v < 0"""
        return self.can_be_below(0.0)

    def can_be_positive(self) -> Truth:
        """∃v ∈ γ: v > 0"""
        return self.can_exceed(0.0)

    def can_be_infinite(self) -> Truth:
        """γ ∩ {-inf, inf} ≠ ∅"""
        return self.can_be(inf).or_(self.can_be(-inf))

    def _is_above(self, bound: float) -> bool:
        return self.lo > bound and not self.nan

    def _is_below(self, bound: float) -> bool:
        return self.hi < bound and not self.nan

    # The lattice. `free` is a claim about the interval and is not part of the order.

    def leq(self, other: Value) -> bool:
        """a ⊑ b ⇔ γ(a) ⊆ γ(b), and b has the evidence of a"""
        return self.is_bottom or (
            self.interval.leq(other.interval)
            and self.nan <= other.nan
            and self.attained <= other.attained
            and self.together <= other.together
            and self.integer >= other.integer
            and (self.excludes_zero or not other.nonzero)
            and other.dtype in (self.dtype, None)
        )

    def join(self, other: Value) -> Value:
        """γ(a ⊔ b) ⊇ γ(a) ∪ γ(b); each branch is taken, so evidence adds up"""
        if self == other or other.is_bottom:
            return self
        if self.is_bottom:
            return other
        return _combined(self, other, self.interval.join(other.interval))

    def widen(self, other: Value) -> Value:
        """a ∇ b ⊒ a ⊔ b, and no chain a ∇ b ∇ c … rises for ever"""
        if self == other or other.is_bottom:
            return self
        if self.is_bottom:
            return other
        wide = _combined(self, other, self.interval.widen(other.interval))
        kept = self.attained | (wide.attained & _LASTING)
        together = self.together | (wide.together & _LASTING)
        free = wide.free and wide.interval == self.interval.join(other.interval)
        return replace(wide, attained=kept, scattered=kept - together, free=free)

    def meet(self, other: Value) -> Value:
        """γ(a ⊓ b) = γ(a) ∩ γ(b); evidence that lies in the meet is kept"""
        interval = self.interval.meet(other.interval)
        nan = self.nan and other.nan
        if interval.is_empty and not nan:
            return BOTTOM
        attained = frozenset(filter(interval.contains, self.attained | other.attained))
        if self.nonzero or other.nonzero:
            attained -= {0.0}
        return Value(
            interval,
            nan,
            attained,
            self.integer or other.integer,
            _narrower(self.dtype, other.dtype),
            self.free or other.free,
            attained - (self.together | other.together),
            (self.nonzero or other.nonzero) and interval.contains(0.0),
        )

    def restrict(self, interval: Interval) -> Value:
        """γ = γ(a) ∩ interval, without NaN: what passes a guard that holds"""
        return self.meet(Value(interval))


def _known(evident: bool) -> Truth:
    return Truth.YES if evident else Truth.UNKNOWN


def _is_fraction(number: float) -> bool:
    return not isinf(number) and number != int(number)


def _narrower(first: str | None, second: str | None) -> str | None:
    """The one that is known; None if they contradict each other."""
    if first is None or second is None:
        return first or second
    return first if first == second else None


def _fills(first: Value, second: Value) -> bool:
    """Whether both together admit every finite element of the joined interval"""
    if first.free and second.free:
        return max(first.lo, second.lo) <= min(first.hi, second.hi)
    if first.free:
        return second.interval.leq(first.interval)
    return second.free and first.interval.leq(second.interval)


def _combined(first: Value, second: Value, interval: Interval) -> Value:
    attained = first.attained | second.attained
    return Value(
        interval,
        first.nan or second.nan,
        attained,
        first.integer and second.integer,
        first.dtype if first.dtype == second.dtype else None,
        _fills(first, second),
        attained - (first.together | second.together),
        interval.contains(0.0) and first.excludes_zero and second.excludes_zero,
    )


TOP: Final = Value()  # an unknown number: nothing excluded, nothing evident
BOTTOM: Final = Value(intervals.BOTTOM, integer=True)


def constant(number: float, dtype: str | None = None) -> Value:
    """α({number}), attained"""
    if isnan(number):
        return Value(intervals.BOTTOM, nan=True, dtype=dtype)
    integer = not _is_fraction(number)
    return Value(intervals.point(number), False, frozenset({number + 0.0}), integer, dtype)


def free(dtype: str | None = None) -> Value:
    """An unconstrained tensor: any finite number may occur, none by evidence"""
    largest = FORMATS[dtype if is_float(dtype) else "float64"].max
    return Value(Interval(-largest, largest), dtype=dtype, free=True)
