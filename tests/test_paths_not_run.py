"""Paths in a function that no call in its project takes, by what they give its parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings
from mllint_nan.module_resolver import module_resolver_of
from mllint_nan.project import Request, check_file

LOSSES = """\
import torch


def dice(x, log=False, kind="mean", *, weight=None):
    if log:
        return torch.log(torch.softmax(x, -1)).mean()
    if kind == "sum":
        return torch.log(torch.softmax(2 * x, -1)).sum()
    if weight is not None:
        return torch.log(torch.softmax(weight * x, -1)).mean()
    return torch.softmax(x, -1).mean()


class Soft(torch.nn.Module):
    def sharper(self, x, log=False):
        if not log:
            return x.mean()
        return torch.log(torch.softmax(x, -1)).mean()
"""
TRAIN = """\
from losses import Soft, dice


def main(x, optimizer):
    loss = dice(x)
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    main(None, None)
    print(Soft().sharper(1))
"""
EVERYTHING = Request(Settings(min_confidence=Confidence.POSSIBLE))
REASON = "no visible call of its function in this project reaches it"


def project(folder: Path, **files: str) -> Path:
    """The module of losses, beside other files; `__` stands for a dot."""
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in {"losses__py": LOSSES, "train__py": TRAIN, **files}.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder / "losses.py"


def is_taken(module: Path, way: str) -> bool:
    return module_resolver_of(str(module)).unrun(way).name == ""


NOT_TAKEN: dict[str, dict[str, str]] = {
    "left at its default": {},
    "given by place": {"eval__py": "from losses import dice\ndice(1, False)\n"},
    "given by its name": {"eval__py": "import losses as L\nL.dice(1, weight=2, log=False)\n"},
    "given to another one of the name": {
        "eval__py": "from more import dice\ndice(1, True)\n",
        "more__py": "def dice(x, log):\n    return x\n",
    },
    "by an import that nobody uses": {"eval__py": "from losses import dice as d\n"},
}
TAKEN: dict[str, dict[str, str]] = {
    "by a program": {"eval__py": "from losses import dice\nprint(dice(1, True))\n"},
    "by another name": {"eval__py": "from losses import dice as d\nprint(d(1, log=True))\n"},
    "by a module": {"eval__py": "import losses\nprint(losses.dice(1, log=1))\n"},
    "by a function that perhaps nobody calls": {
        "eval__py": "import losses\ndef f(x):\n    return losses.dice(x, log=True)\n"
    },
    "by what is not written": {
        "eval__py": "from losses import dice\ndef f(log):\n    return dice(1, log)\nf(2)\n"
    },
    "by several arguments": {"eval__py": "from losses import dice\ndice(*[1, True])\n"},
    "by options": {"eval__py": "from losses import dice\ndice(1, **{'log': True})\n"},
    "by whom it is given": {"eval__py": "from losses import dice\nprint(list(map(dice, [1])))\n"},
    "by a partial application": {
        "eval__py": "import functools\nfrom losses import dice\nf = functools.partial(dice, 1)\n"
    },
    "by its own test": {"test_losses__py": "from losses import dice\ndice(1, log=True)\n"},
    "by a text": {"eval__py": "import losses\ngetattr(losses, 'dice')(1, True)\n"},
    "by a setting": {"loss__yaml": "_target_: losses.dice\nlog: true\n"},
    "by whom it is installed for": {"setup__py": "setup(py_modules=['losses'])\n"},
    "where it is decorated": {"losses__py": LOSSES.replace("def dice", "@torch.jit\ndef dice")},
    "where the default is another": {"losses__py": LOSSES.replace("log=False", "log=True")},
    "where nothing is a program": {
        "train__py": "from losses import dice\ndef f(x):\n    return dice(x)\n"
    },
}


@pytest.mark.parametrize("files", NOT_TAKEN.values(), ids=NOT_TAKEN)
def test_a_path_that_all_calls_exclude(files: dict[str, str], tmp_path: Path) -> None:
    assert not is_taken(project(tmp_path, **files), "dice[log]")


@pytest.mark.parametrize("files", TAKEN.values(), ids=TAKEN)
def test_a_path_that_some_call_may_take(files: dict[str, str], tmp_path: Path) -> None:
    assert is_taken(project(tmp_path, **files), "dice[log]")


@pytest.mark.parametrize(
    ("way", "given", "expected"),
    [
        ("dice[not log]", "1", True),
        ("dice[kind == 'sum']", "1", False),
        ("dice[kind == 'sum']", "1, kind='sum'", True),
        ("dice[not kind == 'sum']", "1", True),
        ("dice[not weight is None]", "1", False),
        ("dice[not weight is None]", "1, weight=0", True),
        ("dice[kind == -1]", "1, kind=-1", True),
        ("dice[x]", "1", True),
        ("dice[y]", "1", True),
    ],
)
def test_conditions_on_a_parameter(way: str, given: str, expected: bool, tmp_path: Path) -> None:
    text = TRAIN.replace("dice(x)", f"dice({given})")
    assert is_taken(project(tmp_path, train__py=text), way) is expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("Soft().sharper(1)", False),
        ("model.sharper(2, True)", True),
        ("Soft.sharper(Soft(), 1)", True),
        ("f = model.sharper", True),
    ],
)
def test_a_method_is_called_by_its_name_on_whatever_object(
    call: str, expected: bool, tmp_path: Path
) -> None:
    text = f"from losses import Soft\ndef use(model):\n    {call}\n"
    assert is_taken(project(tmp_path, use__py=text), "Soft.sharper[log]") is expected


def test_what_stands_on_such_a_path_is_no_more_than_possible_and_says_why(tmp_path: Path) -> None:
    module = project(tmp_path)
    found = {one.start.row: one for one in check_file(str(module), EVERYTHING).findings}
    assert {row: one.confidence for row, one in found.items()} == dict.fromkeys(
        (6, 8, 10, 18), Confidence.POSSIBLE
    )
    assert {one.reason for one in found.values()} == {REASON}
    call = (
        "from losses import Soft, dice\ndice(1, True, 'sum', weight=2)\nSoft().sharper(1, True)\n"
    )
    module = project(tmp_path, eval__py=call)
    rows = [one.start.row for one in check_file(str(module), Request(Settings())).findings]
    assert rows == [6, 8, 10, 18]


READ = """\
from torch import nn


