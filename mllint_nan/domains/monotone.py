"""Monotone and periodic functions of one operand: the images of the ends are the ends.

Moore, Kearfott and Cloud, "Introduction to Interval Analysis" (SIAM, 2009), section 5.1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from math import inf, nan
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains import reals
from mllint_nan.domains.bounds import (
    image,
    image_of_ends,
    images,
    is_saturated,
    made,
    outward,
    slack,
)
from mllint_nan.domains.call import SIGNED_UNIT, TAIL, ULPS, ZERO, Call, Row
from mllint_nan.domains.dtype import step
from mllint_nan.domains.interval import NON_NEGATIVE, UNIT, Interval
from mllint_nan.domains.reals import Real
from mllint_nan.domains.value import NOTHING, TOP, Value


def widened_at_one(call: Call, interval: Interval, ulps: int) -> Interval:
    """The interval with ends of 1 and -1 moved outwards."""
    below = ulps if abs(interval.lo) == 1.0 else 0
    above = ulps if abs(interval.hi) == 1.0 else 0
    return Interval(step(interval.lo, call.dtype, -below), step(interval.hi, call.dtype, above))


def monotone(
    function: Real,
    *,
    on: Interval = intervals.TOP,
    within: Interval = intervals.TOP,
    decreasing: bool = False,
    ulps: int = ULPS,
    saturates: frozenset[float] = NOTHING,
    integer: bool = False,
    free: bool | None = None,
    is_exact_at_one: bool = True,
) -> Row:
    """f#([a, b]) = [f(a), f(b)] ∩ within; NaN outside `on`; `saturates` are reached far out

    Without `is_exact_at_one`, a library may exceed f(1) just before 1, as glibc's cbrt does.
    """

    def row(call: Call) -> Value:
        x = call.x
        whole = call.hull(x)
        domain = whole.meet(on)
        may_be_nan = x.nan or not whole.leq(on)
        if domain.is_empty:
            return made(call, intervals.BOTTOM, nan=may_be_nan)

        def rounded(point: float) -> float:
            return call.round(function(point))

        ends = (domain.hi, domain.lo) if decreasing else (domain.lo, domain.hi)
        interval = image_of_ends(call, function, ends, ulps).meet(within)
        if not is_exact_at_one:
            interval = widened_at_one(call, interval, ulps)
        far = image(rounded, frozenset(ends)) & saturates if is_saturated(x) else NOTHING
        attained, together = images(rounded, x)
        return made(
            call,
            interval,
            nan=may_be_nan,
            attained=attained | far,
            together=together | far,
            integer=integer,
            free=free,
        )

    return row


def periodic(function: Real, within: Interval) -> Row:
    """f#(a) = within, or the value at a constant; NaN at ±inf"""

    def row(call: Call) -> Value:
        x = call.x
        whole = call.hull(x)
        interval = within
        if whole.is_point and whole.is_finite:
            interval = image_of_ends(call, function, (whole.lo, whole.lo), ULPS).meet(within)
        finite = frozenset(point for point in x.attained if point == 0.0 or x.is_constant)
        attained = image(lambda point: call.round(function(point)), finite - {inf, -inf})
        may_be_nan = x.nan or not whole.is_finite
        return made(call, interval, nan=may_be_nan, attained=attained, together=attained)

    return row


_BELOW_POLE: Final = 1.5707
"""A little less than π/2, so that no rounding of the operand leads across a pole."""
_TANGENT: Final = periodic(math.tan, intervals.TOP)
_TANGENT_BETWEEN: Final = monotone(math.tan)


_LOGIT: Final = monotone(reals.logit, on=UNIT)


def _logit(call: Call) -> Value:
    """increasing on [0, 1]; near 1/2 the difference of logarithms has no digit of its own"""
    value = _LOGIT(call)
    if value.interval.is_empty:
        return value
    error = 4.0 * call.form.eps
    return replace(value, interval=Interval(value.lo - error, value.hi + error))


def _tangent(call: Call) -> Value:
    """increasing between two neighbouring poles, -π/2 < x < π/2; else as `periodic`"""
    whole = call.hull(call.x)
    is_between_poles = whole.lo >= -_BELOW_POLE and whole.hi <= _BELOW_POLE
    return (_TANGENT_BETWEEN if is_between_poles else _TANGENT)(call)


