"""Even and convex functions: the minimum lies inside, the maximum at one of the ends.

Moore, Kearfott and Cloud, "Introduction to Interval Analysis" (SIAM, 2009), section 5.1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from math import inf
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains import reals
from mllint_nan.domains.bounds import (
    image_of_ends,
    images,
    made,
    may_vanish,
    outward,
    sign_cap,
    slack,
)
from mllint_nan.domains.call import ULPS, ZERO, Call, Row
from mllint_nan.domains.interval import NON_NEGATIVE, Interval
from mllint_nan.domains.reals import Real
from mllint_nan.domains.restriction import Restriction
from mllint_nan.domains.value import NOTHING, Value

_NOT_ZERO: Final = Restriction(holes=ZERO)


def even(function: Real, *, ulps: int = 0, bottom: frozenset[float] = NOTHING) -> Row:
    """f#([a, b]) = [f(min |v|), f(max |v|)]; a free operand reaches `bottom` at 0"""

    def row(call: Call) -> Value:
        x = call.x
        whole = call.hull(x)
        if whole.is_empty:
            return made(call, whole)

        def rounded(point: float) -> float:
            return call.round(function(abs(point)))

        shape = bottom if may_vanish(x) else NOTHING
        attained, together = images(rounded, x)
        return made(
            call,
            image_of_ends(call, function, (whole.mignitude, whole.magnitude), ulps),
            attained=attained | shape,
            together=together | shape,
            integer=x.integer and function in (abs, reals.square),
        )

    return row


def _abs(call: Call) -> Value:
    """[min |v|, max |v|], above 0 if v is not 0"""
    value = even(abs, bottom=ZERO)(call)
    return _NOT_ZERO.of(value, call.dtype) if call.x.nonzero else value


def _bump(lowest: float, *, doubles: bool = False) -> Row:
    """silu, gelu: x/2 ≤ f(x) ≤ x for x ≥ 0, `lowest` ≤ f(x) ≤ 0 below; NaN at ±inf

    With `doubles`, x is multiplied by 1 + erf before it is halved, as in PyTorch's vectorized code.
    """

    def row(call: Call) -> Value:
        x = call.x
        whole = call.hull(x)
        if whole.is_empty:
            return made(call, whole)
        lo = whole.lo / 2.0 if whole.lo >= 0.0 else lowest
        hi = inf if doubles and whole.hi > call.form.max / 2.0 else whole.hi
        interval = outward(call, lo, max(hi, 0.0)).meet(sign_cap(Interval(lo, hi)))
        zero = ZERO & x.attained
        may_be_nan = x.nan or not whole.is_finite
        return made(call, interval, nan=may_be_nan, attained=zero, together=zero & x.together)

    return row


def _lgamma(call: Call) -> Value:
    """convex on (0, inf) with the minimum -0.1215; unbounded at 0 and on the left"""
    whole = call.hull(call.x)
    at_pole = frozenset({inf}) if 0.0 in call.x.attained else NOTHING
    if whole.is_empty:
        return made(call, whole)
    if whole.lo < 0.0:
        return made(call, intervals.TOP, attained=at_pole)
    lgamma = reals.total(lambda x: inf if x == 0.0 else math.lgamma(x))
    highest = max(lgamma(whole.lo), lgamma(whole.hi))
    if highest > call.form.max / 4.0 or whole.lo < call.form.tiny:
        highest = inf
    highest += 8.0 * call.form.eps  # at the zeros 1 and 2 the error is absolute
    return made(call, slack(Interval(-0.1215, highest), 2.0**-10), attained=at_pole)


def _hypot(call: Call) -> Value:
    """√(x² + y²), monotone in |x| and |y|"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    lo = math.hypot(x.mignitude, y.mignitude)
    hi = math.hypot(x.magnitude, y.magnitude)
    vanishing = all(
        0.0 in value.attained or (value.free and value.interval.contains(0.0))
        for value in call.operands
    )
    zero = ZERO if vanishing else NOTHING
    return made(call, outward(call, lo, hi).meet(NON_NEGATIVE), attained=zero, together=zero)


def _logaddexp_row(call: Call) -> Value:
    """monotone in both"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    lo, hi = reals.logaddexp(x.lo, y.lo), reals.logaddexp(x.hi, y.hi)
    near = outward(call, lo, hi)
    room = call.form.eps * 2.0  # near 0 the error is absolute
    return made(call, Interval(min(near.lo, lo - room), max(near.hi, hi + room)))


ROWS: Final[Mapping[str, Row]] = {
    "hypot": _hypot,
    "logaddexp": _logaddexp_row,
    "abs": _abs,
    "square": even(reals.square, bottom=ZERO),
    "cosh": even(reals.cosh, ulps=ULPS),
    "lgamma": _lgamma,
    "silu": _bump(-0.2785),
    "gelu": _bump(-0.1701, doubles=True),
}
