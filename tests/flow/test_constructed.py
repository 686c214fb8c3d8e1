"""Attributes of objects made in a program: what the constructor was given, until it changes."""

from __future__ import annotations

import pytest

from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

PROGRAM = """
import torch
from torch import nn

encoder = nn.Linear(8, 8)


class Held:
    def __init__(self, value, scale=1.0):
        self.value = value
        self.scale = scale


class Moved:
    def __init__(self, value):
        self.value = value

    def move(self, by):
        self.value = self.value + by


def floored(held):
    held.value = held.value + 1e-6


def f(x):
    {}
"""
MADE = "held = Held(torch.softmax(encoder(x), -1))"


def reported(text: str) -> list[str]:
    return [one.code for one in check_text(text, "program.py", Settings())]


def codes(*lines: str) -> list[str]:
    return reported(PROGRAM.format("\n    ".join(lines)))


@pytest.mark.parametrize(
    "lines",
    [
        ("return torch.log(Held(torch.softmax(encoder(x), -1)).value)",),
        (MADE, "return torch.log(held.value)"),
        (MADE, "return torch.log(held.scale * held.value)"),
        (MADE, "other = held", "return torch.log(other.value)"),
        ("held = Held(value=torch.softmax(encoder(x), -1))", "return held.value.log()"),
    ],
)
def test_an_object_keeps_what_it_is_made_with(lines: tuple[str, ...]) -> None:
    assert {"NAN101", "NAN201"} & set(codes(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        (MADE, "held.value = held.value.clamp(min=1e-6)", "return torch.log(held.value)"),
        (MADE, "other = held", "other.value = x + 1", "return torch.log(held.value)"),
        (MADE, "floored(held)", "return torch.log(held.value)"),
        (
            "held = Moved(torch.softmax(encoder(x), -1))",
            "held.move(1e-6)",
            "return torch.log(held.value)",
        ),
        ("held = Held(torch.softmax(encoder(x), -1) + 1)", "return torch.log(held.value)"),
    ],
)
def test_an_object_that_is_changed_does_not(lines: tuple[str, ...]) -> None:
    assert not codes(*lines)


@pytest.mark.parametrize(
    "operand", ["{} * 1.0", "1 * {}", "{} + 0", "0.0 + {}", "{} - 0", "{} / 1"]
)
def test_a_number_that_changes_nothing_hides_nothing(operand: str) -> None:
    softmax = operand.format("torch.softmax(encoder(x), -1)")
    assert codes(f"return torch.log({softmax})") == ["NAN101"]
    bounded = operand.format("(torch.sigmoid(encoder(x)) + 1)")
    assert not codes(f"return torch.log({bounded})")


def test_a_mask_times_one_is_a_number() -> None:
    counted = ("mask = (x > 0) * 1.0", "return (x * mask).sum() / mask.sum()")
    assert codes(*counted) == ["NAN302"]


def test_an_entropy_of_masked_scores_in_another_function() -> None:
    program = """
import torch


def entropy(log_p):
    return -(log_p.exp() * log_p).sum(-1)


def loss(scores, legal):
    log_p = torch.log_softmax(scores{}, dim=-1)
    return entropy(log_p).mean()
"""
    masked = program.format('.masked_fill(~legal, float("-inf"))')
    assert reported(masked) == ["NAN202"]
    assert not reported(program.format(""))
