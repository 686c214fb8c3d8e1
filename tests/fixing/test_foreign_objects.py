"""What belongs to another class is not read as a tensor, and nothing is added to it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from mllint_nan.findings import Applicability, Confidence
from mllint_nan.project import Checked, Request, check_file
from tests.fixing.before_and_after import EVERYTHING, is_finite, is_same, run

pytestmark = pytest.mark.slow

OWN = """
import math
import torch


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __repr__(self):
        return f"[{self.low:.4f}, {self.high:.4f}]"

    def __mul__(self, other):
        return Interval(self.low * other.low, self.high * other.high)

    def __truediv__(self, other):
        return Interval(self.low - other.high, self.high - other.low)

    def sqrt(self):
        return Interval(math.hypot(self.low, 0), math.hypot(self.high, 0))

    def norm(self):
        return Interval(abs(self.low), abs(self.high))

    def std(self):
        return self

    def exp(self):
        return self

    def log(self):
        return self

    def length(self):
        return (self * self).sqrt()

    def scaled(self):
        return self / self.norm()

    def same(self):
        return self.exp().log()
"""
QUIET = {
    "own_parameter": f"""{OWN}
def root(x: Interval):
    return x.sqrt()

outcome = root(Interval(1, 4))
""",
    "own_parameter_named_in_quotes": f"""{OWN}
def root(x: "Interval"):
    return (x * x).sqrt()

outcome = root(Interval(1, 4))
""",
    "own_parameter_or_none": f"""{OWN}
from typing import Optional

def root(x: Optional[Interval] = None, y: Interval | None = None):
    return (x * y).sqrt()

outcome = root(Interval(1, 4), Interval(1, 4))
""",
    "own_divisor": f"""{OWN}
def ratio(x: Interval, y: Interval):
    return x / y.std()

outcome = ratio(Interval(1, 4), Interval(2, 3))
""",
    "own_self": f"""{OWN}
outcome = [Interval(1, 4).length(), Interval(1, 4).scaled(), Interval(1, 4).same()]
""",
    "own_object": f"""{OWN}
x = Interval(1, 4)
outcome = (x * x).sqrt()
""",
    "own_object_in_attribute": f"""{OWN}
class Holder:
    def __init__(self, low, high):
        self.kept = Interval(low, high)

    def root(self):
        return (self.kept * self.kept).sqrt()

outcome = Holder(1, 4).root()
""",
    "own_result_by_annotation": f"""{OWN}
def widened(x, times) -> Interval:
    for _ in range(times):
        x = x * x
    return x

def narrowed(x, times) -> "Interval":
    while times:
        times -= 1
    return x

outcome = [widened(Interval(1, 4), 2).sqrt(), (narrowed(Interval(1, 4), 2) * Interval(1, 1)).sqrt()]
""",
    "own_result_of_a_method": f"""{OWN}
class Power(Interval):
    def powered(self, times) -> Interval:
        result = self
        for _ in range(times):
            result = result * self
        return result

    def root(self):
        return self.powered(2).sqrt()

    def same_root(self):
        return self.__class__(self.low, self.high).sqrt()

    def type_root(self):
        return type(self)(self.low, self.high).sqrt()

    @classmethod
    def unit_root(cls):
        return cls(1, 1).sqrt()

x = Power(1, 4)
outcome = [x.root(), x.same_root(), x.type_root(), Power.unit_root()]
""",
    "own_object_by_test": f"""{OWN}
def root(x):
    if isinstance(x, Interval):
        return x.sqrt()
    return x

outcome = root(Interval(1, 4))
""",
    "own_object_by_assertion": f"""{OWN}
def root(x):
    assert isinstance(x, Interval)
    return x.sqrt()

outcome = root(Interval(1, 4))
""",
    "own_object_by_default_of_methods": """
import torch

class Chain:
    def __init__(self, calls=()):
        self.calls = calls

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *given: Chain((*self.calls, name))

    def __sub__(self, other):
        return Chain((*self.calls, "sub"))

    def __pow__(self, other):
        return Chain((*self.calls, "pow"))

    def __repr__(self):
        return " ".join(self.calls)

outcome = ((Chain() - 1) ** 2).sqrt()
""",
    "derived_from_library": """
import torch
from somelib import Interval

class Width(Interval):
    def root(self):
        return (self * self).sqrt()

    def scaled(self):
        return self / self.norm()

