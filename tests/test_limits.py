"""What leaves a format, or is flat in it, is audited if its family is selected."""

from __future__ import annotations

from typing import Final

import pytest

from mllint_nan.findings import Confidence, Finding
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

OFF: Final = Settings(min_confidence=Confidence.POSSIBLE)
LIMITS: Final = Settings(select=("limits",), min_confidence=Confidence.POSSIBLE)
PROGRAM: Final = """\
import math
import torch
import torch.nn.functional as F


def f(x: torch.Tensor, y: torch.Tensor, scale: float, steps: int, name: str):
    return {}
"""


def audited(returned: str, settings: Settings = LIMITS) -> tuple[Finding, ...]:
    return check_text(PROGRAM.format(returned), "a.py", settings)


def codes(returned: str) -> list[str]:
    return [finding.code for finding in audited(returned)]


OVERFLOWS: Final = (
    "x + y",
    "x - y",
    "x * y",
    "2 * x",
    "x / 0.5",
    "x**2",
    "x**3",
    "x @ y",
    "x.sum()",
    "x.mean(0)",
    "x.cumsum(0)",
    "x.var()",
    "torch.norm(x)",
    "torch.einsum('i,i->', x, y)",
    "torch.linalg.det(x)",
    "torch.inverse(x)",
    "torch.log_softmax(x, -1)",
    "torch.special.log_ndtr(x)",
    "F.binary_cross_entropy_with_logits(x, y)",
    "x[..., 0] * y[..., 0]",
    "torch.cos(x) * y",
    "x.half()",
    "x.to(torch.float16)",
    "x.to(y.dtype)",
    "x.double()",
    "x.double().float()",
    "torch.atan2(y, x)",
)


@pytest.mark.parametrize("returned", OVERFLOWS)
def test_arithmetic_that_may_leave_the_format_is_audited(returned: str) -> None:
    assert "NAN508" in codes(returned)
    assert "NAN508" not in [finding.code for finding in audited(returned, OFF)]
    assert {finding.confidence for finding in audited(returned)} == {Confidence.POSSIBLE}


@pytest.mark.parametrize(
    "returned",
    [
        "x + 1",
        "x - 1e-6",
        "0.5 * x",
        "x / 2",
        "torch.tanh(x) + torch.sigmoid(y)",
        "torch.tanh(x) ** 2",
        "torch.tanh(x).sum()",
        "torch.softmax(x, -1) @ torch.tanh(y)",
        "x.detach().clamp(-10, 10) * y.detach().clamp(-10, 10)",
        "torch.cos(x.detach()) * (y > 0)",
        "scale * 2.0",
        "math.sqrt(2.0) * scale",
        "steps * 2",
        "x.shape[0] * y.shape[0]",
        "(x > 0).sum()",
        "name + '.pt'",
        "x.float()",
        "x.to('cuda')",
        "x.to(y.device)",
        "x.long()",
        "torch.tanh(x).half()",
        "x.detach().double()",
    ],
)
def test_arithmetic_that_stays_in_the_format_is_quiet(returned: str) -> None:
    assert "NAN508" not in codes(returned)


@pytest.mark.parametrize(
    "returned",
    [
        "torch.sigmoid(x)",
        "torch.sigmoid(x.clamp(max=20))",
        "x.tanh()",
        "torch.softmax(x, -1)",
        "torch.exp(-(x**2))",
        "torch.erf(x)",
        "x.clamp(0, 1)",
        "x.clamp(min=scale)",
        "torch.sigmoid(x).clamp(min=0.1)",
    ],
)
def test_function_that_may_be_flat_is_audited(returned: str) -> None:
    assert "NAN509" in codes(returned)
    assert "NAN509" not in [finding.code for finding in audited(returned, OFF)]


@pytest.mark.parametrize(
    "returned",
    [
        "torch.sigmoid(torch.sin(x))",
        "torch.sigmoid(10 * torch.sin(x))",
        "torch.tanh(torch.cos(x))",
        "torch.softmax(torch.sin(x), -1)",
        "torch.exp(torch.relu(x))",
        "torch.sigmoid(x.detach())",
        "torch.sin(x).clamp(-1, 1)",
        "math.exp(scale)",
    ],
)
def test_function_that_stays_steep_is_quiet(returned: str) -> None:
    assert "NAN509" not in codes(returned)


def test_half_precision_is_flat_sooner() -> None:
    assert "NAN509" not in codes("torch.sigmoid(12 * torch.sin(x))")
    assert "NAN509" in codes("torch.sigmoid(12 * torch.sin(x.half()))")


def test_rules_that_are_on_by_default_have_the_first_word() -> None:
    settings = Settings(select=("NAN", "limits"), min_confidence=Confidence.POSSIBLE)
    assert [one.code for one in audited("x / y", settings)] == ["NAN309"]
    assert [one.code for one in audited("torch.exp(x)", settings)] == ["NAN504"]
