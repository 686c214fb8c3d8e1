"""What is evidence, by default, and what is only not excluded: each beside a sound twin."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings
from tests.fixture_files import stated

TORCH = "import torch\nimport torch.nn.functional as F\n"
AUDIT = Settings(min_confidence=Confidence.POSSIBLE)


def _found(text: str, code: str) -> str:
    """How sure a code is of the text: the name of the confidence, or nothing."""
    findings = stated(check_text(TORCH + text, "script.py", AUDIT))
    return next((one.confidence.name.lower() for one in findings if one.code == code), "")


def _module(kept: str, exponent: str) -> str:
    return (
        f"class Loss(torch.nn.Module):\n    def __init__(self, gamma=0.75, power=2):\n"
        f"        super().__init__()\n        {kept}\n"
        f"    def forward(self, x):\n        return torch.sigmoid(x) ** {exponent}\n"
    )


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("def f(x, gamma=0.75):\n    return torch.sigmoid(x) ** gamma\n", "likely"),
        ("def f(x, gamma=0.75):\n    return torch.pow(torch.sigmoid(x), gamma)\n", "likely"),
        ("def f(x, gamma=2.0):\n    return torch.sigmoid(x) ** gamma\n", "possible"),
        ("def f(x, gamma):\n    return torch.sigmoid(x) ** gamma\n", "possible"),
        (
            "def f(x, gamma):\n    return torch.sigmoid(x) ** gamma\n"
            "def g(x):\n    return f(x, 0.5)\n",
            "likely",
        ),
        ("def f(x):\n    return torch.sigmoid(x) ** torch.tensor([0.04, 0.3])\n", "likely"),
        ("def f(x):\n    return torch.sigmoid(x) ** torch.tensor([1.0, 3.0])\n", ""),
        ("def f(x):\n    return torch.sigmoid(x) ** x.shape[0]\n", ""),
        (_module("self.gamma = gamma", "self.gamma"), "likely"),
        (_module("self.gamma = 0.75", "self.gamma"), "likely"),
        (_module("self.gamma = 2", "self.gamma"), ""),
        (_module("self.gamma = power", "self.gamma"), "possible"),
        (_module("self.gamma = power", "(1.0 / self.gamma)"), "likely"),
        (_module("self.register_buffer('w', torch.tensor([0.04, 0.3]))", "self.w"), "likely"),
        (_module("self.register_buffer('w', torch.tensor([1.0, 2.0]))", "self.w"), ""),
        (_module("self.w = torch.nn.Parameter(torch.ones(1))", "self.w"), "possible"),
    ],
)
def test_exponent_is_what_the_source_shows_of_it(text: str, confidence: str) -> None:
    assert _found(text, "NAN206") == confidence


@pytest.mark.parametrize(
    ("operand", "confidence"),
    [
        ("1 + torch.tanh(x)", "likely"),
        ("(1 + torch.tanh(x)) / 2", "likely"),
        ("0.5 + 0.5 * torch.tanh(x)", "likely"),
        ("1 + F.cosine_similarity(x, y)", "likely"),
        ("F.elu(x) + 1", "likely"),
        ("1.001 + torch.tanh(x)", ""),
        ("1 + torch.sigmoid(x)", ""),
        ("1 + x.abs()", ""),
        ("torch.relu(x) + 1e-8", ""),
        ("F.relu(torch.softmax(x, 1))", "likely"),
        ("1 / (1 + torch.exp(-x)) * torch.sigmoid(y)", "likely"),
    ],
)
def test_added_number_keeps_from_zero_only_what_does_not_reach_it(
    operand: str, confidence: str
) -> None:
    assert _found(f"def f(x, y):\n    return torch.log({operand})\n", "NAN201") == confidence


@pytest.mark.parametrize(
    ("divisor", "confidence"),
    [
        ("1 + torch.tanh(y)", "likely"),
        ("F.elu(y) + 1", "likely"),
        ("1 + 3 * torch.sin(y)", "possible"),
        ("1.1 + torch.tanh(y)", ""),
        ("1 + torch.relu(y)", ""),
    ],
)
def test_divisor_that_one_is_added_to(divisor: str, confidence: str) -> None:
    text = f"def f(x, y):\n    return x / ({divisor})\n"
    assert _found(text, "NAN309") == confidence


@pytest.mark.parametrize(
    ("summed", "code", "confidence"),
    [
        ("torch.exp(x.clamp(max=87)).sum()", "NAN504", "likely"),
        ("torch.exp(x.clamp(max=87)).mean()", "NAN504", "likely"),
        ("torch.exp(x.clamp(max=87)) * 2", "NAN504", ""),
        ("torch.exp(x.clamp(max=80)).sum()", "NAN504", ""),
        ("torch.exp(x.double().clamp(max=600)).sum()", "NAN504", ""),
        ("torch.exp(x.double().clamp(max=709)).sum()", "NAN504", "likely"),
        ("torch.exp(x.clamp(max=bound)).sum()", "NAN504", ""),
        ("torch.log(torch.exp(x.clamp(max=87)).sum())", "NAN104", "likely"),
        ("torch.log(torch.exp(x.clamp(max=80)).sum())", "NAN104", ""),
    ],
)
def test_sum_overflows_before_its_exponentials_do(summed: str, code: str, confidence: str) -> None:
    assert _found(f"def f(x, bound):\n    return {summed}\n", code) == confidence


@pytest.mark.parametrize(
    ("weights", "confidence"),
    [
        ("torch.relu(x)", "likely"),
        ("torch.relu(x) * t", "likely"),
        ("1 - torch.exp(-torch.relu(x) * t)", "likely"),
        ("(1 - torch.exp(-torch.relu(x) * t)) * torch.exp(-y)", "likely"),
        ("torch.relu(x) + 1e-6", ""),
        ("torch.exp(-x)", ""),
    ],
)
def test_weighted_mean_of_what_may_all_be_zero(weights: str, confidence: str) -> None:
    body = f"    w = {weights}\n    return (w * y).sum(-1) / w.sum(-1)\n"
    assert _found(f"def f(x, y, t):\n{body}", "NAN302") == confidence