def _leaky_relu(call: Call) -> Value:
    """slope in [0, 1]: x ≤ f(x) ≤ max(x, 0), and f(x) = x for x ≥ 0"""
    x = call.x
    whole = call.hull(x)
    interval = Interval(whole.lo, whole.hi if whole.hi >= 0.0 else 0.0)
    keep = frozenset(point for point in x.attained if point >= 0.0)
    may_be_nan = x.nan or whole.contains(-inf)  # the slope may be 0
    return made(call, interval, nan=may_be_nan, attained=keep, together=keep & x.together)


def _hard_sigmoid(call: Call) -> Value:
    """[0, 1]; the slope is 1/6 or 1/5"""
    whole = call.hull(call.x)
    ends = frozenset(p for p, far in ((0.0, whole.lo <= -3.0), (1.0, whole.hi >= 3.0)) if far)
    far_out = ends if is_saturated(call.x) else NOTHING
    low = 0.5 if whole.lo >= 0.0 else 0.0
    high = 0.5 if whole.hi <= 0.0 else 1.0
    return made(call, Interval(low, high), attained=far_out, together=far_out)


def _rsqrt_row(call: Call) -> Value:
    """1 / √x; rsqrt(-0) is -inf"""
    value = monotone(reals.rsqrt, on=NON_NEGATIVE, within=NON_NEGATIVE, decreasing=True)(call)
    if not call.hull(call.x).contains(0.0):
        return value
    return replace(value, interval=Interval(-inf, value.hi))


def _scaled_softplus(call: Call) -> Value:
    """log(1 + exp(βx)) / β; past the threshold torch returns x, which is slightly less"""
    beta, threshold = call.setting("beta"), call.setting("threshold") or TOP
    if beta is None or not (beta.is_constant and 0.0 < beta.lo < inf):
        return made(call, NON_NEGATIVE, free=False)
    scale = beta.lo
    value = monotone(
        lambda x: reals.softplus(x * scale) / scale,
        within=NON_NEGATIVE,
        saturates=ZERO,
        ulps=ULPS if scale == 1.0 else 256,  # exp(βx) has the error of βx, up to 104 ulps
    )(call)
    lowest = call.hull(call.x).lo
    if value.interval.is_empty or (threshold.lo >= 1.0 and lowest * scale < threshold.lo - 1.0):
        return value
    return replace(value, interval=Interval(min(value.lo, max(lowest, 0.0)), value.hi))


def _log_ndtr_row(call: Call) -> Value:
    """increasing to 0; the asymptotic form has a relative error below 2e-6"""
    value = monotone(reals.log_ndtr, within=Interval(-inf, 0.0))(call)
    return replace(value, interval=slack(value.interval, 2.0**-10))


def _erfinv(call: Call) -> Value:
    """[-1, 1] → [-inf, inf], odd; |erfinv| < 6 inside"""
    whole = call.hull(call.x)
    domain = whole.meet(SIGNED_UNIT)
    may_be_nan = call.nan or not whole.leq(SIGNED_UNIT)
    if domain.is_empty:
        return made(call, domain, nan=may_be_nan)
    lo = -inf if domain.lo == -1.0 else -6.0 if domain.lo < 0.0 else 0.0
    hi = inf if domain.hi == 1.0 else 6.0 if domain.hi > 0.0 else 0.0
    poles = {-1.0: -inf, 0.0: 0.0, 1.0: inf}
    attained = image(lambda point: poles.get(point, nan), call.x.attained)
    return made(call, Interval(lo, hi), nan=may_be_nan, attained=attained)


def _ndtri(call: Call) -> Value:
    """[0, 1] → [-inf, inf], 0 at 0.5; above -39 and below 9 inside"""
    whole = call.hull(call.x)
    domain = whole.meet(UNIT)
    may_be_nan = call.nan or not whole.leq(UNIT)
    if domain.is_empty:
        return made(call, domain, nan=may_be_nan)
    lo = -inf if domain.lo == 0.0 else -39.0 if domain.lo < 0.5 else 0.0
    hi = inf if domain.hi == 1.0 else 9.0 if domain.hi > 0.5 else 0.0
    poles = {0.0: -inf, 0.5: 0.0, 1.0: inf}
    attained = image(lambda point: poles.get(point, nan), call.x.attained)
    return made(call, Interval(lo, hi), nan=may_be_nan, attained=attained)


