"""Origins in planted programs: each on its line and column, and none in its sound twin."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from benchmarks.witnesses.events import Event  # noqa: E402
from benchmarks.witnesses.record_torch import Recorder  # noqa: E402

_numbers = itertools.count()

HEAD = """\
import math
import torch
import torch.nn.functional as F
from torch import nn


"""


def module(folder: Path, body: str) -> ModuleType:
    """The package `planted` whose function `program` has this body."""
    root = folder / "planted"
    root.mkdir(exist_ok=True)
    path = root / f"program{next(_numbers)}.py"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    path.write_text(f"{HEAD}def program(x):\n{lines}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def events(folder: Path, body: str, x: Any, weight: Any = None) -> list[Event]:
    """What is told of `program(x)` and its gradient."""
    program = module(folder, body).program
    found: list[Event] = []
    recorder = Recorder([folder / "planted"], found.append)
    with recorder:
        result = program(x)
        if isinstance(result, torch.Tensor) and result.requires_grad:
            ((result * (1 if weight is None else weight)).sum()).backward()
    return found


def told(found: list[Event]) -> list[tuple[int, int, str, str]]:
    """Row in the body and column in its line, both 1-based; the operation; the effect."""
    head = HEAD.count("\n") + 1
    return [(one.line - head, one.column - 4, one.operation, one.effect.value) for one in found]


def given(*numbers: float, grad: bool = True) -> Any:
    return torch.tensor(numbers, dtype=torch.float32, requires_grad=grad)


BROKEN = [
    ("return x.log()", given(0, 1), (1, 8, "log", "value")),
    ("y = 1 + x\nreturn (y - 1) / x", given(0, 1), (2, 8, "div", "value")),
    ("return 1 / x", given(0.0), (1, 8, "div", "value")),
    ("return torch.sqrt(x).sum()", given(0, 1), (1, 8, "sqrt", "gradient")),
    ("return x.norm().sqrt()", given(0, 0), (1, 8, "sqrt", "gradient")),
    ("return torch.where(x > 0, x.sqrt(), 0)", given(0, 1), (1, 27, "sqrt", "gradient")),
    ("return 2 * x.var().sqrt()", given(1, 1, 1), (1, 12, "sqrt", "gradient")),
    ("return torch.log(\n  torch.softmax(x, 0)\n)", given(0, 200), (1, 8, "log", "value")),
    ("return (x ** 0.5)", given(0, 1), (1, 9, "pow", "gradient")),
    ("y = x * 1\ny.div_(x)\nreturn y", given(0, 1), (2, 1, "div", "value")),
    ("y = x * 1\ny.sqrt_()\nreturn y", given(0, 1), (2, 1, "sqrt", "gradient")),
    ("y = x.exp()\nreturn y - y", given(100.0), (1, 5, "exp", "value")),
    ("return torch.sigmoid(x)", given(200.0), (1, 8, "sigmoid", "dead")),
    ("return x.clamp(1e-6, 1).log()", given(-3.0), (1, 8, "clamp", "dead")),
    (
        "s = x.masked_fill(x < 5, -math.inf)\nreturn F.softmax(s, 0)",
        given(0, 1),
        (2, 8, "softmax", "value"),
    ),
    ("return nn.CosineSimilarity(dim=0, eps=0)(x, x)", given(0, 0), None),
    ("p = torch.sigmoid(x)\nreturn F.binary_cross_entropy(p, p.detach())", given(0.0), None),
    ("return nn.GaussianNLLLoss(eps=0)(x, x, x)", given(0, 0), None),
    (
        "return torch.distributions.Normal(0.0, 1.0).log_prob(x).log()",
        given(-1.0),
        (1, 8, "log", "value"),
    ),
    ("y = 'é'; return x.log()", given(0.0), (1, 17, "log", "value")),
]


@pytest.mark.parametrize(("body", "x", "expected"), BROKEN, ids=[row[0] for row in BROKEN])
def test_origin(tmp_path: Path, body: str, x: Any, expected: Any) -> None:
    print(told(events(tmp_path, body, x, weight=torch.tensor(1.5))))
    if expected:
        assert told(events(tmp_path, body, x, weight=torch.tensor(1.5))) == [expected]
