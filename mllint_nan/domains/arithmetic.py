"""Arithmetic of two operands: sums, products, quotients and powers by the corners of the box.

Division by an interval that contains 0 follows IEEE 1788-2015, "Standard for Interval Arithmetic";
which NaNs can arise follows IEEE 754-2019, clause 7.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf, nan
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains import reals
from mllint_nan.domains.bounds import (
    images,
    made,
    may_vanish,
    outward,
    pointwise,
    rounded_bounds,
    sign_cap,
)
from mllint_nan.domains.call import ZERO, Call, Row
from mllint_nan.domains.interval import NON_NEGATIVE, Interval
from mllint_nan.domains.monotone import monotone
from mllint_nan.domains.value import NOTHING, Value


def neg_row(call: Call) -> Value:
    """[a, b] ↦ [-b, -a]"""
    x = call.x
    attained, together = images(lambda point: 0.0 - point, x)
    return Value(
        x.interval.negated,
        x.nan,
        attained,
        x.integer,
        x.dtype,
        x.free,
        attained - together,
        x.nonzero,
    )


def _sum_of(x: float, y: float, otherwise: float) -> float:
    total = x + y
    return otherwise if math.isnan(total) else total


def _add(call: Call) -> Value:
    """[a, b] + [c, d] = [a + c, b + d]; NaN if inf can meet -inf"""
    return _plus(call, call.hull(call.y), lambda x, y: x + y)


def sub_row(call: Call) -> Value:
    """[a, b] - [c, d] = [a - d, b - c]; NaN if inf can meet inf"""
    y = call.hull(call.y)
    return _plus(call, y.negated, lambda x, y: x - y)


def _plus(call: Call, y: Interval, function: Callable[[float, float], float]) -> Value:
    x = call.hull(call.x)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    clash = (x.contains(inf) and y.contains(-inf)) or (x.contains(-inf) and y.contains(inf))
    integer = call.x.integer and call.y.integer
    interval = rounded_bounds(call, _sum_of(x.lo, y.lo, -inf), _sum_of(x.hi, y.hi, inf), integer)
    attained, together = pointwise(call, function)
    return made(
        call,
        interval,
        nan=call.nan or clash,
        attained=attained,
        together=together,
        integer=integer,
    )


def mul_row(call: Call) -> Value:
    """The hull of the corner products; NaN if 0 can meet ±inf"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    clash = _clashes(x, y)
    products = intervals.corners(reals.times, x, y)
    integer = call.x.integer and call.y.integer
    attained, together = pointwise(call, lambda p, q: p * q)
    for one, other in ((call.x, y), (call.y, x)):
        if other.is_finite:  # 0 · v = 0
            attained |= ZERO & one.attained
            together |= ZERO & one.together
    return made(
        call,
        rounded_bounds(call, products.lo, products.hi, integer),
        nan=call.nan or clash,
        attained=attained,
        together=together,
        integer=integer,
    )


def _clashes(x: Interval, y: Interval) -> bool:
    """Whether 0 · inf is possible"""
    return (x.contains(0.0) and not y.is_finite) or (y.contains(0.0) and not x.is_finite)


