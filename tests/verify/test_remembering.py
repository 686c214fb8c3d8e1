"""What was executed once is remembered, and nothing else is taken for it."""

from __future__ import annotations

import math
from dataclasses import replace
from types import CodeType

import pytest

from mllint_nan.verify.execution.adapters import FAILED, Names, Seen
from mllint_nan.verify.execution.inputs import Layout, Point, Variable
from mllint_nan.verify.execution.remembering import Remembering

X = Variable("x", -10.0, 10.0, is_integer=False, is_boolean=False, is_differentiable=True)
LAYOUT = Layout([X], (1,))
NAMES: Names = {}


class Counting:
    """An adapter that tells its executions apart."""

    finest, eps = "float64", 2.0**-52

    def __init__(self) -> None:
        self.executions = 0

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        self.executions += 1
        return Seen(
            [float(eval(code, {**names, "x": point["x"][0], "sign": math.copysign}))], "", []
        )

    def kind(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> str:
        return self.run(code, names, point, layout, dtype).kind


def code_of(text: str) -> CodeType:
    return compile(text, "<expression>", "eval")


def test_same_is_executed_once() -> None:
    counting = Counting()
    remembering = Remembering(counting)
    for _ in range(3):
        seen = remembering.run(code_of("x + 1"), NAMES, {"x": [2.0]}, LAYOUT, "float32")
        assert seen.value == [3.0]
    assert counting.executions == 1


def test_zero_of_the_other_sign_is_another_input() -> None:
    remembering = Remembering(Counting())
    found = [
        remembering.run(code_of("sign(1, x)"), NAMES, {"x": [zero]}, LAYOUT, "float32").value
        for zero in (0.0, -0.0)
    ]
    assert found == [[1.0], [-1.0]]


@pytest.mark.parametrize(
    ("code", "names", "point", "layout", "dtype"),
    [
        ("x * 3", NAMES, {"x": [2.0]}, LAYOUT, "float32"),
        ("x * 2", {"y": 1}, {"x": [2.0]}, LAYOUT, "float32"),
        ("x * 2", NAMES, {"x": [3.0]}, LAYOUT, "float32"),
        ("x * 2", NAMES, {"x": [2.0]}, replace(LAYOUT, shape=()), "float32"),
        ("x * 2", NAMES, {"x": [2.0]}, replace(LAYOUT, narrow="x"), "float32"),
        ("x * 2", NAMES, {"x": [2.0]}, Layout([replace(X, is_number=True)], (1,)), "float32"),
        ("x * 2", NAMES, {"x": [2.0]}, Layout([replace(X, is_boolean=True)], (1,)), "float32"),
        ("x * 2", NAMES, {"x": [2.0]}, LAYOUT, "float64"),
    ],
)
def test_other_is_executed(
    code: str, names: Names, point: Point, layout: Layout, dtype: str
) -> None:
    counting = Counting()
    remembering = Remembering(counting)
    remembering.run(code_of("x * 2"), NAMES, {"x": [2.0]}, LAYOUT, "float32")
    remembering.run(code_of(code), names, point, layout, dtype)
    assert counting.executions == 2


def test_failure_is_remembered_and_errors_of_kinds_are_told() -> None:
    counting = Counting()
    remembering = Remembering(counting)
    for _ in range(2):
        seen = remembering.run(code_of("1 / x"), NAMES, {"x": [0.0]}, LAYOUT, "float32")
        assert seen is FAILED
    assert counting.executions == 1
    with pytest.raises(ZeroDivisionError):
        remembering.kind(code_of("1 / x"), NAMES, {"x": [0.0]}, LAYOUT, "float32")
