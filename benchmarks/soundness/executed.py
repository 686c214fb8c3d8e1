"""What a made-up program does on inputs, where nothing is said of its last line."""

from __future__ import annotations

import ast
import types
import warnings
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, Final

from benchmarks.soundness.programs import program
from mllint_nan.findings import Confidence
from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

_AUDIT: Final = Settings(min_confidence=Confidence.POSSIBLE)
_ROUNDS: Final = (0, 1, 2, 3)
"""What `n` is, which programs branch and loop by."""


class Outcome(Enum):
    """What comes of a program."""

    REPORTED = "the last line is reported"
    UNREAD = "no Python"
    FAILED = "silent, and every run raises an error"
    RIGHT = "silent, and no run refutes it"
    WRONG = "silent, and a run refutes it"


def judged(seed: int) -> Outcome:
    """Of the program of a seed. It is executed in this process."""
    text, operation = program(seed)
    try:
        ast.parse(text)
    except SyntaxError:
        return Outcome.UNREAD
    last = text.count("\n")
    if any(one.start.row == last for one in check_text(text, "program.py", _AUDIT)):
        return Outcome.REPORTED
    operands = list(_operands(text, seed))
    if any(_refutes(operation, operand) for operand in operands):
        return Outcome.WRONG
    return Outcome.RIGHT if operands else Outcome.FAILED


def _refutes(operation: str, operand: Any) -> bool:
    """Whether a finite operand has an element at which the operation is singular."""
    if not operand.isfinite().all():
        return False  # it broke before
    singular = {"log": operand <= 0, "reciprocal": operand == 0, "sqrt": operand < 0}
    return bool(singular[operation].any())


def _operands(text: str, seed: int) -> Iterator[Any]:
    """What the last operation of a program is given, in every run that raises no error."""
    import torch

    names: dict[str, Any] = {}
    exec(compile(text, "program.py", "exec"), names)
    function: Callable[..., tuple[Any, Any]] = names["f"]
    for x, y in _inputs(seed):
        for rounds in _ROUNDS:
            torch.manual_seed(seed)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    operand, _ = function(types.SimpleNamespace(), x.clone(), y.clone(), rounds)
            except Exception:
                continue
            if isinstance(operand, torch.Tensor):
                yield operand


def _inputs(seed: int) -> Iterator[tuple[Any, Any]]:
    """Two matrices of finite numbers: ordinary ones, equal ones, large ones, and edges."""
    import torch

    chance = torch.Generator().manual_seed(seed)
    yield torch.randn(3, 3, generator=chance) * 3, torch.randn(3, 3, generator=chance)
    yield torch.zeros(3, 3), torch.zeros(3, 3)
    yield torch.full((3, 3), -2.0), torch.full((3, 3), 2.0)
    yield torch.randn(3, 3, generator=chance) * 50, torch.eye(3)
    rows = [[-1.0, 0.0, 1.0], [0.5, -0.25, 2.0], [1e-3, 3.0, 0.0]]
    yield torch.tensor(rows), torch.tensor([[1.0, 0.0, 0.0], [2.0, 2.0, -1.0], [0.0, 0.0, 0.0]])
