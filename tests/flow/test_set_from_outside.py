"""What other code sets an attribute or a variable to takes proofs away, and is evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.cli import main
from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, lint_text

POSSIBLE = Settings(min_confidence=Confidence.POSSIBLE)
PROGRAM = """\
import copy

import torch
from torch import nn

EPS = 1e-6
OTHER = 1e-6


class LogLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.floor = 1e-3

    def forward(self, p):
        return -torch.log(p.clamp(min={read})).mean()


class Ramp:
    def __init__(self):
        self.floor = 1.0


class Exact(LogLoss):
    def rest(self):
        return self.floor


class Trainer:
    def __init__(self):
        self.criterion = LogLoss()
        self.ramp = Ramp()


{change}
"""
IN_FUNCTION = "def run(p, options):\n    criterion = LogLoss()\n    ramp = Ramp()\n    "
SETS_ZERO = (
    f"{IN_FUNCTION}criterion.floor = 0.0",
    f"{IN_FUNCTION}criterion.floor = 0",
    f"{IN_FUNCTION}zero = 0.0\n    criterion.floor = zero",
    f"{IN_FUNCTION}setattr(criterion, 'floor', 0.0)",
    f"{IN_FUNCTION}[setattr(criterion, 'floor', 0.0) for _ in options]",
    f"{IN_FUNCTION}same = criterion\n    same.floor = 0.0",
    f"{IN_FUNCTION}criterion = criterion.to('cpu')\n    criterion.floor = 0.0",
    f"{IN_FUNCTION}compiled = torch.compile(criterion)\n    compiled.floor = 0.0",
    f"{IN_FUNCTION}other = copy.deepcopy(criterion)\n    other.floor = 0.0",
    f"{IN_FUNCTION}exact = Exact()\n    exact.floor = 0.0",
    f"{IN_FUNCTION}criterion.floor = 0.5\n    criterion.floor = 0.0",
    "criterion = LogLoss()\ncriterion.floor = 0.0",
    "def settle(criterion: LogLoss):\n    criterion.floor = 0.0",
    "def settle(criterion: 'LogLoss'):\n    criterion.floor = 0.0",
    "class Own(Trainer):\n    def run(self):\n        criterion = LogLoss()\n"
    "        criterion.floor = 0.0",
    "class Own:\n    def __init__(self):\n        self.criterion = LogLoss()\n"
    "    def run(self):\n        self.criterion.floor = 0.0",
    "class Own(LogLoss):\n    def run(self):\n        self.floor = 0.0",
    "class Own(Exact):\n    def __init__(self):\n        super().__init__()\n"
    "        self.floor = 0.0",
)
SETS_SOMETHING = (
    f"{IN_FUNCTION}criterion.floor = options.floor",
    f"{IN_FUNCTION}criterion.floor *= 0.5",
    f"{IN_FUNCTION}criterion.floor, rest = options",
    f"{IN_FUNCTION}for name in options:\n        setattr(criterion, name, 0.0)",
    "def settle(criterion):\n    criterion.floor = 0.0",
    "def settle(trainer):\n    trainer.criterion.floor = 0.0",
    "def settle(criterion):\n    setattr(criterion, 'floor', 0.0)",
    "class Own(LogLoss):\n    def run(self, p):\n        for name in p:\n"
    "            setattr(self, name, p[name])",
    "class Own(LogLoss):\n    def forward(self, p):\n        self.floor = 0.0\n        return p",
)
SETS_OTHERS = (
    f"{IN_FUNCTION}ramp.floor = 0.0",
    f"{IN_FUNCTION}Ramp().floor = 0.0",
    f"{IN_FUNCTION}setattr(ramp, 'floor', 0.0)",
    f"{IN_FUNCTION}criterion.flooring = 0.0",
    f"{IN_FUNCTION}floor = 0.0",
    f"{IN_FUNCTION}LogLoss.floor = 0.0",
    f"{IN_FUNCTION}optimizer = torch.optim.SGD([p])\n    optimizer.floor = 0.0",
    "def settle(ramp: Ramp):\n    ramp.floor = 0.0",
    "class Own(Ramp):\n    def run(self):\n        self.floor = 0.0",
    "class Own(Ramp):\n    def run(self, p):\n        for name in p:\n"
    "            setattr(self, name, p[name])",
    "class Own:\n    def run(self):\n        self.ramp = Ramp()\n        self.ramp.floor = 0.0",
)


def logarithms(change: str, read: str = "self.floor") -> list[str]:
    """How sure it is that the logarithm of the loss is infinite, if that is not excluded."""
    text = PROGRAM.format(change=change, read=read)
    checked = lint_text(text, "losses.py", POSSIBLE)
    assert isinstance(checked, Linted)
    assert not checked.failures
    return [one.confidence.name for one in checked.findings if one.code == "NAN201"]


def test_attribute_of_the_constructor_alone_is_a_proof() -> None:
    assert not logarithms("")


@pytest.mark.parametrize("change", SETS_ZERO)
def test_zero_that_is_set_is_evidence(change: str) -> None:
    assert logarithms(change) == ["LIKELY"]


@pytest.mark.parametrize("change", SETS_ZERO)
def test_small_number_that_is_set_keeps_the_proof(change: str) -> None:
    sound = change.replace("0.0", "1e-6").replace("= 0\n", "= 1\n")
    if sound != change:
        assert not logarithms(sound)


@pytest.mark.parametrize("change", SETS_SOMETHING)
def test_what_may_be_set_takes_only_the_proof_away(change: str) -> None:
    assert logarithms(change) == ["POSSIBLE"]


@pytest.mark.parametrize("change", SETS_OTHERS)
def test_what_other_objects_are_set_to_keeps_the_proof(change: str) -> None:
    assert not logarithms(change)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("def exact():\n    global EPS\n    EPS = 0.0", ["LIKELY"]),
        ("def exact():\n    global OTHER\n    OTHER = 0.0", []),
        ("def exact():\n    EPS = 0.0\n    return EPS", []),
        ("def exact(x):\n    global EPS\n    EPS = x", ["POSSIBLE"]),
        ("def exact(x):\n    global EPS\n    EPS = 0.0\n    EPS += x", ["POSSIBLE"]),
    ],
)
def test_variable_that_a_function_sets(change: str, expected: list[str]) -> None:
    assert logarithms(change, "EPS") == expected


OF_CLASS = """\
import torch


