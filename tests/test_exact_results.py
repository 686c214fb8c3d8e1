"""The oracle against closed forms, and its units in the last place against neighbouring floats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import Term
from tests.verifier.oracle import Oracle
from tests.verifier.points import COARSE, FULL
from tests.verifier.units import Split

BUILD = Builder()
X = BUILD.variable("x")
SINGLE = FORMATS["float32"]


def slopes(term: Term, numbers: list[float], rows: int | None = 0) -> list[float]:
    oracle = Oracle(SINGLE)
    inputs = {"x": oracle.numbers(np.array(numbers))}
    found = oracle.exact(term, inputs, rows, np.ones, ("x",)).gradients["x"]
    return [float(each) for each in found]


def test_value_survives_cancellation() -> None:
    """1 + exp(-80) is 1 in double precision."""
    term = BUILD.apply("log", BUILD.apply("add", BUILD.constant(1), BUILD.apply("exp", X)))
    oracle = Oracle(SINGLE)
    (value,) = oracle.value(term, {"x": oracle.numbers(np.array([-80.0]))})
    assert float(value) == pytest.approx(math.exp(-80.0), rel=1e-15)


@pytest.mark.parametrize("x", [-100.0, -1.0, -1e-30, 1e-30, 0.5, 80.0])
def test_derivative_of_a_sigmoid(x: float) -> None:
    (slope,) = slopes(BUILD.apply("sigmoid", X), [x])
    assert slope == pytest.approx(math.exp(-abs(x)) / (1 + math.exp(-abs(x))) ** 2, rel=1e-12)


def test_derivative_of_large_inputs() -> None:
    (slope,) = slopes(BUILD.apply("square", X), [3e38])
    assert slope == pytest.approx(6e38, rel=1e-12)


def test_derivative_is_undefined_where_sides_differ() -> None:
    assert slopes(BUILD.apply("abs", X), [-2.0, 3.0]) == [-1.0, 1.0]
    assert math.isnan(*slopes(BUILD.apply("abs", X), [0.0]))
    assert math.isnan(*slopes(BUILD.apply("sqrt", X), [0.0]))


def test_no_derivative_through_what_is_detached() -> None:
    term = BUILD.apply("mul", X, BUILD.apply("detach", X))
    assert slopes(term, [3.0]) == [pytest.approx(3.0)]


def test_row_as_a_whole() -> None:
    total = BUILD.apply("sum", BUILD.apply("square", X))
    assert slopes(total, [1.0, 2.0], rows=None) == [pytest.approx(2.0), pytest.approx(4.0)]


@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("number", [1.0, 1.5, 0.3, 1e-4, -7.0, 6e4])
def test_neighbouring_floats_are_one_unit_apart(name: str, number: float) -> None:
    form = FORMATS[name]
    unit = math.ldexp(1.0, math.frexp(number)[1] - form.precision)
    with mp.workprec(200):
        exact = Split.of(np.array([mpf(number)], dtype=object))
    assert exact.ulps(np.array([number + 3 * unit]), form) == pytest.approx(3.0, rel=1e-9)


def test_error_below_a_double_is_seen() -> None:
    with mp.workprec(200):
        exact = Split.of(np.array([mpf(1) + mpf(2) ** -54], dtype=object))
    assert exact.ulps(np.array([1.0]), FORMATS["float64"]) == pytest.approx(0.25)


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16"])
def test_full_sweep_has_every_binade_of_both_signs(name: str) -> None:
    form = FORMATS[name]
    points = FULL.points(form)
    for sign in (1.0, -1.0):
        seen = {math.frexp(sign * point)[1] - 1 for point in points if sign * point > 0}
        assert seen >= set(range(form.lowest - form.precision + 1, form.highest + 1))


def test_sweep_has_the_points_where_functions_break() -> None:
    points = set(COARSE.points(SINGLE))
    for number in (1.0, SINGLE.eps, SINGLE.tiny, SINGLE.smallest, SINGLE.max):
        assert {0.0, number, -number} <= points
