"""Which calls of a function are made after which, and what they leave of the names around them."""

from __future__ import annotations

from textwrap import indent

import pytest

from mllint_nan.flow.call_order import calls_after, calls_before
from mllint_nan.flow.interpreter import Interpreter
from tests.flow.analysed import analysed

CLIP = "torch.nn.utils.clip_grad_norm_(weights, 1.0)"
UNSCALE = "scaler.unscale_(optimizer)"
STEP = "scaler.step(optimizer)"


def in_function(*lines: str) -> Interpreter:
    body = indent("\n".join(lines), "    ")
    return analysed(f"def train(scaler, optimizer, weights, loss, mixed, other):\n{body}\n")


def names_around(interpreter: Interpreter, name: str) -> tuple[list[str], list[str]]:
    """The operations before and after the one called so, each nearest first."""
    effects = interpreter.analysis.effects
    call = next(one.term for one in effects if one.term.operation.name == name)
    before, after = calls_before(effects, call), calls_after(effects, call)
    return (
        [one.term.operation.name for one in before],
        [one.term.operation.name for one in after],
    )


def test_calls_are_in_order() -> None:
    around = names_around(in_function(UNSCALE, CLIP, STEP), "clip_gradient_norm")
    assert around == (["unscale"], ["scaled_step"])


def test_result_may_be_kept() -> None:
    around = names_around(in_function(UNSCALE, f"norm = {CLIP}", STEP), "clip_gradient_norm")
    assert around == (["unscale"], ["scaled_step"])


@pytest.mark.parametrize(
    "lines",
    [
        ("if mixed:", f"    {UNSCALE}", "else:", f"    {CLIP}"),
        (f"if mixed: {UNSCALE}", f"if not mixed: {CLIP}"),
        ("if mixed:", f"    {UNSCALE}", "    return", CLIP),
        ("if mixed is None:", f"    {CLIP}", f"if not mixed is None: {UNSCALE}"),
    ],
)
def test_branches_that_exclude_each_other_have_no_order(lines: tuple[str, ...]) -> None:
    assert names_around(in_function(*lines), "clip_gradient_norm") == ([], [])


@pytest.mark.parametrize(
    "lines",
    [
        (f"if mixed: {UNSCALE}", CLIP),
        (f"if mixed: {UNSCALE}", f"if other: {CLIP}"),
        (f"if mixed: {UNSCALE}", f"if mixed: {CLIP}"),
        (UNSCALE, f"if not mixed: {CLIP}"),
        (f"if loss.mean(dim=0): {UNSCALE}", f"if not loss.mean(dim=1): {CLIP}"),
    ],
)
def test_other_branches_may_be_taken_together(lines: tuple[str, ...]) -> None:
    assert names_around(in_function(*lines), "clip_gradient_norm") == (["unscale"], [])


def test_other_functions_have_an_order_of_their_own() -> None:
    text = f"def first(scaler, optimizer):\n    {UNSCALE}\n\ndef second(weights):\n    {CLIP}\n"
    assert names_around(analysed(text), "clip_gradient_norm") == ([], [])


def test_module_is_not_written_into_by_its_functions() -> None:
    text = "for x in xs:\n    torch.relu_(x)\n    torch.exp(x)\n"
    body = indent(text, "    ")
    occurrences = analysed(f"def each(xs):\n{body}").analysis.occurrences
    operand = next(one.term.operands for one in occurrences if one.term.operation.name == "exp")
    assert "torch" not in map(str, operand)
    assert [one.term.operation.name for one in occurrences].count("relu") == 1