class Loss:
    floor = 1e-3

    def value(self, p):
        return -torch.log(p.clamp(min=self.floor)).mean()


{change}
"""
OF_ARGUMENT = """\
import torch


class Loss:
    def __init__(self, floor):
        self.floor = floor

    def value(self, p):
        return -torch.log(p.clamp(min=self.floor)).mean()


{change}
"""
SETS_CLASS = (
    "Loss.floor = 0.0",
    "def f():\n    Loss.floor = 0.0",
    "def f():\n    loss = Loss()\n    loss.floor = 0.0",
    "def f():\n    loss = Loss()\n    type(loss).floor = 0.0",
    "class Heir(Loss):\n    floor = 0.0",
    "class Heir(Loss):\n    pass\n\nclass Last(Heir):\n    floor = 0.0",
)


def confidences(text: str) -> list[str]:
    checked = lint_text(text, "losses.py", POSSIBLE)
    assert isinstance(checked, Linted)
    return [one.confidence.name for one in checked.findings if one.code == "NAN201"]


@pytest.mark.parametrize("change", SETS_CLASS)
def test_zero_that_a_class_is_set_to_is_evidence(change: str) -> None:
    assert confidences(OF_CLASS.format(change=change)) == ["LIKELY"]
    assert "LIKELY" not in confidences(OF_CLASS.format(change=change.replace("0.0", "0.5")))


@pytest.mark.parametrize(
    "change",
    [
        "class Other:\n    floor = 0.0",
        "class Heir(Loss):\n    def value(self, p):\n        return p",
    ],
)
def test_what_another_class_sets_is_no_evidence(change: str) -> None:
    assert "LIKELY" not in confidences(OF_CLASS.format(change=change))


def test_zero_that_replaces_an_argument_is_evidence() -> None:
    change = "def f():\n    loss = Loss(1e-3)\n    loss.floor = 0.0"
    assert confidences(OF_ARGUMENT.format(change=change)) == ["LIKELY"]
    assert "LIKELY" not in confidences(OF_ARGUMENT.format(change=change.replace("0.0", "0.5")))


def test_explanation_names_what_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = PROGRAM.format(change=SETS_ZERO[0], read="self.floor")
    Path("losses.py").write_text(text)
    row = 1 + next(row for row, line in enumerate(text.splitlines()) if "torch.log" in line)
    main(["--explain-at", f"losses.py:{row}"])
    assert "with self.floor = 0.0, which other code or a default sets" in capsys.readouterr().out


def test_global_that_is_only_set_to_small_numbers_is_no_finding() -> None:
    assert "LIKELY" not in logarithms("def exact():\n    global EPS\n    EPS = 1e-3", "EPS")
