"""Bodies judged with the arguments of the calls in sight, in the same file and in others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from mllint_nan.flow.interpreter import Interpreter
from mllint_nan.linter import check_text
from mllint_nan.module_resolver import Caller
from mllint_nan.project import Request, check_file
from mllint_nan.results import Linted
from mllint_nan.settings import Settings
from mllint_nan.syntax.calling import Calling
from mllint_nan.syntax.lower import lower_module
from mllint_nan.syntax.source import Source

IMPORTS = """\
import functools

import torch
import torch.nn as nn
import torch.nn.functional as F

"""
NLL = """
def nll(p, y):
    return -torch.log(p)[y].mean()
"""


def found(text: str) -> list[str]:
    """The codes that are reported by default, each with what stands on its line."""
    whole = IMPORTS + dedent(text)
    rows = whole.splitlines()
    findings = check_text(whole, "program.py", Settings())
    return [f"{one.code} {rows[one.start.row - 1].strip()}" for one in findings]


BROKEN = {
    "function": NLL + "def loss(z, y):\n    return nll(torch.softmax(z, -1), y)",
    "keyword": NLL + "def loss(z, y):\n    return nll(y=y, p=torch.softmax(z, -1))",
    "two hops": NLL
    + """
def total(p, y):
    return 2 * nll(p, y)
def loss(z, y):
    return total(torch.softmax(z, -1), y)
""",
    "one of two callers": NLL
    + """
def first(z, y):
    return nll(torch.sigmoid(z) + 0.1, y)
def second(z, y):
    return nll(torch.softmax(z, -1), y)
""",
    "lambda by a name": """
nll = lambda p, y: -torch.log(p)[y].mean()
def loss(z, y):
    return nll(torch.softmax(z, -1), y)
""",
    "function as an argument": NLL
    + """
def step(criterion, z, y):
    return criterion(torch.softmax(z, -1), y)
def train(z, y):
    return step(nll, z, y)
""",
    "partial": """
def nll(y, p, scale=1.0):
    return -torch.log(p)[y].mean() * scale
criterion = functools.partial(nll, scale=2.0)
def loss(z, y):
    return criterion(y, torch.softmax(z, -1))
""",
    "decorator that wraps": """
