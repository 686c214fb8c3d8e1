"""What is too long to be looked into is unknown, and costs no more than what is not."""

from __future__ import annotations

import libcst as cst
import pytest

from mllint_nan.flow.interpreter import analyse
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import CHOICE, walk
from mllint_nan.rulebook.match import Matcher
from mllint_nan.rulebook.pattern import Pattern
from mllint_nan.syntax.lower import lower_module

HEADER = "import torch\n"


def _analysed(text: str) -> Analysis:
    return analyse(lower_module(cst.parse_module(HEADER + text)))


def test_term_is_as_high_as_its_operations_are_applied_one_after_the_other() -> None:
    build = Builder()
    x = build.variable("x")
    assert (x.height, build.apply("exp", x).height) == (0, 1)
    assert build.apply("add", build.apply("exp", build.apply("exp", x)), x).height == 3


@pytest.mark.parametrize(
    "again",
    ["x = torch.tanh(x)", "x += 1.5", "x.mul_(2)", "self.x = self.x + y", "x = x if y else y / x"],
)
def test_value_made_in_many_steps_is_forgotten(again: str) -> None:
    body = "".join(f"    {again}\n" for _ in range(600))
    analysis = _analysed(f"def f(self, x, y):\n{body}    return torch.log(x)\n")
    sizes = [len(list(walk(occurrence.term))) for occurrence in analysis.occurrences]
    assert len(sizes) > 600
    assert max(sizes) < 1000


def test_choice_of_many_choices_is_matched_in_its_first_options() -> None:
    build = Builder()
    x = build.variable("x")
    nested = build.apply("exp", x)
    for number in range(1000):
        option = build.apply("add", x, build.constant(number))
        nested = build.leaf(CHOICE, "branch", (nested, nested, option))
    pattern = Pattern.parse("exp(x) | add(x, y)")
    matches = list(Matcher(build).match(pattern.term, nested))
    assert 0 < len(matches) < 100