class Readout(nn.Module):
    def forward(self, x, mask):
        if mask is None:
            return x.mean(1)
        return (x * mask).sum(1) / mask.sum()
"""
MODEL = """\
from read import Readout
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = Readout()

    def forward(self, x, kept):
        return self.read(x, kept)
"""
RUN = """\
from model import Model

model = Model()
print(model({}))
with open("seen") as file:
    print(file.read())
"""


@pytest.mark.parametrize(
    ("model", "given", "expected"),
    [
        (MODEL, "1, None", False),
        (MODEL, "1, kept=None", False),
        (MODEL, "1, 2", True),
        (MODEL, "*[1, 2]", True),
        (MODEL.replace("x, kept)\n", "x, None)\n"), "1, 2", False),
        (MODEL.replace("x, kept)\n", "x, mask=kept)\n"), "1, None", False),
        (MODEL.replace("        return", "        kept = x > 0\n        return"), "1, None", True),
        (
            MODEL + "\n    def read_of(self, x):\n        return self.read(x, x > 0)\n",
            "1, None",
            True,
        ),
    ],
)
def test_an_argument_that_one_module_passes_on_to_another(
    model: str, given: str, expected: bool, tmp_path: Path
) -> None:
    files = {"read__py": READ, "model__py": model, "run__py": RUN.format(given)}
    project(tmp_path, **files)
    assert is_taken(tmp_path / "read.py", "Readout.forward[not mask is None]") is expected
