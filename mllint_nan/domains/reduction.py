"""Reductions and operations along an axis: sums, means, norms, softmax, products of tensors.

Sums are bounded by the number of elements times their bounds, with room for accumulated rounding:
Higham, "Accuracy and Stability of Numerical Algorithms" (SIAM, 2002), chapter 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains import reals
from mllint_nan.domains.arithmetic import mul_row, sub_row
from mllint_nan.domains.bounds import flushed, is_saturated, made, outward, rounded_bounds, slack
from mllint_nan.domains.call import COUNT, SIGNED_UNIT, ZERO, Call, Row, truth_values
from mllint_nan.domains.comparison import booleans
from mllint_nan.domains.conversion import in_its_format
from mllint_nan.domains.dtype import step
from mllint_nan.domains.interval import NON_NEGATIVE, UNIT, Interval
from mllint_nan.domains.reals import Real
from mllint_nan.domains.value import NOTHING, Value


def _softmax(call: Call) -> Value:
    """[0, 1]; 0 and 1 are attained if the spread of the logits underflows the exponential"""
    x = call.x
    whole = call.hull(x)
    attained = ZERO if -inf in x.attained else NOTHING
    if is_saturated(x) and not whole.is_empty:
        least = call.round(reals.exp(whole.lo - whole.hi))
        attained |= ZERO if least == 0.0 else NOTHING
        attained |= frozenset({1.0}) if least < call.form.eps / 4.0 else NOTHING
    may_be_nan = x.nan or not whole.is_finite
    return made(call, UNIT, nan=may_be_nan, attained=attained, together=NOTHING)


def _log_softmax(call: Call) -> Value:
    """[lo - hi - log n, 0]"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return made(call, whole)
    spread = whole.lo - whole.hi
    lowest = spread - math.log(COUNT) if not math.isnan(spread) else -inf
    one = ZERO if 1.0 in _softmax(call).attained else NOTHING
    interval = outward(call, lowest, 0.0).meet(Interval(-inf, 0.0))
    may_be_nan = x.nan or not whole.is_finite
    return made(call, interval, nan=may_be_nan, attained=one, together=NOTHING)


def _normalize(call: Call) -> Value:
    """x / max(‖x‖, ε) in [-1, 1], rounded; the usual ε of 1e-12 is 0 in float16"""
    x = call.x
    whole = call.hull(x)
    interval = Interval(0.0 if whole.lo >= 0.0 else -1.01, 0.0 if whole.hi <= 0.0 else 1.01)
    zero = ZERO & x.attained
    unguarded = call.dtype == "float16" and whole.contains(0.0)
    may_be_nan = x.nan or not whole.is_finite or unguarded
    return made(call, interval, nan=may_be_nan, attained=zero, together=zero & x.together)


def sum_bounds(whole: Interval) -> Interval:
    """n · [lo, hi] for some 1 ≤ n ≤ COUNT"""
    lo = whole.lo if whole.lo >= 0.0 else whole.lo * COUNT
    hi = whole.hi if whole.hi <= 0.0 else whole.hi * COUNT
    return Interval(lo, hi)


def sum_row(call: Call) -> Value:
    """Σ; 0 if all elements can be 0 at once; NaN if it may reach inf and -inf"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return made(call, whole)
    bounds = sum_bounds(whole)
    interval = rounded_bounds(call, bounds.lo, bounds.hi, x.integer)
    return made(
        call,
        interval,
        nan=x.nan or interval == intervals.TOP,
        attained=ZERO & x.together,
        integer=x.integer,
    )


def _cumsum(call: Call) -> Value:
    """The prefix sums; the first is an element"""
    total = sum_row(call)
    attained = call.x.attained | total.attained
    return replace(total, attained=attained, scattered=attained - total.attained)


def mean_row(call: Call) -> Value:
    """[lo, hi] with room for rounding; ±inf if the sum overflows"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return made(call, whole)
    bounds = sum_bounds(whole)
    low, high = call.round(bounds.lo), call.round(bounds.hi)
    near = slack(whole)
    exact = frozenset(p for p in x.together if slack(intervals.point(p)).is_point)
    return made(
        call,
        Interval(
            -inf if low == -inf else call.round(near.lo),
            inf if high == inf else call.round(near.hi),
        ),
        nan=x.nan or (low == -inf and high == inf),
        attained=exact,
    )