def _digamma(call: Call) -> Value:
    """log x - 1/x ≤ ψ(x) ≤ log x - 1/(2x) for x > 0; a pole at 0, NaN possible from 0 down"""
    whole = call.hull(call.x)
    if whole.lo <= 0.0 or whole.is_empty:
        pole = frozenset({-inf}) if 0.0 in call.x.attained else NOTHING
        return made(call, intervals.TOP, nan=True, attained=pole, free=False)
    below = reals.log(whole.lo) - 1.0 / whole.lo
    above = reals.log(whole.hi) - 0.5 / whole.hi
    return made(call, slack(outward(call, below, above), 2.0**-10))


def _sigmoidal(
    function: Real, *, decreasing: bool = False, top: float = 1.0, ulps: int = ULPS
) -> Row:
    """monotone onto [0, top]; both ends are reached by rounding"""
    within = Interval(0.0, top)
    ends = frozenset({0.0, top})
    return monotone(function, within=within, saturates=ends, decreasing=decreasing, ulps=ulps)


ROWS: Final[Mapping[str, Row]] = {
    "sign": monotone(reals.sign, ulps=0, integer=True, free=False),
    "floor": monotone(reals.floor, ulps=0, integer=True),
    "ceil": monotone(reals.integral(math.ceil), ulps=0, integer=True),
    "round": monotone(reals.integral(round), ulps=0, integer=True),
    "sqrt": monotone(reals.sqrt, on=NON_NEGATIVE, ulps=0),
    "cbrt": monotone(reals.cbrt, is_exact_at_one=False),
    "exp": monotone(reals.exp, within=NON_NEGATIVE, free=False),
    "exp2": monotone(reals.exp2, within=NON_NEGATIVE, free=False),
    "expm1": monotone(reals.total(math.expm1), within=Interval(-1.0, inf), free=False),
    "log": monotone(reals.log, on=NON_NEGATIVE),
    "log2": monotone(reals.logarithm(math.log2), on=NON_NEGATIVE),
    "log10": monotone(reals.logarithm(math.log10), on=NON_NEGATIVE),
    "log1p": monotone(reals.log1p, on=Interval(-1.0, inf)),
    "logit": _logit,
    "sin": periodic(math.sin, SIGNED_UNIT),
    "cos": periodic(math.cos, SIGNED_UNIT),
    "tan": _tangent,
    "asin": monotone(reals.asin, on=SIGNED_UNIT),
    "acos": monotone(reals.acos, on=SIGNED_UNIT, within=NON_NEGATIVE, decreasing=True),
    "atan": monotone(math.atan),
    "sinh": monotone(reals.sinh),
    "tanh": monotone(math.tanh, within=SIGNED_UNIT, saturates=frozenset({-1.0, 1.0})),
    "asinh": monotone(math.asinh),
    "acosh": monotone(reals.acosh, on=Interval(1.0, inf), within=NON_NEGATIVE),
    "atanh": monotone(reals.atanh, on=SIGNED_UNIT),
    "erf": monotone(math.erf, within=SIGNED_UNIT, saturates=frozenset({-1.0, 1.0})),
    "erfc": _sigmoidal(math.erfc, decreasing=True, top=2.0, ulps=TAIL),
    "erfinv": _erfinv,
    "ndtri": _ndtri,
    "ndtr": _sigmoidal(reals.ndtr, ulps=TAIL),
    "log_ndtr": _log_ndtr_row,
    "digamma": _digamma,
    "sigmoid": _sigmoidal(reals.sigmoid),
    "log_sigmoid": monotone(reals.log_sigmoid, within=Interval(-inf, 0.0), saturates=ZERO),
    "elu": monotone(reals.elu, within=Interval(-1.0, inf), saturates=frozenset({-1.0})),
    "leaky_relu": _leaky_relu,
    "hard_sigmoid": _hard_sigmoid,
    "softplus": _scaled_softplus,
    "rsqrt": _rsqrt_row,
}