outcome = [Width(1.0, 4.0).root(), Width(1.0, 4.0).scaled()]
""",
    "library_parameter": """
import torch
from somelib import Interval

def root(x: Interval):
    return x.sqrt()

def ratio(x: Interval, y: Interval):
    return x / y.norm()

outcome = [root(Interval(1.0, 4.0)), ratio(Interval(1.0, 4.0), Interval(1.0, 2.0))]
""",
    "library_parameter_kept": """
import torch
from somelib import Interval

class Holder:
    def __init__(self, kept: Interval):
        self.kept = kept

    def root(self):
        return (self.kept * self.kept).sqrt()

outcome = Holder(Interval(1.0, 4.0)).root()
""",
    "library_object": """
import torch
import somelib

x = somelib.Interval(1.0, 4.0)
outcome = ((x - x) * (x - x)).square().sqrt()
""",
    "library_object_by_test": """
import torch
from somelib import Interval

def root(x):
    if not isinstance(x, Interval):
        raise TypeError
    return x.sqrt()

outcome = root(Interval(1.0, 4.0))
""",
    "decimal": """
import torch
from decimal import Decimal

d = Decimal("3")
outcome = [((d - 1) ** 2).sqrt(), (d * d).exp()]
""",
    "decimal_parameter": """
import torch
import decimal

def root(d: decimal.Decimal):
    return ((d - 1) ** 2).sqrt()

outcome = root(decimal.Decimal("3"))
""",
    "symbol": """
import torch
import sympy

x = sympy.Symbol("x", positive=True)
outcome = sympy.simplify(x - x) if (x ** 2).is_positive else (x ** 2).log()
""",
    "symbols_of_a_class": """
import torch
import sympy

def entries(m: sympy.Matrix, n: sympy.Basic):
    return m / m.norm()

outcome = entries(sympy.ImmutableMatrix([3, 4]), sympy.Integer(2))
""",
    "frame_of_a_class": """
import torch
import pandas as pd

def scaled(frame: pd.DataFrame):
    return frame / frame.std()

outcome = scaled(pd.DataFrame({"a": [1.0, 2.0, 4.0]}))
""",
}
POSSIBLE = {
    "converted_tensor": """
import torch
from somelib import to_interval

def root(x):
    return to_interval(x).sqrt()

outcome = root(torch.tensor([1.0, 4.0]))
""",
    "converted_tensor_in_steps": """
import torch
from somelib import to_interval

def root(x):
    op = to_interval(x)
    other = (op * op).sum()
    return other.sqrt()

outcome = root(torch.tensor([1.0, 4.0]))
""",
    "made_of_numbers": """
import torch
import somelib

x = somelib.interval(1.0, 4.0)
outcome = ((x - x) ** 2).sqrt()
""",
    "one_of_several": """
import torch
import somelib

x, y = somelib.intervals((1.0, 4.0), (2.0, 3.0))
outcome = ((x * y) ** 2).sqrt()
""",
    "after_its_own_method": """
import torch
import somelib

x = somelib.Interval(1.0, 4.0).widened()
outcome = (x * x).sqrt()
""",
    "tensor_or_object": """
import torch
from typing import Union
from somelib import Interval

def root(x: Union[torch.Tensor, Interval]):
    return (x * x).sqrt()

outcome = [root(Interval(1.0, 4.0)), root(torch.tensor(2.0))]
""",
    "object_on_one_path": """
import torch
from somelib import Interval

def root(x, is_bounded):
    d = Interval(x, x) if is_bounded else x
    return (d * d).sqrt()

outcome = [root(2.0, True), root(torch.tensor(2.0), False)]
""",
    "asked_for_what_no_tensor_has": """
import torch
from somelib import Interval

def root(x):
    y = x.widened()
    return y if x is None else x.sqrt()

outcome = root(Interval(1.0, 4.0))
""",
    "attribute_that_no_tensor_has": """
import torch
from somelib import Interval

def root(x):
    width = x.high - x.low
    return x.sqrt() if width > 0 else x

outcome = root(Interval(1.0, 4.0))
""",
    "result_has_what_no_tensor_has": """
import torch
from somelib import Interval

def root(x):
    y = x.sqrt().exp()
    print(y.low)
    return y

outcome = root(Interval(1.0, 4.0))
""",
    "symbols_by_function": """
import torch
import sympy