def _div(call: Call) -> Value:
    """The hull of the corner quotients, ⊤ if 0 is among the divisors; NaN at 0/0 and inf/inf"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    vanishes = y.contains(0.0)
    clash = (vanishes and x.contains(0.0)) or not (x.is_finite or y.is_finite)
    interval = intervals.TOP if vanishes else intervals.corners(reals.quotient, x, y)
    attained, together = pointwise(call, _signed_quotient(call.y.interval))
    if not vanishes:  # 0 / v = 0
        attained |= ZERO & call.x.attained
        together |= ZERO & call.x.together
    return made(
        call,
        Interval(call.round(interval.lo), call.round(interval.hi)),
        nan=call.nan or clash,
        attained=attained,
        together=together,
    )


def _signed_quotient(divisors: Interval) -> Callable[[float, float], float]:
    """x / y; a divisor of 0 has the sign of the divisors it bounds; NaN if it lies inside them"""

    def quotient(x: float, y: float) -> float:
        if y != 0.0 or x == 0.0:
            return reals.quotient(x, y) if y != 0.0 else nan
        if divisors.lo == 0.0:
            return math.copysign(inf, x)
        return math.copysign(inf, -x) if divisors.hi == 0.0 else nan

    return quotient


def _floordiv(call: Call) -> Value:
    """⌊x / y⌋; NaN also for ±inf divided by anything"""
    quotient = _div(call)
    x, y = call.hull(call.x), call.hull(call.y)
    interval = quotient.interval
    if not interval.is_empty:
        near = outward(call, interval.lo, interval.hi, 2)
        same_sign = (x.lo >= 0.0 and y.lo > 0.0) or (x.hi <= 0.0 and y.hi < 0.0)
        interval = Interval(
            max(reals.floor(near.lo), 0.0 if same_sign else -inf), reals.floor(near.hi)
        )
    attained, together = pointwise(call, lambda p, q: p // q if q and math.isfinite(p) else nan)
    return made(
        call,
        interval,
        nan=quotient.nan or not x.is_finite,
        attained=attained,
        together=together,
        integer=True,
    )


def _mod(call: Call) -> Value:
    """0 ≤ x mod y ≤ y, or y ≤ x mod y ≤ 0; NaN for y = 0 or an infinite x"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    may_be_nan = call.nan or y.contains(0.0) or not x.is_finite
    interval = Interval(min(y.lo, 0.0), max(y.hi, 0.0))
    if y.lo > 0.0 and x.lo >= 0.0:
        interval = Interval(0.0, min(interval.hi, x.hi))
    attained, together = pointwise(
        call, lambda p, q: p % q if q and math.isfinite(p) and math.isfinite(q) else nan
    )
    return made(
        call,
        interval,
        nan=may_be_nan,
        attained=attained,
        together=together,
        integer=call.x.integer and call.y.integer,
        free=False,
    )


def _pow(call: Call) -> Value:
    """x^y by the kind of exponent; ⊤ for an unknown one if the base may be negative"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    if call.y.is_constant and y.lo == y.hi:  # the exponent as it is, and as the format rounds it
        interval, clash = _constant_power(call, x, call.y.lo)
    else:
        interval, clash = _general_power(x, y), x.lo < 0.0
    attained, together = pointwise(call, _signed_power(call.x.interval))
    if may_vanish(call.x) and call.y.is_constant and y.lo > 0.0 and y.lo % 2.0 == 0.0:
        attained, together = attained | ZERO, together | ZERO
    integer = call.x.integer and call.y.integer and y.lo >= 0.0
    exact = call.y.is_constant and call.y.lo in (0.0, 1.0)
    bounds = rounded_bounds(call, interval.lo, interval.hi, integer)
    if not exact:
        bounds = outward(call, interval.lo, interval.hi).join(bounds).meet(_power_cap(interval))
    return made(
        call,
        bounds,
        nan=call.nan or clash,
        attained=attained,
        together=together,
        integer=integer,
    )


def _power_cap(interval: Interval) -> Interval:
    """The bounds that rounding does not cross: 0, and an exact 1"""
    lo = interval.lo if interval.lo in (0.0, 1.0) else 0.0 if interval.lo > 0.0 else -inf
    hi = interval.hi if interval.hi in (0.0, 1.0) else 0.0 if interval.hi < 0.0 else inf
    return Interval(lo, hi)


def _general_power(x: Interval, y: Interval) -> Interval:
    """The corners for x ≥ 0: monotone in x and in y; x^0 = 1 and (-0)^-1 = -inf"""
    if x.lo < 0.0 or (x.lo == 0.0 and y.lo <= -1.0):
        return intervals.TOP
    corners = intervals.corners(reals.power, x, y)
    return corners.join(intervals.point(1.0)) if y.contains(0.0) else corners


def _constant_power(call: Call, x: Interval, exponent: float) -> tuple[Interval, bool]:
    """The range of x^exponent, and whether a NaN is possible"""
    if math.isinf(exponent):
        return NON_NEGATIVE, False
    if exponent != int(exponent) or exponent != call.round(exponent):
        return _fractional_power(call, x, exponent), x.lo < 0.0
    if exponent % 2.0 == 0.0:
        ends = Interval(x.mignitude, x.magnitude)
        return intervals.corners(reals.power, ends, intervals.point(exponent)), False
    if exponent < 0.0 and x.contains(0.0):
        return intervals.TOP, False
    return intervals.corners(reals.power, x, intervals.point(exponent)), False


def _fractional_power(call: Call, x: Interval, exponent: float) -> Interval:
    """The range for x ≥ 0 and for -inf, for the exponent and for its rounding to the format"""
    rounded = call.round(exponent)
    if math.isinf(rounded):
        return intervals.TOP
    exponents = Interval(min(exponent, rounded), max(exponent, rounded))
    base = x.meet(NON_NEGATIVE)
    power = intervals.BOTTOM if base.is_empty else intervals.corners(reals.power, base, exponents)
    if x.lo == -inf:
        power = power.join(intervals.point(inf if exponent > 0.0 else 0.0))
    if x.lo < 0.0 and (exponent == int(exponent) or rounded == int(rounded)):
        power = intervals.TOP
    return power


def _signed_power(bases: Interval) -> Callable[[float, float], float]:
    """x^y; a pole at 0 has a known sign only if the exponent is even or no base is negative

    (-inf)^0.5 is inf, or NaN where a library computes a square root.
    """

    def power(x: float, y: float) -> float:
        if x == -inf and y == 0.5:
            return nan
        if x == 0.0 and y < 0.0 and y % 2.0 == 1.0 and bases.lo < 0.0:
            return nan
        return reals.power(abs(x) if x == 0.0 else x, y)

    return power


def _atan2(call: Call) -> Value:
    """[-π, π] whatever the signs: [0, π] for y ≥ 0 would be wrong for y = -0"""
    return made(call, outward(call, -math.pi, math.pi))


def _copysign(call: Call) -> Value:
    """±|x|"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    zero = ZERO if 0.0 in call.x.attained else NOTHING
    sizes = Interval(x.mignitude, x.magnitude)
    if y.lo <= 0.0 <= y.hi or call.y.nan:
        sizes = sizes.join(sizes.negated)
    elif y.hi < 0.0:
        sizes = sizes.negated
    return made(call, sizes, attained=zero, together=zero, free=False)


