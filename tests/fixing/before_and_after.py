"""Small programs before and after their fixes, as they stand, in this process."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest

from mllint_nan.findings import Confidence, Finding
from mllint_nan.linter import Linted, Settings, fix_bytes, lint_bytes
from tests.fixture_files import stated
from tests.on_demand import module

torch = module("torch")

EVERYTHING: Final = Settings(min_confidence=Confidence.POSSIBLE, unsafe_fixes=True)
"""As `--fix --unsafe-fixes --min-confidence possible`."""

LIBRARY: Final = '''
class Interval:
    """Bounds of a number: what can be added to it is another interval."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __repr__(self):
        return f"[{float(self.low):.4f}, {float(self.high):.4f}]"

    def __add__(self, other):
        if not isinstance(other, Interval):
            raise TypeError(f"an interval and {other!r}")
        return Interval(self.low + other.low, self.high + other.high)

    __radd__ = __add__

    def __mul__(self, other):
        return Interval(self.low * other.low, self.high * other.high)

    def __sub__(self, other):
        return Interval(self.low - other.high, self.high - other.low)

    def __truediv__(self, other):
        if not isinstance(other, Interval):
            raise TypeError(f"an interval by {other!r}")
        return Interval(self.low / other.high, self.high / other.low)

    def __pow__(self, exponent):
        return Interval(self.low ** exponent, self.high ** exponent)

    def sqrt(self):
        return Interval(self.low ** 0.5, self.high ** 0.5)

    def log(self):
        return Interval(self.low - 1, self.high - 1)

    def exp(self):
        return Interval(self.low + 1, self.high + 1)

    def sum(self, dim=None):
        return self

    mean = square = softmax = sum

    def norm(self, dim=None):
        return self

    std = norm

    def widened(self):
        return Interval(self.low / 2, self.high * 2)

def to_interval(x):
    return Interval(x.min(), x.max())

def interval(low, high):
    return Interval(low, high)

def intervals(*pairs):
    return [Interval(low, high) for low, high in pairs]

class Point:
    """What is always x."""

    def __init__(self, x):
        self.x = x

class Parameterized:
    """Gives way to what it is made of."""

    def __new__(cls, x):
        return x

class Batch(dict):
    """Tensors by name."""

def draw(name, distribution):
    return distribution.x

def rearrange(x, pattern):
    return x.transpose(0, 1)

def create_model(name):
    return lambda x: x * 1.0

def load(path):
    return torch.tensor([2.0, 2.0, 2.0])
'''
"""A module of someone else, of which the analysis sees no more than its name."""


@dataclass(frozen=True)
class Run:
    """One program, and what it gives and is found to have before and after its fixes."""

    before: Any
    after: Any
    text: str
    findings: tuple[Finding, ...]

    @property
    def surest(self) -> Confidence | None:
        return max((finding.confidence for finding in self.findings), default=None)


def run(
    text: str, monkeypatch: pytest.MonkeyPatch, path: str = "program.py", name: str = "outcome"
) -> Run:
    """Execute a program that leaves its result in a variable, apply all fixes, and again."""
    library = ModuleType("somelib")
    vars(library)["torch"] = torch
    exec(LIBRARY, vars(library))
    monkeypatch.setitem(sys.modules, "somelib", library)
    text = dedent(text).lstrip()
    outcome = lint_bytes(text.encode(), path, EVERYTHING)
    assert isinstance(outcome, Linted)
    fixed = fix_bytes(text.encode(), path, EVERYTHING).data.decode()
    return Run(_executed(text)[name], _executed(fixed)[name], fixed, stated(outcome.findings))


def _executed(text: str) -> Mapping[str, Any]:
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, "program.py", "exec", dont_inherit=True), names)
    return names


def is_same(first: Any, second: Any) -> bool:
    """Equal to the last bit, NaN and infinities too."""
    if isinstance(first, torch.Tensor):
        return bool(torch.equal(torch.nan_to_num(first), torch.nan_to_num(second)))
    if isinstance(first, (float, np.ndarray, np.floating)):
        return bool(np.array_equal(first, second, equal_nan=True))
    return repr(first) == repr(second)


def is_finite(value: Any) -> bool:
    return bool(np.all(np.isfinite(np.asarray(value, dtype=float))))
