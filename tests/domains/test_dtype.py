"""Rounding and neighbours agree with NumPy and PyTorch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mllint_nan.domains.dtype import (
    FORMATS,
    absorbs,
    canonical_name,
    is_float,
    is_integer,
    promote,
    round_to,
    step,
)
from tests.on_demand import installed

torch = installed("torch")

REAL = st.floats(allow_nan=False)
NUMPY = ["float16", "float32", "float64"]


@pytest.mark.parametrize("name", FORMATS)
def test_limits_are_those_of_torch(name: str) -> None:
    form, info = FORMATS[name], torch.finfo(getattr(torch, name))
    assert (form.eps, form.max, form.tiny) == (info.eps, info.max, info.tiny)
    assert form.smallest == info.tiny * info.eps


@pytest.mark.parametrize("name", NUMPY)
@given(REAL)
@example(65519.99999)
@example(65520.0)
@example(3.4028235677973366e38)
@example(2.0**-25)
@example(-0.0)
def test_rounding_is_that_of_numpy(name: str, number: float) -> None:
    with np.errstate(all="ignore"):
        expected = float(np.float64(number).astype(name))
    assert str(round_to(number, name)) == str(expected)


@given(st.floats(width=32, allow_nan=False))
@example(3.3961775292304601e38)
@example(1.00390625)
@example(1.01171875)
@example(9.183549615799121e-41)
@example(4.591774807899561e-41)
def test_bfloat16_rounding_is_that_of_torch(number: float) -> None:
    expected = float(torch.tensor(number, dtype=torch.float32).to(torch.bfloat16))
    assert round_to(number, "bfloat16") == expected


@pytest.mark.parametrize("name", FORMATS)
@given(number=REAL)
def test_rounding_is_idempotent(name: str, number: float) -> None:
    rounded = round_to(number, name)
    assert round_to(rounded, name) == rounded


@pytest.mark.parametrize("name", FORMATS)
@given(first=REAL, second=REAL)
def test_rounding_is_monotone(name: str, first: float, second: float) -> None:
    low, high = sorted((first, second))
    assert round_to(low, name) <= round_to(high, name)


@pytest.mark.parametrize("name", NUMPY)
@given(number=REAL)
@example(0.0)
@example(-0.0)
@example(math.inf)
def test_one_step_up_is_nextafter(name: str, number: float) -> None:
    member = np.float64(round_to(number, name)).astype(name)
    with np.errstate(all="ignore"):
        expected = float(np.nextafter(member, np.array(np.inf, name)))
    assert step(float(member), name, 1) == expected


@pytest.mark.parametrize("name", FORMATS)
@given(number=st.floats(-1e4, 1e4), count=st.integers(-40, 40))
def test_steps_lead_back(name: str, number: float, count: int) -> None:
    member = round_to(number, name)
    assert step(step(member, name, count), name, -count) == member


@pytest.mark.parametrize("name", FORMATS)
def test_steps_of_one_are_an_eps(name: str) -> None:
    form = FORMATS[name]
    assert step(1.0, name, 1) == 1.0 + form.eps
    assert step(0.0, name, 1) == form.smallest
    assert step(form.max, name, 3) == math.inf
    assert step(-math.inf, name, 1) == -form.max


# The measured table of epsilons that survive `1 - eps` and `0 + eps`.
@pytest.mark.parametrize(
    ("name", "big", "small", "absorbed"),
    [
        ("float32", 1.0, -1e-7, False),
        ("float32", 1.0, -1e-8, True),
        ("float16", 1.0, -1e-3, False),
        ("float16", 1.0, -1e-4, True),
        ("bfloat16", 1.0, -1e-3, True),
        ("float64", 1.0, -1e-15, False),
        ("float64", 1.0, -1e-20, True),
        ("float16", 0.0, 1e-7, False),
        ("float16", 0.0, 1e-8, True),
        ("bfloat16", 0.0, 1e-38, False),
        ("float32", 0.0, 1e-45, False),
        ("float32", 0.0, 1e-46, True),
        ("float32", math.inf, 1.0, True),
    ],
)
def test_absorbed_epsilons(name: str, big: float, small: float, absorbed: bool) -> None:
    assert absorbs(name, big, small) is absorbed


@pytest.mark.parametrize("name", FORMATS)
@given(big=st.floats(-1e4, 1e4), small=st.floats(-1e4, 1e4))
def test_absorption_is_that_of_torch(name: str, big: float, small: float) -> None:
    dtype = getattr(torch, name)
    first, second = torch.tensor(big, dtype=dtype), torch.tensor(small, dtype=dtype)
    assert absorbs(name, float(first), float(second)) is bool(first + second == first)


@pytest.mark.parametrize("first", FORMATS)
@pytest.mark.parametrize("second", FORMATS)
def test_promotion_is_that_of_torch(first: str, second: str) -> None:
    expected = torch.promote_types(getattr(torch, first), getattr(torch, second))
    assert f"torch.{promote(first, second)}" == str(expected)


def test_names() -> None:
    assert canonical_name("torch.half") == "float16"
    assert canonical_name("jnp.float32") == "float32"
    assert is_float("bfloat16") and not is_float("int8") and not is_float(None)
    assert is_integer("int64") and not is_integer("bool")
