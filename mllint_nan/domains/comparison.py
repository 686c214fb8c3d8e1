"""Comparisons and logic: truth values that the intervals do not exclude.

The three outcomes are those of Kleene's logic; NaN is unordered, as in IEEE 754-2019.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from mllint_nan.domains import interval as intervals
from mllint_nan.domains.bounds import made
from mllint_nan.domains.call import BOTH, Call, Row, truth_values
from mllint_nan.domains.interval import UNIT
from mllint_nan.domains.value import Value


def booleans(call: Call, outcomes: Iterable[bool]) -> Value:
    """The outcomes that are not excluded, all of them attained"""
    points = frozenset(map(float, outcomes))
    return made(
        call,
        intervals.hull(points),
        nan=False,
        attained=points,
        integer=True,
        free=False,
        dtype="bool",
    )


def _ordered(strict: bool, swapped: bool) -> Row:
    """x < y and the like, decided if the intervals do not overlap"""

    def row(call: Call) -> Value:
        first, second = (call.y, call.x) if swapped else (call.x, call.y)
        x, y = call.hull(first), call.hull(second)
        if strict:
            holds, fails = x.hi < y.lo, x.lo >= y.hi
        else:
            holds, fails = x.hi <= y.lo, x.lo > y.hi
        if x.is_empty or y.is_empty:
            return booleans(call, {False})
        if fails:
            return booleans(call, {False})
        return booleans(call, {True} if holds and not call.nan else {True, False})

    return row


def _equal(outcome: bool) -> Row:
    """x = y, excluded if the intervals do not meet; NaN equals nothing"""

    def row(call: Call) -> Value:
        x, y = call.x, call.y
        if call.hull(x).meet(call.hull(y)).is_empty:
            return booleans(call, {not outcome})
        if x.is_constant and y.is_constant and x.lo == y.lo:
            return booleans(call, {outcome})
        return booleans(call, {True, False})

    return row


def _logical(function: Callable[[bool, bool], bool]) -> Row:
    """The outcomes of the possible truth values"""

    def row(call: Call) -> Value:
        return booleans(
            call, {function(p, q) for p in truth_values(call.x) for q in truth_values(call.y)}
        )

    return row


def _logical_not(call: Call) -> Value:
    """The opposite of each possible truth value"""
    return booleans(call, {not truth for truth in truth_values(call.x)})


def _either(_: Call) -> Value:
    """0 or 1: nothing is excluded"""
    return Value(UNIT, attained=BOTH, integer=True, dtype="bool")


def _isinf(call: Call) -> Value:
    """0 for a finite interval, otherwise 0 or 1"""
    return booleans(call, {False} if call.x.interval.is_finite else {True, False})


ROWS: Final[Mapping[str, Row]] = {
    "eq": _equal(True),
    "ne": _equal(False),
    "lt": _ordered(strict=True, swapped=False),
    "le": _ordered(strict=False, swapped=False),
    "gt": _ordered(strict=True, swapped=True),
    "ge": _ordered(strict=False, swapped=True),
    "logical_and": _logical(lambda p, q: p and q),
    "logical_or": _logical(lambda p, q: p or q),
    "logical_xor": _logical(lambda p, q: p != q),
    "logical_not": _logical_not,
    "isnan": _either,
    "isinf": _isinf,
    "isfinite": _either,
}
