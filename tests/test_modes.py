"""A gradient of what a module computes only where it does not train, by its own mode.

Each program is quiet beside a twin that computes the same while it trains.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from mllint_nan.syntax.modes import evaluates
from tests.test_layouts import found

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 3)

    def distances(self, x):
        return ((x[:, None] - x[None]) ** 2).sum(-1).sqrt()

    def forward(self, x):
        h = self.head(x)
{}
"""
MAP = """\
import torch
from torch import nn


class Map(nn.Module):
    def length(self, x):
        return (x ** 2).sum(-1).sqrt()

    def forward(self, x):
        return self.length(x)
"""
MODEL = """\
import torch
from torch import nn
from parts import Map


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 3)
        self.map = Map()

    def forward(self, x):
        h = self.head(x)
{}
"""


DISTANCES = "self.distances(h)"
UNLESS_TRAINING = """\
        if self.training:
            return h
        return {}
"""
IF_EVALUATING = """\
        if not self.training:
            h = {}
        return h
"""
BEHIND_ELSE = """\
        if self.training:
            return h
        else:
            return {}
"""
IN_ANY_MODE = """\
        if self.training:
            h = h * 2
        return {}
"""
IF_TRAINING = """\
        if self.training:
            return {}
        return h
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (UNLESS_TRAINING, []),
        (IF_EVALUATING, []),
        (BEHIND_ELSE, []),
        ("        return h if self.training else {}\n", []),
        (IF_TRAINING, ["NAN203"]),
        (IN_ANY_MODE, ["NAN203"]),
        (UNLESS_TRAINING.replace("training", "is_short"), ["NAN203"]),
    ],
)
def test_method_that_is_called_where_its_module_does_not_train(
    tmp_path: Path, body: str, codes: list[str]
) -> None:
    assert [
        code for _, code in found({"net.py": NET.format(body.format(DISTANCES))}, tmp_path)
    ] == codes


@pytest.mark.parametrize(
    ("condition", "value", "codes"),
    [
        ("not self.training", "((h - x) ** 2).sum(-1).sqrt()", []),
        ("self.training", "((h - x) ** 2).sum(-1).sqrt()", ["NAN203"]),
    ],
)
def test_term_where_its_module_does_not_train(
    tmp_path: Path, condition: str, value: str, codes: list[str]
) -> None:
    body = f"        if {condition}:\n            return {value}\n        return h\n"
    text = NET.format(body).replace("def distances", "def _unused").replace(".sqrt()\n\n", "\n\n")
    assert [code for _, code in found({"net.py": text}, tmp_path)] == codes


UNDER_NO_GRAD = """\
        with torch.no_grad():
            found = {}
        return h, found
"""
UNDER_BOTH = """\
        with torch.no_grad():
            with torch.enable_grad():
                found = {}
        return h, found
"""
BY_A_METHOD = """\
        if self.training:
            return self.map.length(h)
        return {}
"""


@pytest.mark.parametrize(
    ("body", "is_quiet"),
    [
        (UNLESS_TRAINING, True),
        (IF_EVALUATING, True),
        (UNDER_NO_GRAD, True),
        (UNDER_BOTH, False),
        (IF_TRAINING, False),
        (IN_ANY_MODE, False),
        (BY_A_METHOD, False),
        (UNLESS_TRAINING.replace("{}", "self.map"), False),
    ],
)
def test_module_whose_objects_are_called_only_where_nothing_trains(
    tmp_path: Path, body: str, is_quiet: bool
) -> None:
    files = {"parts.py": MAP, "model.py": MODEL.format(body.format("self.map(h)"))}
    assert found(files, tmp_path) == ([] if is_quiet else [("parts.py", "NAN203")])


QUIET = MODEL.format(UNLESS_TRAINING.format("self.map(h)"))


def test_attribute_of_another_class_has_the_same_name(tmp_path: Path) -> None:
    """`self.map` of a model that trains through another module is no use of this one."""
    other = MODEL.format("        return self.map(h)\n").replace("Map()", "nn.Linear(3, 3)")
    other = other.replace("from parts import Map\n", "").replace("class Model", "class Other")
    assert found({"parts.py": MAP, "model.py": QUIET, "other.py": other}, tmp_path) == []


def test_attribute_that_a_derived_class_calls(tmp_path: Path) -> None:
    heir = "from model import Model\n\n\nclass Heir(Model):\n    def loss(self, x):\n"
    heir += "        return self.map(x).sum()\n"
    files = {"parts.py": MAP, "model.py": QUIET, "heir.py": heir}
    assert found(files, tmp_path) == [("parts.py", "NAN203")]


DETECTOR = """\
import torch
from model import Model


