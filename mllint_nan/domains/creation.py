"""Arrays created from no other array: constants, ranges, draws, and the limits of formats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains.bounds import made, outward
from mllint_nan.domains.call import BOTH, COUNT, Call, Row, requested_format
from mllint_nan.domains.conversion import to_float
from mllint_nan.domains.dtype import FORMATS, Format, is_float
from mllint_nan.domains.interval import UNIT, Interval
from mllint_nan.domains.value import NOTHING, TOP, Value, constant, free


def filled(number: float) -> Row:
    """α({number})"""
    return lambda call: constant(number, requested_format(call))


def _full(call: Call) -> Value:
    """The given value in every element"""
    value = call.setting("value") or TOP
    name = requested_format(call)
    return to_float(call.on(value), name) if is_float(name) else replace(value, dtype=name)


def _indicator(call: Call) -> Value:
    """0 and 1, both among the elements"""
    return made(call, UNIT, nan=False, attained=BOTH, together=NOTHING, integer=True, free=False)


def _arange(call: Call) -> Value:
    """start, start + step, …; the end bounds the other side"""
    zero = constant(0.0)
    start, stop = call.setting("start"), call.setting("stop")
    first, last = (zero, start) if stop is None else (start or zero, stop)
    stride = call.setting("step") or constant(1.0)
    end = call.hull(last or Value(Interval(0.0, COUNT)))
    whole = call.hull(first)
    interval = Interval(whole.lo, max(end.hi, whole.hi))
    if stride.hi < 0.0:  # down to the end, but never the end itself
        above = max(math.nextafter(end.lo, inf), end.lo + call.form.tiny)
        interval = Interval(above, max(end.hi, whole.hi))
    elif not stride.lo > 0.0:
        interval = Interval(min(end.lo, whole.lo), max(end.hi, whole.hi))
    integer = first.integer and stride.integer
    attained = first.attained
    return made(
        call, interval, nan=False, attained=attained, together=NOTHING, integer=integer, free=False
    )


def _linspace(call: Call) -> Value:
    """start, …, stop, both included; the last one not if an endpoint is refused, or may be"""
    start, stop = call.setting("start") or TOP, call.setting("stop") or TOP
    both = start.join(stop)
    whole = call.hull(both)
    is_whole = call.settings.get("endpoint", True) is True
    ends = start.attained | stop.attained if is_whole else start.attained
    return made(call, whole, nan=both.nan, attained=ends, together=NOTHING, free=False)


def _uniform(call: Call) -> Value:
    """[low, high), and high itself by rounding; low is attained"""
    low, high = call.setting("low") or TOP, call.setting("high") or TOP
    interval = call.hull(low).join(call.hull(high))
    known = low.is_constant and high.is_constant
    attained = frozenset({call.round(low.lo)}) if known else NOTHING
    return made(call, interval, nan=low.nan or high.nan, attained=attained, free=known)


def _normal(call: Call) -> Value:
    """mean ± 16 standard deviations: no generator draws beyond them"""
    mean, std = call.setting("mean") or TOP, call.setting("std") or TOP
    if not (mean.is_constant and std.is_constant and std.interval.is_finite):
        return free(requested_format(call))
    reach = 16.0 * abs(std.lo)
    return made(call, outward(call, mean.lo - reach, mean.lo + reach), nan=False, free=True)


def _limit(number: Callable[[Format], float]) -> Row:
    """A property of the format, or of any format if it is unknown which"""

    def row(call: Call) -> Value:
        name = requested_format(call)
        if name is None and call.settings.get("dtype") is None:
            name = call.dtype
        if is_float(name):
            return constant(number(FORMATS[name]))
        return Value(intervals.hull(number(form) for form in FORMATS.values()))

    return row


ROWS: Final[Mapping[str, Row]] = {
    "zeros": filled(0.0),
    "ones": filled(1.0),
    "zeros_like": filled(0.0),
    "ones_like": filled(1.0),
    "full": _full,
    "full_like": _full,
    "eye": _indicator,
    "one_hot": _indicator,
    "arange": _arange,
    "linspace": _linspace,
    "uniform": _uniform,
    "normal": _normal,
    "finfo_eps": _limit(lambda form: form.eps),
    "finfo_tiny": _limit(lambda form: form.tiny),
    "finfo_max": _limit(lambda form: form.max),
    "finfo_min": _limit(lambda form: -form.max),
}
