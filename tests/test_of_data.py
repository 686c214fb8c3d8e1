"""A flaw of a gradient where all that the calls give is data: nothing comes down to it.

Each program is one of data beside others in which the same function is given what is trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings
from mllint_nan.project import Request, check_file

GEOMETRY = """\
import torch


def spread(x, y):
    return torch.sqrt(((x - y) ** 2).sum(-1))
"""
TRAIN = """\
import numpy as np
import torch
from geometry import spread

model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.from_numpy(np.load("data.npy"))
target = torch.zeros(100, 4)
for _ in range(10):
    weight = {call}
    loss = (weight * model(data).sum(-1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LIKELY = Request(Settings())
EVERYTHING = Request(Settings(min_confidence=Confidence.POSSIBLE))
REASON = "all calls in sight give it data, and nothing that is trained: "


def program(call: str = "spread(data, target)", before: str = "", **files: str) -> dict[str, str]:
    """A module of geometry, and a program that calls it; `__` stands for a dot."""
    named = {name.replace("__", "."): text for name, text in files.items()}
    train = TRAIN.format(call=call).replace("for _ in", f"{before}for _ in")
    return {"geometry.py": GEOMETRY, "train.py": train, **named}


def is_given_data(folder: Path, files: Mapping[str, str], of: str = "geometry.py") -> bool:
    (folder / ".git").mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    found = check_file(str(folder / of), LIKELY).findings
    assert len(found) < 2
    return not found


DATA: Mapping[str, Mapping[str, str]] = {
    "arrays of a file": program(),
    "by their names": program("spread(y=target, x=data)"),
    "under another name": program("s(data, target)", before="from geometry import spread as s\n"),
    "of a module": program("geometry.spread(data, target)", before="import geometry\n"),
    "drawn": program("spread(torch.randn(3, 4), torch.rand(4))"),
    "from a loader": program(
        "spread(x, y)",
        before="from torch.utils.data import DataLoader\nx, y = next(iter(DataLoader([])))\n",
    ),
    "detached": program("spread(model(data).detach(), target)"),
    "what no gradient is recorded of": program(
        "spread(made, target)", before="with torch.no_grad():\n    made = model(data)\n"
    ),
    "computed of data": program("spread(data.view(-1, 4) / data.max(), torch.cat([target]))"),
    "handed on by a function": program(
        "weigh(data)", before="def weigh(x):\n    return spread(x, 2 * x)\n\n\n"
    ),
    "given by a function": program(
        "spread(*[load()][0], target)", before="def load():\n    return np.load('x.npy')\n\n\n"
    ).__class__(
        program("spread(load(), target)", before="def load():\n    return np.load('x')\n\n\n")
    ),
    "given by a function of another file": program(
        "spread(load(), target)",
        before="from reading import load\n",
        reading__py="import numpy as np\n\n\ndef load():\n    return np.load('x')\n",
    ),
    "kept by an object": program(
        "Trainer().weight()",
        before=(
            "class Trainer:\n    def __init__(self):\n        self.data = np.load('x')\n\n"
            "    def weight(self):\n        return spread(self.data, 2)\n\n\n"
        ),
    ),
    "gathered in a list": program(
        "spread(torch.stack(rows), target)",
        before="rows = []\nfor one in data:\n    rows.append(one)\n",
    ),
    "beside an attack on copies": program(
        attack__py=(
            "def attack(x):\n    x = x.clone()\n    x.requires_grad_()\n    return x\n\n\n"
            "def freeze(model):\n    for p in model.parameters():\n        p.requires_grad = True\n"
        )
    ),
    "beside a test of nothing else": program(
        test_geometry__py="from geometry import spread\nprint(spread(1, 2))\n"
    ),
}
TRAINED: Mapping[str, Mapping[str, str]] = {
    "what a model gives": program("spread(model(data), target)"),
    "the other argument": program("spread(target, model(data))"),
    "another call": program("spread(data, target) + spread(model(data), target)"),
    "another call under another name": program(
        "spread(data, target) + s(model(data), target)",
        before="from geometry import spread as s\n",
    ),
    "another call in another file": program(
        evaluation__py="import geometry\n\n\ndef f(m, x):\n    return geometry.spread(m(x), x)\n"
    ),
    "a call with what nobody knows": program(
        evaluation__py="from geometry import spread\n\n\ndef f(x):\n    return spread(x, x)\n"
    ),
    "a call with a star": program("spread(*batch)", before="batch = [data, target]\n"),
    "a parameter": program("spread(w, target)", before="w = torch.nn.Parameter(target)\n"),
    "made to require a gradient": program("spread(torch.zeros(4, requires_grad=True), target)"),
    "made so later": program("spread(data, target)", before="data.requires_grad_()\n"),
    "made so by a setting": program(before="target.requires_grad = True\n"),
    "made so by another name": program(before="again = data\nagain.requires_grad_(True)\n"),
    "made so by a function of another file": program(
        before="from attacks import attack\nattack(data)\n",
        attacks__py="def attack(x):\n    x.requires_grad = True\n",
    ),
    "added up on the way": program(before="for one in data:\n    data = data + model(one)\n"),
    "written into": program(before="target[0] = model(data)[0]\n"),
    "written into in place": program(before="target.add_(model(data))\n"),
    "written into by a function": program(before="torch.add(data, model(data), out=target)\n"),
    "gathered in a list": program(
        "spread(torch.stack(rows), target)",
        before="rows = []\nfor one in data:\n    rows.append(model(one))\n",
    ),
    "gathered in a list by another name": program(
        "spread(torch.stack(rows), target)",
        before="rows = []\nothers = rows\nfor one in data:\n    others.append(model(one))\n",
    ),
    "gathered in a list by a function": program(
        "spread(torch.stack(rows), target)",
        before=("def fill(others):\n    others.append(model(data))\n\n\nrows = []\nfill(rows)\n"),
    ),
    "a comprehension of its own name": program(
        "spread(torch.stack(data), target)", before="data = [model(data) for data in data]\n"
    ),
    "through a loader": program(
        "spread(x, y)",
        before=(
            "from torch.utils.data import DataLoader, TensorDataset\n"
            "x, y = next(iter(DataLoader(TensorDataset(model(data), target))))\n"
        ),
    ),
    "handed on by a function": program(
        "weigh(model(data))", before="def weigh(x):\n    return spread(x, 2)\n\n\n"
    ),
    "handed on by a function that nobody calls": program(
        before="def weigh(x):\n    return spread(x, 2)\n\n\n"
    ),
    "given by a function": program(
        "spread(give(data), target)", before="def give(x):\n    return model(x)\n\n\n"
    ),
    "given by a function of another file": program(
        "spread(give(), target)",
        before="from models import give\n",
        models__py="import torch\n\nw = torch.nn.Parameter(torch.zeros(4))\n\n\n"
        "def give():\n    return w\n",
    ),
    "given by a function of another library": program(
        "spread(give(), target)", before="from elsewhere import give\n"
    ),
    "kept by an object": program(
        "Trainer().weight()",
        before=(
            "class Trainer:\n    def __init__(self):\n        self.data = model(data)\n\n"
            "    def weight(self):\n        return spread(self.data, 2)\n\n\n"
        ),
    ),
    "set from outside": program(
        "trainer.weight()",
        before=(
            "class Trainer:\n    def __init__(self):\n        self.data = np.load('x')\n\n"
            "    def weight(self):\n        return spread(self.data, 2)\n\n\n"
            "trainer = Trainer()\ntrainer.data = model(data)\n"
        ),
    ),
    "set by a class that is derived": program(
        "Other().weight()",
        before=(
            "class Trainer:\n    def __init__(self):\n        self.data = np.load('x')\n\n"
            "    def weight(self):\n        return spread(self.data, 2)\n\n\n"
            "class Other(Trainer):\n    def __init__(self):\n        self.data = model(data)\n\n\n"
        ),
    ),
    "handed over to nobody knows whom": program(before="register(spread)\n"),
    "kept under a name": program(before="losses = {'spread': spread}\n"),
    "looked up by its name": program(
        before="import geometry\nprint(getattr(geometry, 'spread')(model(data), 1))\n"
    ),
    "looked up by any name": program(
        before="import sys\nimport geometry\nprint(getattr(geometry, sys.argv[1])(model(data)))\n"
    ),
    "named in a setting": program(config__yaml="loss:\n  _target_: geometry.spread\n"),
    "called by itself": {
        **program(),
        "geometry.py": GEOMETRY + "\n\ndef again(x):\n    return spread(x, again(x - 1))\n",
    },
    "differentiated by a function of PyTorch": program(
        before="print(torch.func.grad(spread)(data, target))\n"
    ),
    "given a gradient in a test": program(
        test_geometry__py="import torch\nfrom geometry import spread\n"
        "spread(torch.zeros(2, requires_grad=True), 1).backward()\n"
    ),
    "installed for others": program(
        pyproject__toml="[project]\nname = 'geometry'\n",
        setup__cfg="[options]\npy_modules = geometry\n",
    ),
    "decorated": {**program(), "geometry.py": GEOMETRY.replace("def spread", "@keep\ndef spread")},
}


@pytest.mark.parametrize("name", DATA)
def test_data_have_no_gradient(name: str, tmp_path: Path) -> None:
    assert is_given_data(tmp_path, DATA[name])


@pytest.mark.parametrize("name", TRAINED)
def test_what_may_be_trained_keeps_its_level(name: str, tmp_path: Path) -> None:
    assert not is_given_data(tmp_path, TRAINED[name])
