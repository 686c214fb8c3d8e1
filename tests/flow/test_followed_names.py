"""What one file has followed a name to is taken by the next one, which cannot tell."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from mllint_nan.flow.interpreter import Interpreter
from mllint_nan.flow.modules import Project
from mllint_nan.syntax.lower import lower_module
from mllint_nan.syntax.source import Source
from mllint_nan.syntax.symbol_table import SymbolTable
from tests.flow.analysed import occurrence, spelled
from tests.flow.test_other_files import Modules


@dataclass
class Kept(Modules):
    """A project of which each text is read once, whoever asks for it."""

    tables: dict[str, SymbolTable | None] = field(default_factory=dict)

    def module(self, name: str) -> SymbolTable | None:
        if name not in self.tables:
            self.tables[name] = super().module(name)
        self.asked.append(name)
        return self.tables[name]


def logged(project: Project, text: str) -> str:
    interpreter = Interpreter(project)
    interpreter.run_module(lower_module(Source(f"import torch\n{text}").module))
    return spelled(occurrence(interpreter, "log").term.operands[0])


USES = "from .a import EPS\ndef f(x):\n    return torch.log(x + EPS)\n"
CHAIN = {
    f"pkg.{one}": f"from .{other} import EPS\n"
    for one, other in zip("abcdefgh", "bcdefghi", strict=True)
}
PROGRAMS = {
    "a constant": {"pkg.a": "EPS = 0.25\n"},
    "handed on": {"pkg.a": "from .b import EPS\n", "pkg.b": "EPS = 0.25\n"},
    "as a whole": {
        "pkg.a": "from .b import *\n",
        "pkg.b": "from .c import *\n",
        "pkg.c": "EPS = 2.0\n",
    },
    "of a call": {
        "pkg.a": "from .b import make\nEPS = make(1)\n",
        "pkg.b": "def make(n):\n    return n + 1\n",
    },
    "unknown": {"pkg.a": "from .b import read\nEPS = read()\n", "pkg.b": "import json\n"},
    "in a circle": {"pkg.a": "from .b import EPS\n", "pkg.b": "from .a import EPS\n"},
    "nowhere": {"pkg.a": "from .b import EPS\n"},
    "far away": {**CHAIN, "pkg.i": "EPS = 0.25\n"},
}


@pytest.mark.parametrize("texts", PROGRAMS.values(), ids=PROGRAMS)
def test_second_file_finds_and_asks_for_the_same(texts: dict[str, str]) -> None:
    shared = Kept(texts)
    first = logged(shared, USES)
    second = Kept(texts, tables=shared.tables)
    alone = Kept(texts)
    assert first == logged(second, USES) == logged(alone, USES)
    assert set(second.asked) == set(alone.asked)


def test_what_lies_too_far_is_not_near_for_who_asks_second() -> None:
    texts = {**CHAIN, "pkg.i": "from .j import EPS\n", "pkg.j": "EPS = 0.25\n"}
    near = "from .e import EPS\ndef f(x):\n    return torch.log(x + EPS)\n"
    shared = Kept(texts)
    assert logged(shared, near) == "add(x, 0.25)"
    second, alone = Kept(texts, tables=shared.tables), Kept(texts)
    assert logged(second, USES) == logged(alone, USES) != "add(x, 0.25)"


def test_name_is_followed_once() -> None:
    texts = PROGRAMS["of a call"]
    shared = Kept(texts)
    first, second = Interpreter(shared), Interpreter(Kept(texts, tables=shared.tables))
    for interpreter in (first, second):
        interpreter.run_module(lower_module(Source(f"import torch\n{USES}").module))
    assert second.build.fresh() < first.build.fresh()  # fewer terms were made


@pytest.mark.parametrize("changed", ["pkg.a", "pkg.b"])
def test_text_that_is_read_anew_is_followed_anew(changed: str) -> None:
    texts = {"pkg.a": "from .b import HALF\nEPS = HALF + 1\n", "pkg.b": "HALF = 0.5\n"}
    shared = Kept(texts)
    assert logged(shared, USES) == "add(x, 1.5)"
    news = {"pkg.a": "from .b import HALF\nEPS = HALF + 2\n", "pkg.b": "HALF = 1.5\n"}
    texts = {**texts, changed: news[changed]}
    tables = {name: one for name, one in shared.tables.items() if name != changed}
    assert logged(Kept(texts, tables=tables), USES) == "add(x, 2.5)"


def test_module_that_appears_is_found() -> None:
    texts = {"pkg.a": "from .b import *\n"}
    shared = Kept(texts)
    before = logged(shared, USES)
    tables = {name: one for name, one in shared.tables.items() if one is not None}
    texts = {**texts, "pkg.b": "EPS = 0.5\n"}
    assert logged(Kept(texts, tables=tables), USES) == "add(x, 0.5)" != before


@pytest.mark.parametrize(("key", "is_any"), [('"__file__"', False), ("name", True)])
def test_members_are_looked_for_only_where_any_may_be_meant(key: str, is_any: bool) -> None:
    project = Kept({"pkg.a": "def scale(x):\n    return x\n"})
    text = f"import torch\nfrom .a import *\ndef f(name):\n    return globals()[{key}]\n"
    Interpreter(project).run_module(lower_module(Source(text).module))
    assert ("pkg.a" in project.asked) is is_any
