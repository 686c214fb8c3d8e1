"""The laws of truth, intervals and values."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mllint_nan.domains import interval as intervals
from mllint_nan.domains import value as values
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value, constant, free

NUMBERS = st.one_of(
    st.sampled_from([-inf, -2.0, -1.0, 0.0, 0.5, 1.0, 3.0, inf]), st.floats(allow_nan=False)
)
TRUTHS = st.sampled_from(Truth)


@st.composite
def some_intervals(draw: st.DrawFn) -> Interval:
    if draw(st.integers(0, 9)) == 0:
        return intervals.BOTTOM
    lo, hi = sorted((draw(NUMBERS), draw(NUMBERS)))
    return Interval(lo, hi)


INTERVALS = some_intervals()
CHOICES = st.integers(0, 2**13 - 1)


@st.composite
def some_values(draw: st.DrawFn) -> Value:
    interval = draw(INTERVALS)
    choices = draw(CHOICES)  # of thirteen, at once: to draw takes longer than what is asked then
    is_nan, is_integer, has_dtype, is_free, is_nonzero, *kept = (
        bool(choices >> bit & 1) for bit in range(13)
    )
    is_nonzero = is_nonzero and interval.lo < 0.0 < interval.hi
    if interval.is_empty and not is_nan:
        return values.BOTTOM
    points = [interval.lo, interval.hi, 0.0, 1.0]
    attained = {p for p, is_kept in zip(points, kept[:4], strict=True) if is_kept}
    attained = set(filter(interval.contains, attained)) - ({0.0} if is_nonzero else set())
    scattered = {p for p, is_kept in zip(points, kept[4:], strict=True) if is_kept} & attained
    return Value(
        interval,
        is_nan,
        frozenset(attained),
        is_integer,
        "float32" if has_dtype else None,
        is_free,
        frozenset(scattered),
        is_nonzero,
    )


VALUES = some_values()


def evidence(value: Value) -> Value:
    """`value` without the claim `free`, which takes no part in the order."""
    return Value(
        value.interval,
        value.nan,
        value.attained,
        value.integer,
        value.dtype,
        scattered=value.scattered,
        nonzero=value.nonzero,
    )


# Truth.


@given(TRUTHS, TRUTHS)
def test_truth_obeys_de_morgan(first: Truth, second: Truth) -> None:
    assert first.and_(second).not_() is first.not_().or_(second.not_())


@given(TRUTHS, TRUTHS)
def test_truth_commutes(first: Truth, second: Truth) -> None:
    assert first.and_(second) is second.and_(first)
    assert first.or_(second) is second.or_(first)


def test_unknown_decides_nothing() -> None:
    assert Truth.UNKNOWN.and_(Truth.NO) is Truth.NO
    assert Truth.UNKNOWN.and_(Truth.YES) is Truth.UNKNOWN
    assert Truth.UNKNOWN.or_(Truth.YES) is Truth.YES
    assert Truth.UNKNOWN.or_(Truth.NO) is Truth.UNKNOWN
    assert Truth.UNKNOWN.not_() is Truth.UNKNOWN


# Intervals.


@given(INTERVALS, INTERVALS, INTERVALS)
def test_interval_join_is_a_semilattice(a: Interval, b: Interval, c: Interval) -> None:
    assert a.join(a) == a
    assert a.join(b) == b.join(a)
    assert a.join(b).join(c) == a.join(b.join(c))


@given(INTERVALS, INTERVALS, INTERVALS)
def test_interval_meet_is_a_semilattice(a: Interval, b: Interval, c: Interval) -> None:
    assert a.meet(a) == a
    assert a.meet(b) == b.meet(a)
    assert a.meet(b).meet(c) == a.meet(b.meet(c))


@given(INTERVALS, INTERVALS)
def test_interval_bounds(a: Interval, b: Interval) -> None:
    assert a.leq(a.join(b)) and b.leq(a.join(b))
    assert a.meet(b).leq(a) and a.meet(b).leq(b)
    assert a.join(b).leq(a.widen(b))
    assert intervals.BOTTOM.leq(a) and a.leq(intervals.TOP)


@given(INTERVALS, INTERVALS)
def test_interval_order_agrees_with_join_and_meet(a: Interval, b: Interval) -> None:
    assert a.leq(b) == (a.join(b) == b) == (a.meet(b) == a)


@given(INTERVALS, INTERVALS, NUMBERS)
def test_interval_meet_is_intersection(a: Interval, b: Interval, number: float) -> None:
    assert a.meet(b).contains(number) == (a.contains(number) and b.contains(number))


@given(INTERVALS, st.lists(INTERVALS, min_size=12, max_size=12))
def test_interval_widening_terminates(start: Interval, steps: list[Interval]) -> None:
    moved = 0
    for other in steps:
        wider = start.widen(other)
        moved += wider != start
        start = wider
    assert moved <= 10


def test_no_interval_holds_nan() -> None:
    assert not intervals.TOP.contains(nan)
    assert intervals.point(nan) == intervals.BOTTOM
    assert intervals.hull([nan, 2.0, 1.0]) == Interval(1.0, 2.0)


# Values.


@given(VALUES, VALUES, VALUES)
def test_join_is_a_semilattice(a: Value, b: Value, c: Value) -> None:
    assert a.join(a) == a
    assert a.join(b) == b.join(a)
    assert evidence(a.join(b).join(c)) == evidence(a.join(b.join(c)))


@given(VALUES, VALUES, VALUES)
def test_meet_is_a_semilattice(a: Value, b: Value, c: Value) -> None:
    assert a.meet(a) == a
    assert a.meet(b) == b.meet(a)
    assert a.meet(b).meet(c) == a.meet(b.meet(c))


@given(VALUES, VALUES)
def test_join_and_widening_are_upper_bounds(a: Value, b: Value) -> None:
    assert a.leq(a.join(b)) and b.leq(a.join(b))
    assert a.join(b).interval.leq(a.widen(b).interval)
    assert a.leq(a.widen(b))


@given(VALUES, VALUES, NUMBERS | st.just(nan))
def test_join_and_meet_bound_the_elements(a: Value, b: Value, number: float) -> None:
    if a.contains(number) or b.contains(number):
        assert a.join(b).contains(number)
        assert a.widen(b).contains(number)
    assert a.meet(b).contains(number) == (a.contains(number) and b.contains(number))


@given(VALUES)
def test_bottom_is_neutral(a: Value) -> None:
    assert values.BOTTOM.join(a) == a == a.join(values.BOTTOM)
    assert values.BOTTOM.meet(a) == values.BOTTOM
    assert values.BOTTOM.leq(a)


@given(VALUES, VALUES)
def test_evidence_lies_in_the_interval(a: Value, b: Value) -> None:
    for value in (a, a.join(b), a.meet(b), a.widen(b), a.restrict(Interval(0.0, 1.0))):
        assert all(map(value.interval.contains, value.attained))
        assert value.scattered <= value.attained
        assert not (value.nonzero and 0.0 in value.attained)


@given(VALUES, st.lists(VALUES, min_size=30, max_size=30))
def test_widening_terminates(start: Value, steps: list[Value]) -> None:
    moved = 0
    for other in steps:
        wider = start.widen(other)
        moved += not wider.leq(start)
        start = wider
    assert moved <= 24


@given(VALUES, VALUES)
def test_a_free_join_leaves_no_gap(a: Value, b: Value) -> None:
    joined = a.join(b)
    ends = sorted(end for end in (a.lo, a.hi, b.lo, b.hi) if abs(end) < inf)
    between = [p / 2.0 + q / 2.0 for p, q in pairwise(ends)]
    for number in (*ends, *between):
        if joined.free and joined.interval.contains(number):
            assert any(value.free and value.interval.contains(number) for value in (a, b))


@given(VALUES, NUMBERS)
def test_questions_agree_with_the_elements(value: Value, number: float) -> None:
    if value.can_be(number) is Truth.NO:
        assert not value.contains(number)
    if value.contains(number):
        assert value.can_be_infinite() is not Truth.NO or abs(number) < inf
        assert value.can_be_negative() is not Truth.NO or number >= 0.0
        assert value.can_be_positive() is not Truth.NO or number <= 0.0
    if number in value.attained:
        assert value.can_be_negative() is Truth.YES or number >= 0.0
        assert value.can_exceed(0.5) is Truth.YES or number <= 0.5
        assert value.can_be_below(0.5) is Truth.YES or number >= 0.5


@pytest.mark.parametrize(
    ("value", "question", "answer"),
    [
        (free(), "can_be_negative", Truth.UNKNOWN),
        (free(), "can_be_infinite", Truth.NO),
        (values.TOP, "can_be_infinite", Truth.UNKNOWN),
        (values.TOP, "can_be_nan", Truth.NO),
        (constant(-1.0), "can_be_negative", Truth.YES),
        (constant(nan), "can_be_nan", Truth.YES),
        (constant(inf), "can_be_infinite", Truth.YES),
        (values.BOTTOM, "can_be_positive", Truth.NO),
        (Value(Interval(2.0, 3.0)), "can_be_positive", Truth.YES),
        (Value(Interval(2.0, 3.0), nan=True), "can_be_positive", Truth.UNKNOWN),
    ],
)
def test_answers(value: Value, question: str, answer: Truth) -> None:
    assert getattr(value, question)() is answer


def test_a_range_alone_is_no_evidence() -> None:
    assert free().can_be(0.0) is Truth.UNKNOWN
    assert Value(Interval(0.0, inf), attained=frozenset({0.0})).can_be(0.0) is Truth.YES
    assert Value(Interval(1.0, inf)).can_be(0.0) is Truth.NO
    assert Value(Interval(0.0, 2.0), integer=True).can_be(0.5) is Truth.NO
    assert constant(0.5).can_be(0.5) is Truth.YES


def test_a_guard_keeps_the_evidence_inside() -> None:
    mask = Value(Interval(0.0, 1.0), attained=frozenset({0.0, 1.0}))
    assert mask.restrict(Interval(0.5, inf)).attained == {1.0}
    assert free().restrict(Interval(0.0, inf)).free
    assert mask.restrict(Interval(2.0, 3.0)) == values.BOTTOM
