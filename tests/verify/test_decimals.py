"""What is exact where no format of a framework has digits left."""

from __future__ import annotations

import math
import re

import pytest
from mpmath import mp

from mllint_nan.verify.execution.decimals import FUNCTIONS, slope_of, value_of
from tests.verifier.oracle import _ELEMENTWISE

_OF_TWO = frozenset(
    re.findall(r"\w+", "add sub mul div pow maximum minimum logaddexp eq ne lt le gt ge")
)
SATURATED = compile("log(sub(number(1), square(tanh(x))))", "<expression>", "eval")


@pytest.mark.parametrize("x", [20.0, 80.233, -90.5])
def test_what_saturates_has_digits(x: float) -> None:
    with mp.workdps(200):
        known = mp.log(1 - mp.tanh(x) ** 2)
    assert value_of(SATURATED, {"x": x}) == pytest.approx(float(known), rel=1e-14)
    assert slope_of(SATURATED, {"x": x}, "x") == pytest.approx(math.copysign(2.0, -x), rel=1e-14)


@pytest.mark.parametrize("text", ["log(x)", "div(x, x)", "log(neg(square(x)))", "log(sub(x, x))"])
def test_what_is_undefined_has_no_value(text: str) -> None:
    assert not math.isfinite(value_of(compile(text, "<expression>", "eval"), {"x": 0.0}))


def test_kink_has_no_slope() -> None:
    kink = compile("abs(x)", "<expression>", "eval")
    assert math.isnan(slope_of(kink, {"x": 0.0}, "x"))
    assert slope_of(kink, {"x": -2.0}, "x") == -1


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() & _ELEMENTWISE.keys() - {"where"}))
def test_functions_are_those_of_mpmath(name: str) -> None:
    function = _ELEMENTWISE[name]
    count = (
        2 if name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum", "logaddexp") else 1
    )
    count = 2 if name in _OF_TWO else 1
    inputs = {"x": 0.375, "y": 1.25} if name != "acosh" else {"x": 1.5}
    names = ("x", "y")[:count]
    given = compile(f"{name}({', '.join(names)})", "<expression>", "eval")
    with mp.workdps(60):
        known = function(*(mp.mpf(inputs[each]) for each in names))
    assert value_of(given, inputs) == pytest.approx(float(known), rel=1e-15)