def _prod(call: Call) -> Value:
    """Π: [0, 1] and [-1, 1] are closed under it; NaN if 0 and inf can both arise"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return made(call, whole)
    may_be_nan = x.nan
    if whole.leq(UNIT):
        interval = Interval(0.0, whole.hi)
    elif whole.leq(SIGNED_UNIT):
        interval = SIGNED_UNIT
    elif whole.lo >= 1.0:
        interval = Interval(whole.lo, inf)
    else:
        may_be_nan = x.nan or whole.mignitude < 1.0
        interval = NON_NEGATIVE if whole.lo >= 0.0 else intervals.TOP
    attained = (ZERO & x.attained) | (frozenset({1.0}) & x.together)
    return made(call, interval, nan=may_be_nan, attained=attained, integer=x.integer)


def _cumprod(call: Call) -> Value:
    """The prefix products; the first is an element"""
    total = _prod(call)
    attained = call.x.attained | total.attained
    return replace(total, attained=attained, interval=total.interval.join(call.x.interval))


def _extreme(end: Callable[[Interval], float]) -> Row:
    """max, min: an element; the far end is evident, other points if all elements can be equal"""

    def row(call: Call) -> Value:
        x = call.x
        far = frozenset(p for p in x.attained if p == end(x.interval))
        return replace(x, attained=x.together | far, scattered=NOTHING)

    return row


def _median(call: Call) -> Value:
    """An element, or the mean of two"""
    x = call.x
    wide = mean_row(call)
    may_be_nan = x.nan or x.interval == intervals.TOP
    return replace(wide, attained=x.together & wide.attained, nan=may_be_nan)


def _logsumexp(call: Call) -> Value:
    """[lo, hi + log n]"""
    whole = call.hull(call.x)
    if whole.is_empty:
        return made(call, whole)
    return made(call, slack(outward(call, whole.lo, whole.hi + math.log(COUNT)), 2.0**-10))


def _var(call: Call) -> Value:
    """(max |x - mean|)² at most; 0 for equal elements"""
    return _spread(call, reals.square)


def _std(call: Call) -> Value:
    """max |x - mean| at most; 0 for equal elements"""
    return _spread(call, abs)


def _spread(call: Call, measure: Real) -> Value:
    """[0, measure(deviation)]; NaN if the correction may be as large as the count"""
    whole = call.hull(call.x)
    if whole.is_empty:
        return made(call, whole)
    correction = call.setting("correction")
    plain = correction is not None and correction.is_constant and correction.lo == 0.0
    mean = mean_row(call)
    may_be_nan = mean.nan or not plain or not mean.interval.is_finite
    highest = inf
    if plain and mean.interval.is_finite:
        deviation = max(whole.hi - mean.lo, mean.hi - whole.lo)
        if call.round(reals.square(deviation) * COUNT) < inf:
            highest = step(call.round(measure(deviation) * 1.01), call.dtype, 1)
    return made(call, Interval(0.0, highest), nan=may_be_nan, attained=ZERO)


def _norm(call: Call) -> Value:
    """‖x‖ ≥ 0; 0 for the zero vector, if it is admitted"""
    x = call.x
    whole = call.hull(x)
    if whole.is_empty:
        return made(call, whole)
    zero = ZERO if 0.0 in x.together or (x.free and whole.contains(0.0)) else NOTHING
    interval = NON_NEGATIVE
    if call.settings.get("ord") in (None, 1, 2, "fro", "euclidean"):
        interval = Interval(_shortest(call, whole), _longest(call, whole))
    return made(call, interval, attained=zero)


def _shortest(call: Call, whole: Interval) -> float:
    """The norm of a single element, whose square may underflow"""
    square = call.round(reals.square(whole.mignitude))
    root = math.sqrt(flushed(intervals.point(square), call.dtype).lo)
    return call.round(min(root, whole.mignitude) * 0.99)


def _longest(call: Call, whole: Interval) -> float:
    """The norm of the most elements, whose sum of squares may overflow"""
    square = call.round(reals.square(whole.magnitude) * COUNT)
    return inf if square == inf else call.round(whole.magnitude * COUNT)


def _count_nonzero(call: Call) -> Value:
    """The count; a mask may be empty, unless no element can be 0"""
    outcomes = truth_values(call.x)
    lowest = 0.0 if False in outcomes else 1.0
    highest = COUNT if True in outcomes else 0.0
    return made(
        call,
        Interval(lowest, highest),
        nan=False,
        attained=ZERO,
        integer=True,
        free=False,
        dtype="int64",
    )


def _index(_: Call) -> Value:
    """An index along an axis"""
    return Value(Interval(0.0, COUNT), integer=True, dtype="int64")


def _extent(_: Call) -> Value:
    """A number of elements"""
    return Value(Interval(1.0, COUNT), integer=True, dtype="int64")


def _quantified(call: Call) -> Value:
    """any, all: decided if all elements have the same truth value"""
    return booleans(call, truth_values(call.x))


def _product_sum(call: Call) -> Value:
    """Σ x · y"""
    operands = call.operands[-2:]
    return sum_row(call.on(mul_row(call.on(*operands))))


def _cosine_similarity(call: Call) -> Value:
    """[-1, 1] and slightly beyond; ±1 for parallel vectors"""
    x, y = call.hull(call.x), call.hull(call.y)
    lo = 0.0 if (x.lo >= 0.0 and y.lo >= 0.0) or (x.hi <= 0.0 and y.hi <= 0.0) else -1.001
    attained = frozenset({-1.0, 1.0}) if call.x.free and call.y.free else NOTHING
    finite = all(_norm(call.on(value)).interval.is_finite for value in call.operands)
    return made(
        call,
        Interval(lo, 1.001),
        nan=call.nan or not finite,
        attained=attained,
        together=attained,
        free=False,
    )


def _distance(call: Call) -> Value:
    """‖x - y‖; 0 if they are equal"""
    return _norm(call.on(sub_row(call)))


ROWS: Final[Mapping[str, Row]] = {
    "softmax": in_its_format(_softmax),
    "log_softmax": in_its_format(_log_softmax),
    "gumbel_softmax": _softmax,
    "cumsum": _cumsum,
    "cumprod": _cumprod,
    "logcumsumexp": _logsumexp,
    "normalize": _normalize,
    "sum": sum_row,
    "mean": mean_row,
    "prod": _prod,
    "max": _extreme(lambda interval: interval.hi),
    "min": _extreme(lambda interval: interval.lo),
    "median": _median,
    "any": _quantified,
    "all": _quantified,
    "logsumexp": _logsumexp,
    "count_nonzero": _count_nonzero,
    "argmax": _index,
    "argmin": _index,
    "var": _var,
    "std": _std,
    "norm": _norm,
    "matmul": _product_sum,
    "dot": _product_sum,
    "einsum": _product_sum,
    "trace": sum_row,
    "cosine_similarity": _cosine_similarity,
    "distance": _distance,
    "size": _extent,
    "shape": _extent,
}