class Detector:
    def __init__(self):
        self.model = Model().eval()

    def found(self, x):
{}
"""
EVALUATED = """\
        with torch.no_grad():
            return self.model(x)
"""


@pytest.mark.parametrize(
    ("body", "is_quiet"), [(EVALUATED, True), ("        return self.model(x)\n", False)]
)
def test_module_within_one_that_is_called_only_where_nothing_trains(
    tmp_path: Path, body: str, is_quiet: bool
) -> None:
    model = MODEL.format("        return self.map(h)\n")
    files = {"parts.py": MAP, "model.py": model, "detector.py": DETECTOR.format(body)}
    assert found(files, tmp_path) == ([] if is_quiet else [("parts.py", "NAN203")])


def test_module_that_calls_one_when_it_is_made(tmp_path: Path) -> None:
    """What a constructor keeps of it may be trained, wherever the model is called later."""
    model = MODEL.format("        return h * self.start\n")
    model = model.replace("self.map = Map()", "self.map = Map()\n        self.start = self.map(x)")
    model = model.replace("__init__(self)", "__init__(self, x)", 1)
    files = {"parts.py": MAP, "model.py": model, "detector.py": DETECTOR.format(EVALUATED)}
    assert found(files, tmp_path) == [("parts.py", "NAN203")]


SPECTRUM = """\
import torch
from torch import nn


class Spectrum(nn.Module):
    def transform(self, x):
        return ((x.real ** 2) + (x.imag ** 2)).sqrt()

    def forward(self, x):
        return self.transform(x)
"""
PREPARES = """\
import torch
from features import refined
from spectrum import Spectrum

spectrum = Spectrum()


def prepared(x):
    return refined(x, {}).data
"""
REFINED = """\
import torch


def refined(x, of, rounds=3):
    for _ in range(rounds):
        x = x * {}.detach()
    return x
"""


@pytest.mark.parametrize(
    ("passed", "used", "is_quiet"),
    [
        ("spectrum", "of.transform(x)", True),
        ("of=spectrum", "of.transform(x)", True),
        ("spectrum", "of(x)", False),
        ("torch.compile(spectrum)", "of.transform(x)", False),
    ],
)
def test_module_of_which_only_other_methods_are_called(
    tmp_path: Path, passed: str, used: str, is_quiet: bool
) -> None:
    """A function that an object is passed to calls it, or a method of it, too."""
    files = {
        "spectrum.py": SPECTRUM,
        "features.py": REFINED.format(used),
        "prepare.py": PREPARES.format(passed),
    }
    assert found(files, tmp_path) == ([] if is_quiet else [("spectrum.py", "NAN203")])


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("self.training", (False, True)),
        ("not self.training", (True, False)),
        ("x is None and not self.training", (True, False)),
        ("self.training or x is None", (False, True)),
        ("self.training and x is None", (False, False)),
        ("not self.training or x is None", (False, False)),
        ("training", (False, False)),
        ("self.model.training", (False, False)),
    ],
)
def test_what_a_condition_says_of_the_mode(test: str, expected: tuple[bool, bool]) -> None:
    (statement,) = ast.parse(f"if {test}:\n    pass\n").body
    assert isinstance(statement, ast.If)
    assert evaluates(statement) == expected


def test_module_that_a_lambda_calls(tmp_path: Path) -> None:
    """The body of a `lambda` is no list of statements."""
    caller = "from parts import Map\n\nlength = lambda x: Map()(x)\n"
    assert found({"parts.py": MAP, "model.py": caller}, tmp_path) == [("parts.py", "NAN203")]