a, b = sympy.symbols("a b")
m = sympy.ones(2, 1)
outcome = (a - b) ** 2 / m.norm()
""",
    "column": """
import io
import torch
import pandas as pd

frame = pd.read_csv(io.StringIO("a,b\\n1,2\\n2,3\\n4,5\\n"))
outcome = ((frame["a"] - frame["a"].mean()) / frame["a"].std()).tolist()
""",
    "grouped_column": """
import torch
import pandas as pd

frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0, 0, 1]}).dropna()
outcome = (frame["a"] / frame["a"].std()).tolist()
""",
}


@pytest.mark.parametrize("name", QUIET)
def test_methods_of_another_class_are_its_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(QUIET[name], monkeypatch)
    assert is_same(found.before, found.after)
    assert [finding.code for finding in found.findings] == []


@pytest.mark.parametrize("name", POSSIBLE)
def test_what_may_be_of_another_class_is_shown_only(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run(POSSIBLE[name], monkeypatch)
    assert is_same(found.before, found.after)
    assert found.surest is Confidence.POSSIBLE
    fixes = [finding.fix for finding in found.findings if finding.fix is not None]
    assert {fix.applicability for fix in fixes} <= {Applicability.DISPLAY_ONLY}


# What is a tensor all the same

ROOT_GRADIENT = """
a = torch.ones(2, 2, requires_grad=True)
b = torch.ones(2, 2)
distance(a, b).sum().backward()
outcome = a.grad
"""
LOG_OF_FAR = """
outcome = logged(torch.tensor([[0.0, 200.0], [200.0, 0.0]]))
"""
SCALE_OF_CONSTANT = """
outcome = scaled(torch.full((2, 3), 2.0))
"""
KEPT = {
    "parameter": f"""
import torch

