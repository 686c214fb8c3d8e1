"""What is exact where no format of a framework has digits left."""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal, localcontext

import pytest
from mpmath import mp

from mllint_nan.verify.execution.decimals import FUNCTIONS, REDUCTIONS, slope_of, value_of
from tests.verifier.oracle import _ELEMENTWISE

_OF_TWO = frozenset(
    re.findall(r"\w+", "add sub mul div pow maximum minimum logaddexp eq ne lt le gt ge")
)
COMPARED = sorted(FUNCTIONS.keys() & _ELEMENTWISE.keys() - {"where"} - REDUCTIONS.keys())
SATURATED = compile("log(sub(number(1), square(tanh(x))))", "<expression>", "eval")


@pytest.mark.parametrize("x", [20.0, 80.233, -90.5])
def test_what_saturates_has_digits(x: float) -> None:
    with mp.workdps(200):
        known = mp.log(1 - mp.tanh(x) ** 2)
    assert value_of(SATURATED, {"x": (x,)}, 0) == pytest.approx(float(known), rel=1e-14)
    slope = slope_of(SATURATED, {"x": (x,)}, (1.0,), ("x", 0))
    assert slope == pytest.approx(math.copysign(2.0, -x), rel=1e-14)


@pytest.mark.parametrize("name", ["exp", "log"])
def test_more_digits_are_not_those_of_before(name: str) -> None:
    shown = []
    for digits in (60, 240, 60):
        with localcontext(Context(prec=digits)):
            shown.append(len(str(FUNCTIONS[name](Decimal(3)))))
    assert shown == [61, 241, 61]


@pytest.mark.parametrize("text", ["log(x)", "div(x, x)", "log(neg(square(x)))", "log(sub(x, x))"])
def test_what_is_undefined_has_no_value(text: str) -> None:
    given = compile(text, "<expression>", "eval")
    assert not math.isfinite(value_of(given, {"x": (0.0,)}, 0))


def test_rows_that_do_not_go_together_have_no_value() -> None:
    given = compile("exp(gt(x, y))", "<expression>", "eval")
    assert value_of(given, {"x": (1.0, 2.0), "y": (1.0,)}, 0) == 1
    assert math.isnan(value_of(given, {"x": (1.0, 2.0), "y": (1.0, 2.0, 3.0)}, 0))
    assert math.isnan(value_of(given, {"x": (1.0,), "y": (1.0,)}, 1))


def test_kink_has_no_slope() -> None:
    kink = compile("abs(x)", "<expression>", "eval")
    assert math.isnan(slope_of(kink, {"x": (0.0,)}, (1.0,), ("x", 0)))
    assert slope_of(kink, {"x": (1.0, -2.0)}, (1.0, 3.0), ("x", 1)) == -3


def test_row_is_reduced() -> None:
    softmax = compile("div(exp(x), sum(exp(x)))", "<expression>", "eval")
    assert value_of(softmax, {"x": (1e3, 1e3)}, 1) == 0.5
    total = compile("logsumexp(x)", "<expression>", "eval")
    assert slope_of(total, {"x": (1e3, 1e3)}, (1.0,), ("x", 1)) == 0.5


@pytest.mark.parametrize(
    "name", sorted(FUNCTIONS.keys() & _ELEMENTWISE.keys() - {"where"} - REDUCTIONS.keys())
)
def test_functions_are_those_of_mpmath(name: str) -> None:
    function = _ELEMENTWISE[name]
    count = (
        2 if name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum", "logaddexp") else 1
    )
    count = 2 if name in _OF_TWO else 1
    names = ("x", "y")[:count]
    inputs = {"x": 0.375, "y": 1.25} if name != "acosh" else {"x": 1.5}
    rows = {each: (inputs[each],) for each in names}
    given = compile(f"{name}({', '.join(names)})", "<expression>", "eval")
    with mp.workdps(60):
        known = function(*(mp.mpf(inputs[each]) for each in names))
    assert value_of(given, rows, 0) == pytest.approx(float(known), rel=1e-15)
