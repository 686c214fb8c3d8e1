"""Conversions between formats: rounding to floats, truncation to integers, truth values.

The conversions of IEEE 754-2019, sections 5.4 and 5.8.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains.bounds import flushed, images, made
from mllint_nan.domains.call import Call, Row, requested_format, truth_values
from mllint_nan.domains.dtype import INTEGERS, is_float, is_integer, round_to
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.value import Value


def _cast(call: Call) -> Value:
    """To floats: rounds. To integers: truncates; NaN and ±inf become any integer"""
    name = requested_format(call)
    if is_float(name):
        return to_float(call, name)
    if name == "bool":
        return _to_bool(call)
    if is_integer(name):
        return _to_integer(call, name)
    return call.x if call.settings.get("dtype") is None else replace(call.x, dtype=None)


def to_float(call: Call, name: str) -> Value:
    x = call.x
    whole = call.hull(x) if x.free else x.interval
    interval = (
        whole if whole.is_empty else Interval(round_to(whole.lo, name), round_to(whole.hi, name))
    )
    attained, together = images(lambda point: round_to(point, name), x)
    kept = flushed(interval, name)
    return Value(kept, x.nan, attained, x.integer, name, x.free, attained - together)


def _to_bool(call: Call) -> Value:
    outcomes = truth_values(call.x)
    shown, together = images(lambda point: float(point != 0.0), call.x)
    return made(
        call,
        intervals.hull(map(float, outcomes)),
        nan=False,
        attained=shown,
        together=together,
        integer=True,
        free=False,
        dtype="bool",
    )


def _to_integer(call: Call, name: str) -> Value:
    bits, signed = INTEGERS[name]
    span = Interval(-(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1.0)
    if not signed:
        span = Interval(0.0, 2.0**bits - 1.0)
    whole = call.hull(call.x)
    fits = not whole.is_empty and whole.leq(span) and not call.nan
    attained, together = images(lambda p: float(int(p)) if math.isfinite(p) else nan, call.x)
    truncated = Interval(float(int(whole.lo)), float(int(whole.hi))) if fits else span
    return made(
        call,
        truncated,
        nan=False,
        attained=attained,
        together=together,
        integer=True,
        dtype=name,
    )


def in_its_format(row: Row) -> Row:
    """The row applied to the operand in the requested format, if the call requests one"""

    def cast_first(call: Call) -> Value:
        name = requested_format(call)
        if not is_float(name):
            return row(call)
        return replace(row(Call((to_float(call, name),), call.settings, name)), dtype=name)

    return cast_first


ROWS: Final[Mapping[str, Row]] = {
    "cast": _cast,
}
