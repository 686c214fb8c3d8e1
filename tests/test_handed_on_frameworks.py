"""Tensors of a framework that a file gets from other files: by its imports, or by its callers."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings
from mllint_nan.project import Checked, Request, check_file
from mllint_nan.results import Skipped

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


def _checked(folder: Path, file: str, texts: dict[str, str]) -> Checked:
    for name, text in {"pyproject.toml": "", **texts}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return check_file(str(folder / file), Request(POSSIBLE, roots=(str(folder),)))


def _found(folder: Path, texts: dict[str, str]) -> list[str]:
    return [finding.code for finding in _checked(folder, "rotation.py", texts).findings]


@pytest.mark.parametrize("own", ["", "from math import pi\n", "import numpy as np\n"])
def test_methods_of_tensors_that_a_module_hands_on_are_known(own: str, tmp_path: Path) -> None:
    texts = {**CORE, "rotation.py": own + ROTATION}
    assert _found(tmp_path, texts) == ["NAN303"]


def test_what_names_no_tensor_stays_unread(tmp_path: Path) -> None:
    text = "from core import Vector\n\n\ndef axis(v: Vector):\n    return v / v.norm()\n"
    core = {"core/__init__.py": "class Vector:\n    pass\n"}
    assert _found(tmp_path, {**core, "rotation.py": text}) == []


ENTROPY = """\
def policy_entropy(*, probs, weight=0.01):
    return -weight * (probs * probs.log()).sum(-1).mean()
"""
MASKED_MEAN = """\
def masked_mean(values, mask):
    return (values * mask).sum() / mask.sum()
"""
LIKELIHOOD = """\
class Likelihood:
    def __init__(self, smoothing=0.0):
        self.smoothing = smoothing

    def __call__(self, p, y):
        p = p + self.smoothing
        return -(y * p.log() + (1 - y) * (1 - p).log()).mean()
"""
SHARE = """\
def share(counts):
    return counts / counts.sum()
"""
TORCH = "import torch\nfrom torch import nn\n\nimport used\n\nnet = nn.Linear(3, 2)\n"
CALLERS = {
    "entropy": (ENTROPY, f"{TORCH}used.policy_entropy(probs=net(x).softmax(-1)).backward()\n"),
    "mask": (MASKED_MEAN, f"{TORCH}used.masked_mean(net(x)[:, 0], (t != 0).float()).backward()\n"),
    "object": (
        LIKELIHOOD,
        f"{TORCH}criterion = used.Likelihood()\ncriterion(net(x).sigmoid(), y).backward()\n",
    ),
    "array": (
        SHARE,
        "import numpy as np\n\nimport used\n\nprint(used.share(np.maximum(np.loadtxt(f), 0)))\n",
    ),
}
SOUND_CALLERS = {
    "object": (
        LIKELIHOOD,
        f"{TORCH}criterion = used.Likelihood()\n"
        "criterion(net(x).sigmoid().clamp(1e-6, 1 - 1e-6), y).backward()\n",
    ),
    "mask": (
        "def masked_mean(values, mask):\n"
        "    return (values * mask).sum() / mask.sum().clamp(min=1)\n",
        CALLERS["mask"][1],
    ),
}


@pytest.mark.parametrize("case", CALLERS)
def test_file_without_a_framework_is_given_tensors(case: str, tmp_path: Path) -> None:
    used, caller = CALLERS[case]
    (finding,) = _checked(tmp_path, "used.py", {"used.py": used, "train.py": caller}).findings
    assert finding.confidence >= Confidence.LIKELY


@pytest.mark.parametrize("case", SOUND_CALLERS)
def test_file_without_a_framework_is_given_what_is_sound(case: str, tmp_path: Path) -> None:
    used, caller = SOUND_CALLERS[case]
    found = _checked(tmp_path, "used.py", {"used.py": used, "train.py": caller}).findings
    assert not [finding for finding in found if finding.confidence >= Confidence.LIKELY]


@pytest.mark.parametrize("caller", ["", "import used\n\nused.masked_mean([1], [0])\n"])
def test_file_that_nothing_gives_tensors_stays_unread(caller: str, tmp_path: Path) -> None:
    texts = {"used.py": MASKED_MEAN, "train.py": caller}
    assert isinstance(_checked(tmp_path, "used.py", texts).outcome, Skipped)


def test_file_that_calls_no_method_of_tensors_stays_unread(tmp_path: Path) -> None:
    texts = {"used.py": "def half(a):\n    return a / 2\n", "train.py": f"{TORCH}used.half(x)\n"}
    assert isinstance(_checked(tmp_path, "used.py", texts).outcome, Skipped)
