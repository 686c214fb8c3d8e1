"""What the source shows of an operand are the inputs on which a fix is executed."""

from __future__ import annotations

import math

import pytest

from mllint_nan.findings import Confidence, Hazard, Proof, Verified
from mllint_nan.linter import Linted, lint_text
from mllint_nan.settings import Settings
from mllint_nan.verify.cut import Cut
from mllint_nan.verify.execution.formats import Format
from mllint_nan.verify.execution.inputs import Variable as Input
from mllint_nan.verify.render import render
from mllint_nan.verify.variables import Variable
from mllint_nan.verify.verifier import Verifier

PROGRAM = """\
import torch


def f(x, mask, counts):
    filled = counts.clone()
    filled[counts == 0] = 1.0
    return {}
"""


class Reading(Verifier):
    """Executes nothing, and keeps what would have been."""

    def __init__(self) -> None:
        super().__init__(trusts_findings=True)
        self.cuts: list[Cut] = []

    def proof_of(self, parts: Cut, hazard: Hazard, *, is_safe: bool) -> Proof:
        self.cuts.append(parts)
        return Proof(Verified.PROVED, "", None, None, 0, 0.0)


def cut_of(expression: str) -> Cut:
    with Reading() as reading:
        settings = Settings(verifier=reading, min_confidence=Confidence.POSSIBLE)
        assert isinstance(lint_text(PROGRAM.format(expression), "a.py", settings), Linted)
    assert reading.cuts, f"nothing is cut out of {expression}"
    return reading.cuts[0]


def input_of(expression: str, place: int = 0) -> Variable:
    return cut_of(expression).variables[place]


@pytest.mark.parametrize(
    "expression",
    [
        "torch.log(torch.softmax(x.masked_fill(~mask, float('-inf')), dim=-1))",
        "torch.log(torch.softmax(torch.where(mask, x, -torch.inf), dim=-1))",
    ],
)
def test_infinity_of_a_mask_stays(expression: str) -> None:
    parts = cut_of(expression)
    assert 'where(mask, x, float("-inf"))' in render(parts).before
    assert {each.name: each.is_boolean for each in parts.variables} == {"mask": True, "x": False}


@pytest.mark.parametrize(
    "expression",
    ["x / counts[counts > 0].sum()", "torch.log(torch.softmax(counts[counts > 0], dim=-1))"],
)
def test_zeros_that_are_selected_out_are_no_inputs(expression: str) -> None:
    assert input_of(expression, -1).lo > 0


def test_what_is_not_selected_out_is_an_input() -> None:
    assert input_of("torch.log(torch.softmax(counts[counts < 9], dim=-1))").lo < 0


@pytest.mark.parametrize(
    "expression",
    [
        "torch.log(torch.softmax(x.masked_fill(mask == 0, -1e9), dim=-1))",
        "(x * mask).sum() / (mask != 0).sum()",
    ],
)
def test_masks_that_are_compared_are_whole_numbers(expression: str) -> None:
    masks = {each.name: each for each in cut_of(expression).variables}
    assert (masks["mask"].is_integer, masks["mask"].lo, masks["mask"].hi) == (True, 0.0, 1.0)


def test_what_is_drawn_below_1_is_never_1() -> None:
    drawn = input_of("-torch.log(-torch.log(torch.rand(3)))")
    assert drawn.lo == 0.0
    assert drawn.hi == 1 - math.ldexp(1.0, -24)


@pytest.mark.parametrize(
    "expression",
    [
        "x / counts[counts != 0].sum()",
        "torch.log(torch.softmax(counts[counts != 0], dim=-1))",
        "torch.log(torch.sigmoid(counts[counts != 0]))",
        "torch.log(torch.softmax(counts[torch.where(counts != 0)], dim=-1))",
        "torch.log(torch.softmax(filled, dim=-1))",
    ],
)
def test_one_number_that_is_selected_out_is_no_input(expression: str) -> None:
    parts = cut_of(expression)
    counts = next(each for each in parts.variables if each.name not in ("x", "mask"))
    assert counts.lo < 0 < counts.hi
    assert 0.0 in counts.holes


def test_what_is_never_there_is_never_tried() -> None:
    form = Format("float32")
    fraction = Input("x", -8.0, 8.0, False, False, True, holes=[0.0, 2.0])
    tried = [fraction.admit(number, form) for number in (0.0, -0.0, 2.0, 1.0, 1e-60)]
    assert not {0.0, 2.0} & set(tried)
    assert tried[3] == 1.0
    whole = Input("n", -8.0, 8.0, True, False, False, holes=[0.0, 1.0])
    assert whole.admit(0.0, form) == 2.0
