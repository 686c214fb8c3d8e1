"""Names of other modules, given as values: no file is read, and nothing of them is run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pytest

from mllint_nan.flow.interpreter import Interpreter
from mllint_nan.flow.modules import CallingFile, absolute
from mllint_nan.syntax.lower import lower_module
from mllint_nan.syntax.source import Source
from mllint_nan.syntax.symbol_table import SymbolTable
from tests.flow.analysed import occurrence, spelled


@dataclass
class Modules:
    """A project in memory: `asked` are the modules that the analysis wanted to see."""

    texts: dict[str, str]
    package: str = "pkg"
    file: str = ""

    def __post_init__(self) -> None:
        self.asked: list[str] = []

    def module(self, name: str) -> SymbolTable | None:
        self.asked.append(name)
        is_package = any(other.startswith(f"{name}.") for other in self.texts)
        if name not in self.texts and not is_package:
            return None
        return SymbolTable(name, is_package, self.texts.get(name, "").encode())

    def callers(self, names: Collection[str]) -> tuple[CallingFile, ...]:
        return ()


def logged_with(texts: dict[str, str], text: str) -> str:
    """What the first logarithm is taken of, where these modules can be imported."""
    interpreter = Interpreter(Modules(texts))
    interpreter.run_module(lower_module(Source(f"import torch\n{text}").module))
    return spelled(occurrence(interpreter, "log").term.operands[0])


F = "import torch\ndef f(x, scale=2):\n    return torch.exp(x) * scale\n"


@pytest.mark.parametrize(
    ("imported", "called"),
    [
        ("from .a import f", "f(x)"),
        ("from .a import f as g", "g(x)"),
        ("from pkg.a import f", "f(x)"),
        ("from . import a", "a.f(x)"),
        ("import pkg.a", "pkg.a.f(x)"),
        ("import pkg.a as b", "b.f(x)"),
        ("from .a import *", "f(x)"),
        ("from .again import f", "f(x)"),
        ("from .starred import f", "f(x)"),
        ("from . import published", "published(x)"),
    ],
)
def test_function_is_found_by_every_way_to_its_name(imported: str, called: str) -> None:
    texts = {
        "pkg": "from .a import f as published",
        "pkg.a": F,
        "pkg.again": "from pkg.a import f",
        "pkg.starred": "from .a import *",
    }
    assert logged_with(texts, f"{imported}\ntorch.log({called})") == "mul(exp(x), 2)"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def f(x):\n    return x\ndef f(x):\n    return -x",
        "try:\n    from .b import f\nexcept ImportError:\n    f = None",
        "def f(x):\n    return x\nf = wrap(f)",
        "from .a import f",
        "from .b import f",
        "f = f",
        "@wrap\ndef f(x):\n    return x",
        "async def f(x):\n    return await x",
        "def f(x):\n    yield x",
        "def f(x, y):\n    return x",
        "def f(x):\n    return f(x)",
        "def f(:",
        "f: int",
        "def g():\n    global f\n    f = 1\ndef f(x):\n    return x",
    ],
)
def test_what_is_not_bound_once_and_plainly_is_opaque(text: str) -> None:
    texts = {"pkg.a": text, "pkg.b": "from .a import f"}
    assert logged_with(texts, "from .a import f\ntorch.log(f(x))") == "opaque"


def test_chain_of_too_many_files_is_opaque() -> None:
    texts = {f"pkg.a{n}": f"from .a{n + 1} import f" for n in range(20)} | {"pkg.a20": F}
    assert logged_with(texts, "from .a0 import f\ntorch.log(f(x))") == "opaque"
    assert logged_with(texts, "from .a17 import f\ntorch.log(f(x))") == "mul(exp(x), 2)"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("EPS = 1e-8", "1e-08"),
        ("EPS: float = 1e-8", "1e-08"),
        ("EPS = 2 * 0.5", "1.0"),
        ("from .other import SMALL as EPS", "0.25"),
        ("EPS = 1e-8\nEPS = 0.0", "pkg.a.EPS"),
        ("EPS = 1e-8\nEPS += 1", "pkg.a.EPS"),
        ("EPS = compute()", "pkg.a.EPS"),
    ],
)
def test_constant_of_another_module(text: str, value: str) -> None:
    texts = {"pkg.a": text, "pkg.other": "SMALL = 0.25"}
    for imported, name in (("from pkg.a import EPS", "EPS"), ("import pkg.a as a", "a.EPS")):
        assert logged_with(texts, f"{imported}\ntorch.log(x + {name})") == f"add(x, {value})"


def test_names_of_two_files_are_not_confused() -> None:
    texts = {"pkg.a": "import torch\ndef f(x):\n    return torch.exp(scale) * x\n"}
    text = "from .a import f\ntorch.log(f(torch.exp(scale)))"
    assert logged_with(texts, text) == "mul(exp(scale), exp(scale))"  # not a square


def test_only_modules_whose_names_are_used_are_looked_for() -> None:
    modules = Modules({"pkg.a": F, "pkg.b": F})
    text = "import torch, os.path\nfrom .a import f\nfrom .b import f as g\nf(os.path.sep)\ng\n"
    Interpreter(modules).run_module(lower_module(Source(text).module))
    assert modules.asked == ["pkg", "pkg.a"]


def test_framework_is_never_a_file_of_the_project() -> None:
    modules = Modules({"torch": F, "numpy": F, "math": F})
    text = "import torch, numpy, math\ntorch.f(x)\nnumpy.f(x)\nmath.f(x)\n"
    Interpreter(modules).run_module(lower_module(Source(text).module))
    assert modules.asked == []


@pytest.mark.parametrize(
    ("path", "package", "result"),
    [
        ("a.b", "pkg", "a.b"),
        (".a", "pkg.sub", "pkg.sub.a"),
        ("..a.b", "pkg.sub", "pkg.a.b"),
        ("...a", "pkg.sub", ""),
        (".a", "", ""),
    ],
)
def test_relative_names(path: str, package: str, result: str) -> None:
    assert absolute(path, package) == result
