"""A negation goes into its operand as a person writes it, with the same bits and calls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mllint_nan.syntax.negation import negated, without_minus

CASES = [
    ("a", "-a"),
    ("-a", "a"),
    ("- a", "a"),
    ("2", "-2"),
    ("-2", "2"),
    ("a - b", "b - a"),
    ("a-b", "b-a"),
    ("1 - a", "a - 1"),
    ("a - (b + c)", "b + c - a"),
    ("a - b * c", "b * c - a"),
    ("a + b", "-(a + b)"),
    ("a + b - c", "c - (a + b)"),
    ("a - b - c", "b - a + c"),
    ("a - b + c", "b - a - c"),
    ("-a + b", "a - b"),
    ("-a - b", "a + b"),
    ("-a * b - c", "a * b + c"),
    ("-(a + b)", "a + b"),
    ("-a * b", "a * b"),
    ("a * -b", "a * b"),
    ("a / -b", "-(a / -b)"),
    ("a * b", "-(a * b)"),
    ("0.5 * a", "-0.5 * a"),
    ("a * (b - c)", "a * (c - b)"),
    ("(b - c) / a", "(c - b) / a"),
    ("a * b * (b - c) / d", "a * b * (c - b) / d"),
    ("a * (-b - c)", "a * (b + c)"),
    ("-a * (b - c)", "a * (b - c)"),
    ("a / (b - c)", "-(a / (b - c))"),
    ("a**2", "-a**2"),
    ("-a**2", "a**2"),
    ("a // b", "-(a // b)"),
    ("abs(a - b)", "-abs(a - b)"),
    ("a if b > c else d", "-(a if b > c else d)"),
]


@pytest.mark.parametrize(("code", "expected"), CASES)
def test_minus_goes_into_the_operand(code: str, expected: str) -> None:
    assert negated(code) == expected


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
@pytest.mark.parametrize("code", [code for code, _ in CASES])
def test_negation_has_the_same_bits(code: str, dtype: type[np.generic]) -> None:
    numbers = np.array((0.0, 1.0, -1.0, 0.1, -7.3, 1e4)).astype(dtype)
    every = [axis.ravel() for axis in np.meshgrid(*[numbers] * 4)]
    # A condition takes one number at a time.
    rows = zip(*every, strict=True) if " if " in code else [every]
    after = negated(code)
    with np.errstate(all="ignore"):
        for values in rows:
            names = dict(zip("abcd", values, strict=True))
            expected = eval(f"-({code})", {**names})
            np.testing.assert_array_equal(eval(after, {**names}), expected, err_msg=str(names))


@pytest.mark.parametrize(
    "code",
    ["first() - second()", "2 * (first() - second())", "(first() - 1) - second()", "-first()"],
)
def test_calls_keep_their_order(code: str) -> None:
    def called(text: str) -> tuple[float, list[str]]:
        order: list[str] = []

        def made(name: str, value: float) -> Callable[[], float]:
            return lambda: (order.append(name), value)[1]

        names = {"first": made("first", 5.0), "second": made("second", 3.0)}
        return eval(text, {**names}), order

    assert called(negated(code)) == called(f"-({code})")


def test_calls_that_only_compute_change_places() -> None:
    assert negated("a.exp() - b.exp()") == "-(a.exp() - b.exp())"
    assert negated("a.exp() - b.exp()", lambda call: call == "a.exp()") == "b.exp() - a.exp()"


def test_what_a_minus_would_be_added_to_is_left_alone() -> None:
    assert without_minus("a") is None
    assert without_minus("a * b") is None
    assert without_minus("a + b") is None


@pytest.mark.parametrize("code", ["(a -\n b)", "a - b  # why", "a -"])
def test_what_is_no_plain_line_gets_parentheses(code: str) -> None:
    assert negated(code) == f"-({code})"
