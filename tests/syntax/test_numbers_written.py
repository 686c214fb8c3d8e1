"""Numbers that fixes write are spelled as they usually are."""

from __future__ import annotations

import pytest

from mllint_nan.syntax.precedence import ATOM, SIGN, number_text


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (0.0001, "1e-4"),
        (0.001, "1e-3"),
        (0.004, "4e-3"),
        (-0.0001, "-1e-4"),
        (1e-37, "1e-37"),
        (1e20, "1e20"),
        (0.01, "0.01"),
        (0.5, "0.5"),
        (0.0025, "0.0025"),
        (0.00123, "0.00123"),
        (0.0, "0.0"),
        (80.0, "80.0"),
        (1, "1"),
    ],
)
def test_number_is_written_in_the_shorter_way(value: float, code: str) -> None:
    text = number_text(value)
    assert text.code == code
    assert type(value)(float(code)) == value
    assert text.level == (SIGN if value < 0 else ATOM)
