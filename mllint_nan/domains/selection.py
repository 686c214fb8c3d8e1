"""Operations that choose: maxima, clips, `where`, views, and what a patch leaves of a value.

The value of a choice is the join of its options: Cousot and Cousot, "Abstract interpretation" (POPL
1977).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from math import inf
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains.bounds import image, is_saturated, made, pointwise
from mllint_nan.domains.call import Call, Row
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.value import NOTHING, Value, constant


def _relu(call: Call) -> Value:
    """max(x, 0)"""
    return _maximum(call.on(call.x, constant(0.0)))


def _relu6(call: Call) -> Value:
    """min(max(x, 0), 6)"""
    return _minimum(call.on(_relu(call), constant(6.0)))


def _maximum(call: Call) -> Value:
    """[max(a, c), max(b, d)]"""
    return _extremum(call, max, lambda value, point: value.lo <= point)


def _minimum(call: Call) -> Value:
    """[min(a, c), min(b, d)]"""
    return _extremum(call, min, lambda value, point: value.hi >= point)


def _extremum(
    call: Call,
    choose: Callable[[float, float], float],
    gives_way: Callable[[Value, float], bool],
) -> Value:
    """A point of one operand is evident if the other surely gives way, or is free to"""
    x, y = call.hull(call.x), call.hull(call.y)
    if x.is_empty or y.is_empty:
        return made(call, intervals.BOTTOM)
    attained, together = pointwise(call, choose)
    for one, other in ((call.x, call.y), (call.y, call.x)):
        if other.is_constant:
            continue
        if is_saturated(other):
            shown = frozenset(p for p in one.attained if gives_way(other, p))
        else:
            shown = frozenset(p for p in one.attained if choose(other.lo, p) == p)
            shown = frozenset(p for p in shown if choose(other.hi, p) == p)
        attained |= image(call.round, shown)
        together |= image(call.round, shown & one.together)
    return made(
        call,
        Interval(choose(x.lo, y.lo), choose(x.hi, y.hi)),
        attained=attained,
        together=together,
        integer=call.x.integer and call.y.integer,
    )


def _clip(call: Call) -> Value:
    """min(max(x, min), max), or max(min(x, max), min) if `is_min_last`, as in TensorFlow"""
    value = call.x
    bounds = ((_maximum, "min"), (_minimum, "max"))
    for row, name in bounds[::-1] if call.settings.get("is_min_last") else bounds:
        bound = call.setting(name)
        if bound is not None:
            value = row(call.on(value, bound))
    return value


def _where(call: Call) -> Value:
    """condition ? x : y = x ⊔ y"""
    condition, x, y = call.operands[:3]
    if condition.is_constant:
        return x if condition.lo else y
    return finite_part(call, x).join(finite_part(call, y))


def finite_part(call: Call, value: Value) -> Value:
    """The numbers of the format for a free input: a join may lose `free`, and with it this bound"""
    return replace(value, interval=call.hull(value)) if value.free else value


def _nan_to_num(call: Call) -> Value:
    """The finite part, joined with the replacements of whatever else is possible"""
    x = call.x
    largest = call.form.max
    value = x.restrict(Interval(-largest, largest))
    for present, name, default in (
        (x.nan, "nan", 0.0),
        (x.interval.contains(inf), "posinf", largest),
        (x.interval.contains(-inf), "neginf", -largest),
    ):
        if present:
            patch = call.setting(name) or constant(default)
            quiet = replace(patch, attained=NOTHING, scattered=NOTHING, dtype=x.dtype)
            value = value.join(quiet)
    return value


def _same(call: Call) -> Value:
    """The first operand: a view computes nothing"""
    return call.x


def _without_nan(call: Call) -> Value:
    """x; where every element may be NaN, the sum of the others is 0, and their mean NaN"""
    if not call.x.nan:
        return call.x
    return call.x.join(replace(constant(0.0), attained=NOTHING, dtype=call.x.dtype))


def _topk(call: Call) -> Value:
    """x; the one largest element is a point that x has in part only if no element is above it"""
    size, largest = call.setting("size"), call.setting("largest")
    if size != constant(1) or (largest is not None and largest.attained != frozenset({1.0})):
        return call.x
    far = frozenset(p for p in call.x.attained if p == call.x.interval.hi)
    return replace(call.x, attained=call.x.together | far, scattered=NOTHING)


def _diagonal(call: Call) -> Value:
    """x, or x ⊔ 0 if the function also makes a matrix of a vector, whose other elements are 0"""
    if call.setting("of") is None:
        return call.x
    return call.x.join(replace(constant(0.0), attained=NOTHING, dtype=call.x.dtype))


def _join(call: Call) -> Value:
    """⊔ of the operands: an element comes from one of them"""
    return reduce(Value.join, (finite_part(call, value) for value in call.operands))


ROWS: Final[Mapping[str, Row]] = {
    "maximum": _maximum,
    "minimum": _minimum,
    "clip": _clip,
    "relu": _relu,
    "relu6": _relu6,
    "where": _where,
    "nan_to_num": _nan_to_num,
    "sort": _same,
    "topk": _topk,
    "reshape": _same,
    "squeeze": _same,
    "expand_dims": _same,
    "transpose": _same,
    "diagonal": _diagonal,
    "broadcast": _same,
    "flatten": _same,
    "gather": _same,
    "subscript": _same,
    "boolean_mask": _same,
    "identity": _same,
    "detach": _same,
    "without_nan": _without_nan,
    "split": _same,
    "element": _same,
    "collect": _join,
    "concat": _join,
    "stack": _join,
}
