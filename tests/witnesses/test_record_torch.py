"""Origins in planted programs: each on its line and column, and none in its sound twin."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks.witnesses.events import Event
from benchmarks.witnesses.witness import Grade
from tests import on_demand

torch = on_demand.installed("torch")
record_torch = on_demand.module("benchmarks.witnesses.record_torch")

pytestmark = pytest.mark.slow

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


def events(
    folder: Path, body: str, x: Sequence[float], weight: Any = None, form: str = "float32"
) -> list[Event]:
    """What is recorded of `program`, given these numbers in a float format, and its gradient."""
    program = module(folder, body).program
    found: list[Event] = []
    recorder = record_torch.Recorder([folder / "planted"], found.append)
    with recorder:
        result = program(torch.tensor(x, dtype=getattr(torch, form), requires_grad=True))
        if isinstance(result, torch.Tensor) and result.requires_grad:
            ((result * (1 if weight is None else weight)).sum()).backward()
    return found


def told(found: list[Event]) -> list[tuple[int, int, str, str]]:
    """Row in the body and column in its line, both 1-based; the operation; the effect."""
    head = HEAD.count("\n") + 1
    return [(one.line - head, one.column - 4, one.operation, one.effect.value) for one in found]


def given(*numbers: float) -> tuple[float, ...]:
    """The numbers of which a program is given a tensor."""
    return numbers


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
    (
        "return nn.CosineSimilarity(dim=0, eps=0)(x, x)",
        given(0, 0),
        (1, 8, "cosine_similarity", "value"),
    ),
    (
        "return nn.GaussianNLLLoss(eps=0)(x, x, x)",
        given(0, 0),
        (1, 8, "gaussian_nll_loss", "value"),
    ),
    (
        "return torch.distributions.Normal(0.0, 1.0).log_prob(x).log()",
        given(-1.0),
        (1, 8, "log", "value"),
    ),
    ("y = 'é'; return x.log()", given(0.0), (1, 17, "log", "value")),
]


@pytest.mark.parametrize(("body", "x", "expected"), BROKEN, ids=[row[0] for row in BROKEN])
def test_origin(tmp_path: Path, body: str, x: Any, expected: Any) -> None:
    assert told(events(tmp_path, body, x, weight=torch.tensor(1.5))) == [expected]


SOUND = [
    ("return x.clamp(min=1e-6).log()", given(0.5, 1)),
    ("return torch.sqrt(x + 1e-6).sum()", given(0, 1)),
    ("return torch.where(x > 0, torch.where(x > 0, x, 1).sqrt(), 0)", given(0, 1)),
    ("return x.norm()", given(0, 0)),
    ("return torch.log_softmax(x, 0)", given(0, 200)),
    ("return torch.softmax(x, 0)", given(0, 1)),
    ("return torch.sigmoid(x)", given(2.0, 200.0)),
    ("return x.clamp(0, 1)", given(-3.0)),
    ("return F.softmax(x.masked_fill(x < 0.5, -math.inf), 0)", given(0, 1)),
    ("return torch.full((2,), math.inf)", given(0.0)),
    ("return torch.tensor([math.nan]) + x", given(0.0)),
    ("return x + math.inf", given(0.0)),
    ("return x.detach().sqrt() + x", given(0.0)),
    ("torch.empty_like(x)\nreturn x.long() // 2 + x", given(0.0)),
    ("with torch.no_grad():\n    return x.sqrt()", given(0.0)),
]


@pytest.mark.parametrize(("body", "x"), SOUND, ids=[row[0] for row in SOUND])
def test_sound_twin(tmp_path: Path, body: str, x: Any) -> None:
    assert told(events(tmp_path, body, x, weight=torch.tensor([1.5]))) == []


def test_what_passes_on_is_no_origin(tmp_path: Path) -> None:
    body = "y = x.log()\nz = y * 0\nw = z.exp().sum()\nw.div_(2)\nreturn (w - w).sqrt()"
    assert told(events(tmp_path, body, given(0, 1))) == [(1, 5, "log", "value")]


def test_a_gradient_that_is_dropped_again_is_no_witness(tmp_path: Path) -> None:
    """clamp gives back 0 where it cut, whatever arrives."""
    assert told(events(tmp_path, "return x.clamp(min=0).sqrt()", given(-1, 1))) == []
    broken = told(events(tmp_path, "return x.clamp(min=0).sqrt()", given(0, 1)))
    assert broken == [(1, 8, "sqrt", "gradient")]


def test_what_others_compute_is_not_the_package_s(tmp_path: Path) -> None:
    program = module(tmp_path, "return x(1)").program
    found: list[Event] = []
    with record_torch.Recorder([tmp_path / "planted"], found.append):
        program(lambda _: torch.zeros(2).log())
        torch.zeros(2).log()
    assert found == []


def test_results_and_graph_stay(tmp_path: Path) -> None:
    def run() -> tuple[Any, Any, Any]:
        torch.manual_seed(0)
        x = torch.randn(5, requires_grad=True)
        y = module(tmp_path, "return (x.exp() + torch.rand(5)).log().sum()").program(x)
        y.backward()
        return y.detach(), x.grad, torch.rand(1)

    plain = run()
    with record_torch.Recorder([tmp_path / "planted"], lambda event: None) as recorder:
        recorded = run()
        recorder.take_gradients(recorded)
    assert all(torch.equal(one, other) for one, other in zip(plain, recorded, strict=True))


def test_half_precision_is_no_ordinary_input(tmp_path: Path) -> None:
    (event,) = events(tmp_path, "return x / x.sum()", given(0, 0), form="float16")
    assert event.least is Grade.STRESS
