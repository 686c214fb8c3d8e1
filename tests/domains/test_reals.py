"""Functions of real numbers have a value in place of each exception of the standard library."""

from __future__ import annotations

from math import inf, isnan

import pytest

from mllint_nan.domains import reals


@pytest.mark.parametrize("exponent", [0.5, -0.5, 246.5, -246.5])
def test_a_fractional_power_of_a_negative_number_is_nan(exponent: float) -> None:
    assert isnan(reals.power(-18.0, exponent))


@pytest.mark.parametrize(
    ("base", "exponent", "power"),
    [
        (-18.0, 246.0, inf),
        (-18.0, 247.0, -inf),
        (18.0, 246.5, inf),
        (-18.0, inf, inf),
        (-inf, 2.5, inf),
        (0.0, -1.0, inf),
    ],
)
def test_a_power_beyond_all_numbers_is_infinite(base: float, exponent: float, power: float) -> None:
    assert reals.power(base, exponent) == power
