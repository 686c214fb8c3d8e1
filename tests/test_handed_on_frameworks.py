"""Tensors of a framework that another module of the project hands on."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings
from mllint_nan.project import Request, check_file

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
POSSIBLE = Settings(min_confidence=Confidence.POSSIBLE)


def _found(folder: Path, texts: dict[str, str]) -> list[str]:
    for name, text in {"pyproject.toml": "", **texts}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    checked = check_file(str(folder / "rotation.py"), Request(POSSIBLE, roots=(str(folder),)))
    return [finding.code for finding in checked.findings]


@pytest.mark.parametrize("own", ["", "from math import pi\n", "import numpy as np\n"])
def test_methods_of_tensors_that_a_module_hands_on_are_known(own: str, tmp_path: Path) -> None:
    texts = {**CORE, "rotation.py": own + ROTATION}
    assert _found(tmp_path, texts) == ["NAN303"]


def test_what_names_no_tensor_stays_unread(tmp_path: Path) -> None:
    text = "from core import Vector\n\n\ndef axis(v: Vector):\n    return v / v.norm()\n"
    core = {"core/__init__.py": "class Vector:\n    pass\n"}
    assert _found(tmp_path, {**core, "rotation.py": text}) == []
