"""A long line is broken as the common formatters break it, and means what it meant."""

from __future__ import annotations

import ast
import random
import subprocess
import sys

import pytest

from mllint_nan.syntax.breaking import broken, broken_inside


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (
            "    return torch.log(torch.clamp(probabilities, min=1e-9))",
            [
                "    return torch.log(",
                "        torch.clamp(probabilities, min=1e-9)",
                "    )",
            ],
        ),
        (
            "loss = torch.mean(torch.logaddexp(predicted - observed, 0))",
            [
                "loss = torch.mean(",
                "    torch.logaddexp(predicted - observed, 0)",
                ")",
            ],
        ),
        (
            "loss = torch.where(condition_of_it, torch.log(probabilities), zeros)",
            [
                "loss = torch.where(",
                "    condition_of_it,",
                "    torch.log(probabilities),",
                "    zeros,",
                ")",
            ],
        ),
        (
            "loss = first_summand_of_it + second_summand_of_it + the_last",
            [
                "loss = (",
                "    first_summand_of_it",
                "    + second_summand_of_it",
                "    + the_last",
                ")",
            ],
        ),
        (
            "x = frame.clamp(minimum_of_it).log_softmax(axis_of_it).mean()",
            [
                "x = (",
                "    frame.clamp(minimum_of_it)",
                "    .log_softmax(axis_of_it)",
                "    .mean()",
                ")",
            ],
        ),
        (
            "mean, deviation = values.mean(), (values.var() + 1e-12).sqrt()",
            [
                "mean, deviation = (",
                "    values.mean(),",
                "    (values.var() + 1e-12).sqrt(),",
                ")",
            ],
        ),
        (
            "if not is_first_of_them and value_of_it not in other_values:",
            [
                "if (",
                "    not is_first_of_them",
                "    and value_of_it not in other_values",
                "):",
            ],
        ),
        (
            "rows = [torch.log(one) for one in rows_of_it if one is not None]",
            [
                "rows = [",
                "    torch.log(one)",
                "    for one in rows_of_it",
                "    if one is not None",
                "]",
            ],
        ),
    ],
)
def test_line_is_broken_at_its_brackets_and_operators(line: str, lines: list[str]) -> None:
    assert broken(line, 44) == lines


@pytest.mark.parametrize(
    "line",
    [
        "x = a_name_that_is_far_too_long_for_this",
        "def function_of_many(parameters, and_more, of_them):",
        "import torch.nn.functional, numpy.linalg",
        "x = f(a_name_that_is_far_too_long_for_this)",
        "x = 'a string that is far too long for this'",
        "x = f(  # why",
    ],
)
def test_what_cannot_be_broken_stays(line: str) -> None:
    assert broken(line, 30) is None


def test_row_between_brackets_gets_a_comma_behind_its_last_item() -> None:
    assert broken_inside("    values.sum(), values.mean(), 1", 24) == [
        "    values.sum(),",
        "    values.mean(),",
        "    1,",
    ]
    assert broken_inside("    torch.log(values, 1),", 20) == [
        "    torch.log(",
        "        values, 1",
        "    ),",
    ]
    assert broken_inside("    values,", 24) is None


_NAMES = ["x", "logits", "self.weight", "probabilities", "config.temperature", 'batch["labels"]']
_FUNCTIONS = ["torch.log", "torch.clamp", "F.softmax", "self.net", "np.sqrt", "torch.where"]


def _expression(draw: random.Random, depth: int) -> str:
    if depth <= 0:
        return draw.choice([*_NAMES, "1e-12"])
    inner = [_expression(draw, depth - draw.choice((1, 2))) for _ in range(3)]
    match draw.randrange(7):
        case 0 | 1:
            few = draw.randrange(1, 4)
            return f"{draw.choice(_FUNCTIONS)}({', '.join(inner[:few])})"
        case 2:
            return f"{draw.choice(_FUNCTIONS)}({inner[0]}, dim={inner[1]})"
        case 3:
            return f"{draw.choice(_NAMES)}.{draw.choice(('sum', 'mean'))}({inner[0]})"
        case 4:
            return f"({inner[0]} {draw.choice('+-*/')} {inner[1]})"
        case 5:
            return f"{draw.choice(_NAMES)} {draw.choice('+-*/')} {inner[1]}"
        case _:
            return f"{draw.choice(_NAMES)} + {inner[0]} * {inner[1]} - {inner[2]}"


def _formatted(text: str, limit: int) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", f"--line-length={limit}", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def test_lines_are_broken_as_a_formatter_does() -> None:
    draw = random.Random(0)
    starts = ("return ", "loss = ", "total += ", "self.first, other = ", "x[mask] = ", "")
    bodies = [f"    {draw.choice(starts)}{_expression(draw, 4)}" for _ in range(900)]
    text = "".join(f"def f():\n{body}\n\n\n" for body in bodies if 88 < len(body) < 180)
    long, short = (
        [body.split("\n", 1)[1].rstrip("\n") for body in _formatted(text, limit).split("def ")[1:]]
        for limit in (320, 88)
    )
    pairs = [(one, other) for one, other in zip(long, short, strict=True) if one != other]
    ours = ["\n".join(broken(one, 88) or [one]) for one, _ in pairs]
    assert len(pairs) > 200
    for (one, _), own in zip(pairs, ours, strict=True):
        code, again = (ast.dump(ast.parse(f"def f():\n{text}")) for text in (one, own))
        assert again == code
    alike = sum(own == other for own, (_, other) in zip(ours, pairs, strict=True))
    assert alike >= 0.95 * len(pairs)
