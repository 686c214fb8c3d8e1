"""The bounds and the evidence of transfer functions: outward rounding, images of points.

Outward rounding by a few ulps makes the bounds of library functions safe: Moore, Kearfott and
Cloud, "Introduction to Interval Analysis" (SIAM, 2009), chapter 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf

from mllint_nan.domains import interval as intervals
from mllint_nan.domains.call import ULPS, Call
from mllint_nan.domains.dtype import FORMATS, step
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.reals import Real
from mllint_nan.domains.value import NOTHING, Value


def is_landmark(x: float, y: float) -> bool:
    """Whether f(x) = y is so simple that every library computes it exactly"""
    return (math.isinf(x) or x in (-1.0, 0.0, 1.0)) and (math.isinf(y) or 2.0 * y == int(2.0 * y))


def outward(call: Call, lo: float, hi: float, ulps: int = ULPS) -> Interval:
    """[lo, hi], rounded and moved outwards by `ulps`"""
    return Interval(
        step(call.round(lo), call.dtype, -ulps),
        step(call.round(hi), call.dtype, ulps),
    )


def slack(interval: Interval, factor: float = 2.0**-6) -> Interval:
    """The interval with room for accumulated rounding; 0, ±inf and powers of two are exact"""

    def is_exact(bound: float) -> bool:
        return math.isinf(bound) or abs(math.frexp(bound)[0]) in (0.0, 0.5)

    lo, hi = interval.lo, interval.hi
    return Interval(
        lo if is_exact(lo) else lo - abs(lo) * factor,
        hi if is_exact(hi) else hi + abs(hi) * factor,
    )


def flushed(interval: Interval, dtype: str) -> Interval:
    """The interval with 0 for a subnormal bound: TensorFlow and JAX flush, but not in float16"""
    if dtype == "float16":
        return interval
    tiny = FORMATS[dtype].tiny
    lo = 0.0 if 0.0 < interval.lo < tiny else interval.lo
    hi = 0.0 if -tiny < interval.hi < 0.0 else interval.hi
    return Interval(lo, hi)


def made(
    call: Call,
    interval: Interval,
    *,
    nan: bool | None = None,
    attained: frozenset[float] = NOTHING,
    together: frozenset[float] | None = None,
    integer: bool = False,
    free: bool | None = None,
    dtype: str | None = None,
) -> Value:
    """A consistent `Value`: evidence within the interval, zeros without a sign"""
    interval = flushed(interval, call.dtype)
    kept = frozenset(point + 0.0 for point in attained if interval.contains(point))
    return Value(
        interval,
        call.nan if nan is None else nan,
        kept,
        integer,
        dtype,
        call.free if free is None else free,
        NOTHING if together is None else kept - together,
    )


def is_saturated(value: Value) -> bool:
    """Whether far ends of its range are reached: by a free input, or a wholly unknown value"""
    return value.free or value.interval == intervals.TOP


def may_vanish(value: Value) -> bool:
    """Whether the value is free and includes 0"""
    return value.free and value.interval.contains(0.0)


def image(function: Real, points: frozenset[float]) -> frozenset[float]:
    """f[points] without NaN"""
    return frozenset(y for y in map(function, points) if not math.isnan(y))


def image_of_ends(call: Call, function: Real, ends: tuple[float, float], ulps: int) -> Interval:
    """[f(ends[0]), f(ends[1])], each moved outwards unless it is a landmark"""
    lo, hi = function(ends[0]), function(ends[1])
    below = 0 if is_landmark(ends[0], lo) else ulps
    above = 0 if is_landmark(ends[1], hi) else ulps
    return Interval(
        step(call.round(lo), call.dtype, -below),
        step(call.round(hi), call.dtype, above),
    )


def pointwise(
    call: Call, function: Callable[[float, float], float]
) -> tuple[frozenset[float], frozenset[float]]:
    """Evidence of f(x, y): the points of one operand if the other is constant"""
    x, y = call.x, call.y
    if y.is_constant:
        right = call.round(y.lo)
        return images(lambda point: call.round(function(call.round(point), right)), x)
    if x.is_constant:
        left = call.round(x.lo)
        return images(lambda point: call.round(function(left, call.round(point))), y)
    return NOTHING, NOTHING


def images(function: Real, value: Value) -> tuple[frozenset[float], frozenset[float]]:
    """f[attained] and f[together]"""
    attained = image(function, value.attained)
    return attained, attained if not value.scattered else image(function, value.together)


def rounded_bounds(call: Call, lo: float, hi: float, integer: bool) -> Interval:
    """[lo, hi] rounded to the format; integers may have a type that does not round"""
    interval = Interval(call.round(lo), call.round(hi))
    return interval.join(Interval(lo, hi)) if integer else interval


def sign_cap(interval: Interval) -> Interval:
    """The half lines around 0 that rounding does not leave"""
    return Interval(
        0.0 if interval.lo >= 0.0 else -inf,
        0.0 if interval.hi <= 0.0 else inf,
    )