def timed(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner

@timed
def nll(p, y):
    return -torch.log(p)[y].mean()

def loss(z, y):
    return nll(torch.softmax(z, -1), y)
""",
    "static method": """
class Losses:
    @staticmethod
    def nll(p, y):
        return -torch.log(p)[y].mean()

def loss(z, y):
    return Losses.nll(torch.softmax(z, -1), y)
""",
    "method through self": """
class Model:
    def _forward(self, z):
        return torch.softmax(z, -1)

    def _loss(self, p, y):
        return -torch.log(p)[y].mean()

    def fit(self, z, y):
        return self._loss(self._forward(z), y)
""",
    "method of an object": """
class Net(nn.Module):
    def loss(self, p, y):
        return -torch.log(p)[y].mean()

net = Net()
def train(z, y):
    return net.loss(torch.softmax(z, -1), y)
""",
    "module that is called": """
class Loss(nn.Module):
    def forward(self, p, y):
        return -torch.log(p)[y].mean()

criterion = Loss()
def train(z, y):
    return criterion(torch.softmax(z, -1), y)
""",
    "model as an argument": """
class Net(nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)

def train(model, loader):
    for x, y in loader:
        loss = -torch.log(model(x))[y].mean()
        loss.backward()

def main(loader):
    train(Net(), loader)
""",
    "attribute of another method": """
class Model:
    def forward(self, z):
        self.p = torch.softmax(z, -1)

    def loss(self, y):
        return -torch.log(self.p)[y].mean()
""",
    "attribute under a condition": """
class Net(nn.Module):
    def __init__(self, act="softmax"):
        super().__init__()
        if act == "softmax":
            self.act = nn.Softmax(-1)
        else:
            self.act = nn.Identity()

    def forward(self, x):
        return torch.log(self.act(x))
""",
    "attribute by a conditional expression": """
class Net(nn.Module):
    def __init__(self, act="softmax"):
        super().__init__()
        self.act = nn.Softmax(-1) if act == "softmax" else nn.Identity()

    def forward(self, x):
        return torch.log(self.act(x))
""",
    "attribute that is wrapped again": """
class Net(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.model = nn.Sequential(nn.Identity())
        self.model = nn.Sequential(self.model, nn.Softmax(-1))

    def forward(self, x):
        return torch.log(self.model(x))
""",
    "attribute that may be None": """
class Net(nn.Module):
    def __init__(self, act=None):
        super().__init__()
        self.act = None
        if act == "softmax":
            self.act = nn.Softmax(-1)

    def forward(self, x):
        if self.act is not None:
            x = self.act(x)
        return torch.log(x)
""",
    "attribute of the class": """
class Net(nn.Module):
    act = nn.Softmax(-1)

    def forward(self, x):
        return torch.log(self.act(x))
""",
    "property": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = nn.Softmax(-1)

    @property
    def act(self):
        return self.kept

    def forward(self, x):
        return torch.log(self.act(x))
""",
    "list of a comprehension": """
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.acts = nn.ModuleList([nn.Softmax(-1) for _ in range(n)])

    def forward(self, x, i):
        return torch.log(self.acts[i](x))
""",
    "what a constructor is given": """
class Net(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.act = act

    def forward(self, x):
        return torch.log(self.act(x))

net = Net(nn.Softmax(-1))
""",
    "what a factory is given": """
def make_loss(act):
    def loss(x):
        x = act(x)
        return torch.log(x)
    return loss

loss = make_loss(nn.Softmax(-1))
""",
    "dictionary by an unknown key": """
ACTS = {"softmax": nn.Softmax(-1), "none": nn.Identity()}

class Net(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.act = ACTS[act]

    def forward(self, x):
        return torch.log(self.act(x))
""",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_a_call_or_an_attribute_breaks_is_found(name: str) -> None:
    assert [one.partition(" ")[0] for one in found(BROKEN[name])] == ["NAN101"]


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("harmless", ["0.1 + torch.softmax(", "torch.sigmoid(0.1 * torch.tanh("])
def test_sound_twin_is_quiet(name: str, harmless: str) -> None:
    text = BROKEN[name]
    end = ")" * (harmless.count("(") - 1)
    for written in ("torch.softmax(z, -1)", "torch.softmax(x, -1)"):
        inner = written.removeprefix("torch.softmax(").removesuffix(")")
        inner = inner if harmless.startswith("0.1") else inner.removesuffix(", -1")
        text = text.replace(written, f"({harmless}{inner}){end})")
    text = text.replace("nn.Softmax(-1)", "nn.Softplus()").replace(
        "torch.log(self", "torch.exp(self"
    )
    text = text.replace("torch.log(x)", "torch.exp(x)") if "nn.Softplus" in text else text
    assert found(text) == []


def test_no_fix_reaches_into_another_function() -> None:
    (finding,) = check_text(IMPORTS + BROKEN["function"], "program.py", Settings())
    assert finding.fix is None
    assert "torch.log(p)" in (IMPORTS + BROKEN["function"]).splitlines()[finding.start.row - 1]


def test_recursion_ends() -> None:
    text = """
def f(p, n):
    return torch.log(p) if n == 0 else g(p, n - 1)
def g(p, n):
    return f(p, n - 1) + f(torch.softmax(p, -1), n)
def h(z):
    return g(torch.softmax(z, -1), 3)
"""
    assert "NAN101 return torch.log(p) if n == 0 else g(p, n - 1)" in found(text)


def test_function_that_calls_itself_is_seen_through_once() -> None:
    text = """
def on_device(x, device):
    if isinstance(x, dict):
        return {name: on_device(one, device) for name, one in x.items()}
    if isinstance(x, list):
        return [on_device(one, device) for one in x]
    if isinstance(x, tuple):
        return tuple([on_device(one, device) for one in x])
    return on_device(x.cpu(), device)
def batch(x, device):
    return on_device(x, device)
"""
    interpreter = Interpreter()
    before = interpreter.budget
    interpreter.run_module(lower_module(Source(text).module))
    # Four calls in its own right, and one from the other function, of four statements each.
    assert before - interpreter.budget == 5 * (1 + 4)


NESTED = """
class Then(nn.Module):
    def __init__(self, inner, last):
        super().__init__()
        self.inner = inner
        self.last = last
    def forward(self, x):
        return self.last(self.inner(x))

model = Then(Then(nn.Linear(3, 3), nn.{last}), nn.Flatten())
def loss(x, y):
    return -torch.log(model(x))[y].mean()
"""


def test_object_of_a_class_within_another_is_seen_through() -> None:
    assert found(NESTED.format(last="Softmax(dim=1)")) == ["NAN101 return " + LOGGED]
    assert found(NESTED.format(last="Flatten()")) == []


LOGGED = "-torch.log(model(x))[y].mean()"
LOSSES = IMPORTS + NLL
NET = """
class Net(nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)
"""
TRAIN = """
def train(model, loader):
    for x, y in loader:
        loss = -torch.log(model(x))[y].mean()
        loss.backward()
"""


def codes(folder: Path, name: str) -> list[str]:
    """What is reported of one of the files of a project."""
    request = replace(Request(Settings()), roots=(str(folder),))
    outcome = check_file(str(folder / name), request).outcome
    assert isinstance(outcome, Linted)
    return [finding.code for finding in outcome.findings]


def plant(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)


@pytest.mark.parametrize(
    "caller",
    [
        "from losses import nll\ndef f(z, y):\n    return nll(torch.softmax(z, -1), y)",
        "import losses\ndef f(z, y):\n    return losses.nll(torch.softmax(z, -1), y)",
        "from losses import nll as g\ndef f(z, y):\n    return g(p=torch.softmax(z, -1), y=y)",
        "from losses import *\ndef f(z, y):\n    p = torch.softmax(z, -1)\n    return nll(p, y)",
        "from losses import (\n    nll,\n)\nif True:\n    nll(torch.softmax(z, -1), 0)",
    ],
)
def test_call_in_another_file_is_in_sight(caller: str, tmp_path: Path) -> None:
    plant(tmp_path, losses=LOSSES)
    assert codes(tmp_path, "losses.py") == []
    plant(tmp_path, train=IMPORTS + caller)
    assert codes(tmp_path, "losses.py") == ["NAN101"]
    plant(
        tmp_path, train=IMPORTS + caller.replace("torch.softmax(z, -1)", "torch.sigmoid(z) + 0.1")
    )
    assert codes(tmp_path, "losses.py") == []


def test_model_of_a_third_file_is_passed_on(tmp_path: Path) -> None:
    main = "from models import Net\nfrom engine import train\n\ntrain(Net().to('cpu'), [])\n"
    plant(tmp_path, models=IMPORTS + NET, engine=IMPORTS + TRAIN, main="import torch\n" + main)
    assert codes(tmp_path, "engine.py") == ["NAN101"]
    plant(tmp_path, models=IMPORTS + NET.replace("softmax(x, -1)", "exp(x)"))
    assert codes(tmp_path, "engine.py") == []


ENCODER = """
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.logvar = nn.Linear(4, 2), nn.Linear(4, 2)
    def forward(self, x):
        return self.mean(x), self.logvar(x)
"""


def test_output_of_a_layer_of_a_third_file_is_one(tmp_path: Path) -> None:
    """Whose layer it is depends on the object, not on the class or file that computes with it."""
    loss = "def divergence(mean, logvar):\n    return (logvar.exp() + mean**2 - logvar).sum()"
    train = "encoder = Encoder()\ndef train(x):\n    divergence(*encoder(x)).backward()"
    imports = "import torch\nfrom losses import divergence\nfrom models import Encoder\n"
    plant(tmp_path, losses="import torch\n" + loss, models=IMPORTS + ENCODER)
    assert codes(tmp_path, "losses.py") == []
    plant(tmp_path, train=imports + train)
    assert codes(tmp_path, "losses.py") == ["NAN504"]
    plant(tmp_path, models=IMPORTS + ENCODER.replace("self.logvar(x)", "self.logvar(x).tanh()"))
    assert codes(tmp_path, "losses.py") == []


def test_relative_import_in_a_package(tmp_path: Path) -> None:
    caller = "from .losses import nll\ndef f(z, y):\n    return nll(torch.softmax(z, -1), y)"
    package = tmp_path / "pkg"
    package.mkdir()
    plant(package, __init__="", losses=LOSSES, train=IMPORTS + caller)
    assert codes(tmp_path, "pkg/losses.py") == ["NAN101"]


def test_method_of_a_class_of_another_file(tmp_path: Path) -> None:
    model = (
        "class Net(nn.Module):\n    def loss(self, p, y):\n        return -torch.log(p)[y].mean()"
    )
    caller = "from models import Net\nnet = Net()\nloss = net.loss(torch.softmax(z, -1), y)"
    plant(tmp_path, models=IMPORTS + model, train=IMPORTS + caller)
    assert codes(tmp_path, "models.py") == ["NAN101"]


def test_subclass_of_the_same_name_in_a_third_file(tmp_path: Path) -> None:
    model = (
        "class Net(nn.Module):\n    def loss(self, p, y):\n        return -torch.log(p)[y].mean()"
    )
    third = "import models\nclass Net(models.Net):\n    pass\n"
    caller = "from third import Net\nnet = Net()\nloss = net.loss(torch.softmax(z, -1), y)"
    plant(tmp_path, models=IMPORTS + model, third=third, models_train=IMPORTS + caller)
    assert codes(tmp_path, "models.py") == ["NAN101"]


@pytest.mark.parametrize(
    ("meant", "read"),
    [
        ("losses", ["train.py"]),
        ("other", []),
    ],
)
def test_only_callers_that_a_name_leads_from_are_read(
    meant: str, read: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was_read = list[str]()
    calling = Caller.calling

    def noted(caller: Caller) -> Calling:
        was_read.append(Path(caller.file).name)
        return calling(caller)

    monkeypatch.setattr(Caller, "calling", noted)
    caller = f"import losses\nimport other\n{meant}.nll(torch.softmax(z, -1), 0)"
    plant(tmp_path, losses=LOSSES, other=LOSSES, train=IMPORTS + caller)
    assert codes(tmp_path, "losses.py") == ["NAN101"] * len(read)
    assert sorted(set(was_read)) == read


def test_another_module_of_that_name_is_not_meant(tmp_path: Path) -> None:
    caller = "from other.losses import nll\nnll(torch.softmax(z, -1), 0)"
    plant(tmp_path, losses=LOSSES, train=IMPORTS + caller)
    assert codes(tmp_path, "losses.py") == []
