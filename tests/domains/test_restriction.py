"""What a condition leaves of a value, element by element."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mllint_nan.domains.dtype import round_to, step
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.restriction import Restriction
from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value, constant, free

POINTS = [-inf, -2.0, -1.0, 0.0, 1.0, 2.0, inf]
NUMBERS = st.one_of(st.sampled_from(POINTS), st.floats(width=16, allow_nan=False))


@st.composite
def spans(draw: st.DrawFn) -> Interval:
    lo, hi = sorted((draw(NUMBERS), draw(NUMBERS)))
    return Interval(lo, hi)


@st.composite
def restrictions(draw: st.DrawFn) -> Restriction:
    return Restriction(draw(spans()), draw(st.frozensets(NUMBERS, max_size=3)), draw(st.booleans()))


@st.composite
def some_values(draw: st.DrawFn) -> Value:
    interval = draw(spans())
    ends = frozenset(draw(st.sets(st.sampled_from([interval.lo, interval.hi]))))
    is_nonzero = interval.lo < 0.0 < interval.hi and draw(st.booleans())
    return Value(interval, draw(st.booleans()), ends, draw(st.booleans()), nonzero=is_nonzero)


def admits(restriction: Restriction, number: float) -> bool:
    if number != number:
        return not restriction.number
    return restriction.interval.contains(number) and number not in restriction.holes


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@given(value=some_values(), restriction=restrictions(), number=NUMBERS | st.just(nan))
def test_what_is_admitted_is_left(
    dtype: str, value: Value, restriction: Restriction, number: float
) -> None:
    if value.contains(number) and admits(restriction, number):
        assert restriction.of(value, dtype).contains(number)


@given(value=some_values(), restriction=restrictions())
def test_nothing_is_added(value: Value, restriction: Restriction) -> None:
    left = restriction.of(value, "float32")
    assert left.interval.leq(value.interval)
    assert left.attained <= value.attained
    assert left.nan <= value.nan
    assert all(map(left.interval.contains, left.attained))


@given(restrictions(), restrictions(), NUMBERS)
def test_meet_is_intersection(first: Restriction, second: Restriction, number: float) -> None:
    assert admits(first.meet(second), number) == (admits(first, number) and admits(second, number))


@given(restrictions(), NUMBERS)
def test_negated_admits_the_opposite(restriction: Restriction, number: float) -> None:
    assert admits(restriction.negated(), -number) == admits(restriction, number)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("bound", [0.0, 1.0, 0.3])
def test_bound_that_is_excluded_moves_to_the_next_number_of_the_format(
    bound: float, dtype: str
) -> None:
    above = Restriction(Interval(bound, inf), frozenset({bound})).of(free(), dtype)
    assert above.lo > bound
    assert step(above.lo, dtype, -1) <= bound
    assert round_to(above.lo, dtype) == above.lo


def test_integers_move_by_one() -> None:
    count = Value(Interval(0.0, 9.0), attained=frozenset({0.0}), integer=True)
    nonzero = Restriction(holes=frozenset({0.0}))
    assert nonzero.of(count, "float32").interval == Interval(1.0, 9.0)
    assert not nonzero.of(count, "float32").attained
    half = Restriction(Interval(0.5, 8.5))
    assert half.of(count, "float32").interval == Interval(1.0, 8.0)


def test_zero_inside_of_a_range_is_left_out() -> None:
    nonzero = Restriction(holes=frozenset({0.0})).of(free(), "float32")
    assert nonzero.interval == free().interval
    assert nonzero.can_be(0.0) is Truth.NO
    assert nonzero.join(constant(1.0)).can_be(0.0) is Truth.NO
    assert nonzero.join(constant(0.0)).can_be(0.0) is Truth.YES
    assert Restriction(Interval(0.0, inf)).of(nonzero, "float32").lo > 0.0


def test_condition_that_cannot_hold_says_nothing() -> None:
    one = constant(1.0)
    assert Restriction(holes=frozenset({1.0})).of(one, "float32") == one
    assert Restriction(Interval(2.0, 3.0)).of(one, "float32") == one
    assert Restriction(holes=frozenset({inf})).of(constant(inf), "float32") == constant(inf)
