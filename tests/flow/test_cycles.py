"""Whatever leads back to itself ends, and what stands beside it is reported."""

from __future__ import annotations

import ast

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, lint_text
from tests.flow.cyclic_programs import BY_HAND, FLAWED, HEAD, Generated

SEEDS = (*range(10), 102, 107)
"""The last ones have loops without a value, and paths that return nothing."""


def assert_is_analysed(text: str) -> None:
    ast.parse(text)
    outcome = lint_text(text, "model.py", Settings(min_confidence=Confidence.POSSIBLE))
    assert isinstance(outcome, Linted), outcome
    assert outcome.failures == ()
    assert "NAN101" in {finding.code for finding in outcome.findings}


@pytest.mark.parametrize("name", BY_HAND)
def test_circle_ends(name: str) -> None:
    assert_is_analysed(HEAD + BY_HAND[name] + FLAWED)


@pytest.mark.parametrize("seed", SEEDS)
def test_circles_at_random_end(seed: int) -> None:
    assert_is_analysed(Generated(seed).text)


def test_layer_behind_a_circle_is_seen() -> None:
    text = """
class Model(nn.Module):
    def __init__(self):
        self.state = self.state.view(-1)
        self.state = nn.Linear(2, 2)

    def forward(self, x):
        return torch.sqrt((self.state.weight() - self.state) ** 2)
"""
    assert_is_analysed(HEAD + text + FLAWED)