def distance(x, y):
    return ((x - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "annotated_tensor": f"""
import torch
from typing import Optional

def distance(x: torch.Tensor, y: Optional[torch.Tensor]):
    return ((x - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "annotated_in_quotes": f"""
import torch

def distance(x: "torch.Tensor", y: "torch.Tensor"):
    return ((x - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "annotated_with_an_alias_of_arrays": f"""
import torch
from typing import Any
import somelib
somelib.Scalar = somelib.TensorLike = Any
from somelib import Scalar, TensorLike

def distance(x: TensorLike, y: Scalar):
    return ((x - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "annotated_with_a_protocol": f"""
import torch
from typing import Protocol

class HasRoot(Protocol):
    def sqrt(self): ...

def distance(x: HasRoot, y: HasRoot):
    return ((x - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "result_of_a_library": f"""
import torch
from somelib import rearrange

def distance(x, y):
    d = rearrange(x, "b c -> c b") - y
    return d.pow(2).sum(1).sqrt()
{ROOT_GRADIENT}""",
    "results_of_a_library": f"""
import torch
from somelib import rearrange

def distance(x, y):
    d = rearrange(x, "b c -> c b") - rearrange(y, "b c -> c b")
    return d.pow(2).sum(1).sqrt()
{ROOT_GRADIENT}""",
    "result_that_a_framework_takes": f"""
import torch
import somelib

def distance(x, y):
    z = somelib.rearrange(x, "b c -> c b")
    print(torch.relu(z).sum())
    return ((z - 1) ** 2).sum(1).sqrt()
{ROOT_GRADIENT}""",
    "logits_of_a_library": f"""
import torch
from somelib import rearrange

def logged(x):
    return rearrange(x, "b c -> c b").softmax(-1).log()
{LOG_OF_FAR}""",
    "model_of_a_library": f"""
import torch
import somelib

model = somelib.create_model("small")

def logged(x):
    return model(x).softmax(-1).log()
{LOG_OF_FAR}""",
    "model_of_a_library_in_a_module": f"""
import torch
from torch import nn
import somelib

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = somelib.create_model("small")

    def forward(self, x):
        return self.net(x)

    def logged(self, x):
        return self(x).softmax(-1).log()

logged = Model().logged
{LOG_OF_FAR}""",
    "library_function_of_a_tensor_function": f"""
import torch
from somelib import rearrange

def logged(x):
    return torch.log(torch.softmax(rearrange(x, "b c -> c b"), -1))
{LOG_OF_FAR}""",
    "scaled_result": f"""
import torch
from somelib import rearrange

def scaled(x):
    y = rearrange(x, "b c -> c b")
    return (y - y.mean(0, keepdim=True)) / y.std(0, keepdim=True)
{SCALE_OF_CONSTANT}""",
    "subclass_of_tensors": f"""
import torch

class Points(torch.Tensor):
    def distance(self, y):
        return ((self - y) ** 2).sum(-1).sqrt()

def distance(x, y):
    return x.as_subclass(Points).distance(y).as_subclass(torch.Tensor)
{ROOT_GRADIENT}""",
    "result_of_the_standard_library": f"""
import torch
import operator

def distance(x, y):
    z = operator.pos(x)
    return ((z - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "annotated_result": f"""
import torch

def turned(x, times) -> torch.Tensor:
    for _ in range(times):
        x = x.t()
    return x

def distance(x, y):
    return ((turned(x, 2) - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "after_a_test_for_another_class": f"""
import torch
from somelib import Interval

def distance(x, y):
    if isinstance(x, Interval):
        return x
    return ((x - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "after_a_test_for_tensors": f"""
import torch

def distance(x, y):
    if torch.is_tensor(x) and isinstance(y, torch.Tensor):
        return ((x - y) ** 2).sum(-1).sqrt()
    return abs(x - y)
{ROOT_GRADIENT}""",
    "asked_for_what_tensors_of_old_had": f"""
import torch

def distance(x, y):
    if x.dim() > 2:
        return x.symeig()
    return ((x - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "asked_what_it_is": f"""
import torch

def distance(x, y):
    if hasattr(x, "widened"):
        x.widened()
    return ((x - y) ** 2).sum(-1).sqrt()
{ROOT_GRADIENT}""",
    "drawn_from_an_unknown_distribution": """
import torch

def entropy(p):
    p.enumerate_support()
    return p.sample().relu().log()

outcome = entropy(torch.distributions.Bernoulli(torch.zeros(2)))
""",
    "in_an_unknown_batch": f"""
import torch

def between(batch):
    for name in batch.items():
        assert name
    return ((batch["x"] - batch["y"]) ** 2).sum(-1).sqrt()

def distance(x, y):
    return between({{"x": x, "y": y}})
{ROOT_GRADIENT}""",
    "drawn_by_a_library": """
import torch
import somelib

def scale(x):
    s = somelib.draw("s", somelib.Point(x))
    return (1.0 / s.sqrt()).unsqueeze(-1)

x = torch.zeros(2, requires_grad=True)
(x.pow(2) * 0).sum().backward()
d = somelib.draw("d", somelib.Point(x - 0.0))
d.pow(2).sum(-1).sqrt().backward()
outcome = x.grad
""",
    "attribute_that_gives_way_to_a_tensor": f"""
import torch
import somelib

class Guide:
    def __init__(self, x, y):
        self.x, self.y = somelib.Parameterized(x), somelib.Parameterized(y)

    def distance(self):
        d = self.x[..., None] - self.y[..., None]
        return d.pow(2).sum(-1).sqrt()

def distance(x, y):
    return Guide(x, y).distance()
{ROOT_GRADIENT}""",
    "in_a_batch_of_a_class": """
import torch
from somelib import Batch

def logged(batch: Batch):
    return batch["x"].softmax(-1).log()

outcome = logged(Batch(x=torch.tensor([[0.0, 200.0], [200.0, 0.0]])))
""",
    "in_an_own_batch": f"""
import torch
from typing import NamedTuple

class Pair(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor

def between(pair: Pair):
    return ((pair[0] - pair[1]) ** 2).sum(-1).sqrt()

def distance(x, y):
    return between(Pair(x, y))
{ROOT_GRADIENT}""",
    "attribute_of_an_object": f"""
import torch

class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def sqrt(self):
        return Pair(self.x.sqrt(), self.y.sqrt())

def between(pair: Pair):
    return ((pair.x - pair.y) ** 2).sum(-1).sqrt()

def distance(x, y):
    return between(Pair(x, y))
{ROOT_GRADIENT}""",
    "tensor_made_of_a_column": """
import torch
import pandas as pd

frame = pd.DataFrame({"a": [1.0, 1.0], "b": [1.0, 1.0]})
outcome = torch.tensor(frame["a"] - frame["b"]).relu().log()
""",
    "column_in_numpy": """
import numpy as np
import pandas as pd

frame = pd.DataFrame({"a": [0.0, 2.0]})
outcome = np.log(np.maximum(frame["a"].to_numpy(), 0)).sum()
""",
    "column_itself_in_numpy": """
import numpy as np
import pandas as pd

frame = pd.DataFrame({"a": [0.0, 2.0]})
outcome = np.log(np.maximum(frame["a"], 0)).sum()
""",
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_tensors_are_found_and_fixed_as_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(KEPT[name], monkeypatch)
    assert not is_finite(found.before)
    assert is_finite(found.after)


def test_attribute_that_is_made_of_itself_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(
        """
        import torch
        from somelib import rearrange

        class Ring:
            def __init__(self, x):
                self.x = rearrange(x, "b c -> c b")

            def turn(self):
                self.x = self.x.narrow(0, 0, 1)
                self.x = rearrange(self.x, "b c -> c b")
                return self.x.pow(2).sum(-1).sqrt()

        outcome = Ring(torch.ones(2, 2)).turn()
        """,
        monkeypatch,
    )
    assert is_finite(found.before)
    assert [finding.code for finding in found.findings] == ["NAN203"]


# Several files

INTERVAL_FILE = """
class Shape:
    def widened(self):
        return self


class Interval(Shape):
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __mul__(self, other):
        return Interval(self.low * other.low, self.high * other.high)

    def sqrt(self):
        return Interval(self.low - 1, self.high - 1)

    def __repr__(self):
        return f"[{self.low}, {self.high}]"


def told(low, high) -> Interval:
    for _ in range(1):
        result = interval(low, high)
    return result


def interval(low, high):
    assert low <= high
    for _ in range(1):
        result = Interval(low, high)
    return result
"""
USES = {
    "annotation": """
import torch
from .interval import Interval

def root(x: Interval):
    return (x * x).sqrt()

outcome = root(Interval(1, 4))
""",
    "annotation_by_module": """
import torch
from geometry import interval

def root(x: interval.Interval):
    return (x * x).sqrt()

outcome = root(interval.Interval(1, 4))
""",
    "constructor": """
import torch
from geometry.interval import Interval

x = Interval(1, 4)
outcome = (x * x).sqrt()
""",
    "annotated_result": """
import torch
from .interval import told

outcome = [(told(1, 4) * told(1, 4)).sqrt(), told(1, 4).sqrt()]
""",
    "derived": """
import torch
from .interval import Interval

class Width(Interval):
    def root(self):
        return (self * self).sqrt()

outcome = Width(1, 4).root()
""",
    "test": """
import torch
from .interval import Interval

def root(x):
    return (x * x).sqrt() if isinstance(x, Interval) else x

outcome = root(Interval(1, 4))
""",
}


def fixed_in_package(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Checked, object, object]:
    """A module of a package with a class of its own: what is found, and what its `outcome` is
    before and after its fixes."""
    package = folder / "geometry"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "interval.py").write_text(INTERVAL_FILE)
    path = package / "use.py"
    path.write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    before = _outcome_of("geometry.use")
    checked = check_file(str(path), Request(EVERYTHING, fix=True, roots=(str(folder),)))
    path.write_bytes(checked.after or text.encode())
    return checked, before, _outcome_of("geometry.use")


def _outcome_of(module: str) -> object:
    known = set(sys.modules)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module).outcome
    finally:
        for name in sys.modules.keys() - known:
            del sys.modules[name]


@pytest.mark.parametrize("name", USES)
def test_class_of_another_file_is_no_tensor(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    checked, before, after = fixed_in_package(USES[name], tmp_path, monkeypatch)
    assert repr(before) == repr(after)
    assert (checked.findings, checked.applied) == ((), ())


def test_function_of_the_project_may_give_a_tensor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    text = """
import torch
from turning import turned

def distance(x, y):
    d = turned(x)
    return ((d - 1) ** 2).sum().sqrt()

a = torch.ones(2, 2, requires_grad=True)
distance(a, torch.ones(2, 2)).backward()
outcome = a.grad
"""
    (tmp_path / "turning.py").write_text(
        "def turned(x):\n    for _ in range(2):\n        x = x.t()\n    return x\n"
    )
    checked, before, after = fixed_in_package(text, tmp_path, monkeypatch)
    assert [finding.code for finding in checked.applied] == ["NAN203"]
    assert (is_finite(before), is_finite(after)) == (False, True)