def _product_with(logarithm: Row) -> Row:
    """x · g(y), and 0 where x = 0"""

    def row(call: Call) -> Value:
        logs = logarithm(call.on(call.y))
        x = call.hull(call.x)
        if x.is_empty:
            return made(call, x)
        part = intervals.BOTTOM
        if not logs.interval.is_empty:
            part = intervals.corners(reals.times, x, logs.interval)
            part = outward(call, part.lo, part.hi).meet(sign_cap(part))
        zero = x.contains(0.0)
        may_be_nan = call.nan or logs.nan or (logs.interval.contains(0.0) and not x.is_finite)
        return made(
            call,
            part.join(intervals.point(0.0)) if zero else part,
            nan=may_be_nan,
            attained=ZERO & call.x.attained,
            together=ZERO & call.x.together,
        )

    return row


def _divide_no_nan(call: Call) -> Value:
    """x / y, and 0 where y = 0"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    attained = ZERO & (call.y.attained | call.x.attained)
    if not y.contains(0.0):
        return replace(_div(call), attained=_div(call).attained | attained)
    negative = (x.lo < 0.0 and y.hi > 0.0) or (x.hi > 0.0 and y.lo < 0.0)
    positive = (x.hi > 0.0 and y.hi > 0.0) or (x.lo < 0.0 and y.lo < 0.0)
    may_be_nan = call.nan or not (x.is_finite or y.is_finite)
    interval = Interval(-inf if negative else 0.0, inf if positive else 0.0)
    together = ZERO & (call.y.together | call.x.together)
    return made(call, interval, nan=may_be_nan, attained=attained, together=together, free=False)


def _multiply_no_nan(call: Call) -> Value:
    """x · y, and 0 where y = 0 even for an x of NaN or ±inf"""
    product = mul_row(call)
    x, y = call.hull(call.x), call.hull(call.y)
    zero = ZERO & (call.y.attained | call.x.attained)
    interval = product.interval
    if y.contains(0.0):
        interval = interval.join(intervals.point(0.0))
    return replace(
        product,
        interval=interval,
        nan=call.nan or (x.contains(0.0) and not y.is_finite),
        attained=product.attained | frozenset(filter(interval.contains, zero)),
    )


ROWS: Final[Mapping[str, Row]] = {
    "add": _add,
    "sub": sub_row,
    "mul": mul_row,
    "div": _div,
    "floordiv": _floordiv,
    "mod": _mod,
    "pow": _pow,
    "neg": neg_row,
    "atan2": _atan2,
    "copysign": _copysign,
    "xlogy": _product_with(monotone(reals.log, on=NON_NEGATIVE)),
    "xlog1py": _product_with(monotone(reals.log1p, on=Interval(-1.0, inf))),
    "divide_no_nan": _divide_no_nan,
    "multiply_no_nan": _multiply_no_nan,
}
