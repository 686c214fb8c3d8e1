"""Tensors of a framework that another module of the project hands on, and what is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings
from mllint_nan.project import Request, check_file
from mllint_nan.reporting.trace import explained
from mllint_nan.tracing import explained_row

CORE = {
    "core/__init__.py": "from ._backend import Module, Tensor, stack\n",
    "core/_backend.py": (
        "import torch\n\nTensor = torch.Tensor\nModule = torch.nn.Module\nstack = torch.stack\n"
    ),
}
ROTATION = """\
from core import Module, Tensor, stack


class Rotation(Module):
    def __init__(self, data: Tensor) -> None:
        super().__init__()
        self._data = data

    def axis(self) -> Tensor:
        return self._data / self._data.norm(dim=-1, keepdim=True)
"""
LOSS = """\
import torch


def postprocess(distance):
    return torch.sqrt(distance)


def loss(x, y):
    return postprocess(((x - y) ** 2).sum(-1)).mean()
"""
TRAIN = """\
import torch
from losses import loss


def train(model, optimizer, x, y):
    error = loss(model(x), y)
    error.backward()
    optimizer.step()
"""
POSSIBLE = Settings(min_confidence=Confidence.POSSIBLE)


def _found(folder: Path, file: str, texts: dict[str, str], settings: Settings) -> list[str]:
    for name, text in {"pyproject.toml": "", **texts}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    checked = check_file(str(folder / file), Request(settings, roots=(str(folder),)))
    return [finding.code for finding in checked.findings]


@pytest.mark.parametrize("own", ["", "from math import pi\n", "import numpy as np\n"])
def test_methods_of_tensors_that_a_module_hands_on_are_known(own: str, tmp_path: Path) -> None:
    texts = {**CORE, "rotation.py": own + ROTATION}
    assert _found(tmp_path, "rotation.py", texts, POSSIBLE) == ["NAN303"]


def test_what_names_no_tensor_stays_unread(tmp_path: Path) -> None:
    text = "from core import Vector\n\n\ndef axis(v: Vector):\n    return v / v.norm()\n"
    core = {"core/__init__.py": "class Vector:\n    pass\n"}
    assert _found(tmp_path, "rotation.py", {**core, "rotation.py": text}, POSSIBLE) == []


def test_a_name_does_not_outweigh_the_path_of_a_gradient(tmp_path: Path) -> None:
    settings = Settings()
    assert _found(tmp_path, "losses.py", {"losses.py": LOSS}, settings) == []
    assert _found(tmp_path, "losses.py", {"train.py": TRAIN}, settings) == ["NAN203"]


def test_of_the_matches_of_a_rule_the_one_that_speaks_is_explained() -> None:
    text = (
        "import numpy as np\nimport torch\n\n\ndef act(values, scores):\n"
        "    mask = (scores > 0).float()\n    return values - np.inf * mask\n"
    )
    shown = explained("a.py:7", explained_row(text.encode(), "a.py", 7, Settings()))
    assert "NAN404 mask-times-nonfinite: likely\n" in shown
    assert "where  k is np.inf\n" in shown
