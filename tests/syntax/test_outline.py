"""What a module binds, read one definition at a time and without sites."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from mllint_nan.ir import program as ir
from mllint_nan.syntax.outline import Outline

TEXT = """
import torch as t
from . import a
from ..b import c as d

if t.cuda:
    def branch(x):
        return x

class Net(t.nn.Module, a.Mixin):
    size = 3

    def __init__(self, act, width=3):
        self.act = act
        self.width = width
        self.fc = t.nn.Linear(3, width)
        self.made = make(act)
        self.twice = 1
        self.grown = t.nn.ModuleList()

    def forward(self, x):
        self.twice = 2
        self.grown.append(x)
        return x

    @property
    def p(self):
        return 1

    @p.setter
    def p(self, value):
        pass
"""


def outline(text: str = TEXT) -> Outline:
    return Outline("pkg.sub.m", False, text.encode())


def sites(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for part in value:
            yield from sites(part)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            inner = getattr(value, field.name)
            if field.name == "site":
                yield inner
            else:
                yield from sites(inner)


@pytest.mark.parametrize(("name", "qualified"), [("t", "torch"), ("a", ".a"), ("d", "..b.c")])
def test_import(name: str, qualified: str) -> None:
    statement = outline().binding(name)
    assert isinstance(statement, ir.Import)
    assert statement.bindings == ((name, qualified),)


def test_definition_in_a_branch_has_no_sites() -> None:
    function = outline().binding("branch")
    assert isinstance(function, ir.Function)
    assert set(sites(function)) == {None}


def test_class_tells_its_bases_and_methods() -> None:
    net = outline().class_text("Net")
    assert net is not None
    assert [type(base) for base in net.bases] == [ir.Attribute, ir.Attribute]
    method = net.method("forward")
    assert method is not None
    assert [parameter.name for parameter in method.parameters] == ["self", "x"]
    assert set(sites(method)) == {None}
    assert net.method("p") is None
    assert net.method("absent") is None
    assert net.stored >= {"size", "act", "twice"}


@pytest.mark.parametrize(
    ("name", "kept", "kept_if_given"),
    [
        ("fc", True, True),
        ("width", True, True),
        ("act", False, True),
        ("made", False, False),
        ("twice", False, False),
        ("grown", False, False),
        ("size", False, False),
        ("absent", False, False),
    ],
)
def test_attribute_that_may_keep_its_value(name: str, kept: bool, kept_if_given: bool) -> None:
    net = outline().class_text("Net")
    assert net is not None
    assert net.may_keep(name, given=False) is kept
    assert net.may_keep(name, given=True) is kept_if_given


@pytest.mark.parametrize(
    "text",
    [
        "f = 1\nf = 2",
        "f += 1",
        "for f in x: pass",
        "del f",
        "def f(:",
        "f, g = 1, 2\nf.a = 1",
        "\0",
    ],
)
def test_what_is_bound_otherwise_has_no_binding(text: str) -> None:
    assert outline(text).binding("f") is None
    assert outline(text).class_text("f") is None


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_rows_end_in_any_way(newline: str) -> None:
    text = "s = 'a'\x0c\n\ndef f(x):\n    return x\n".replace("\n", newline)
    assert isinstance(outline(text).binding("f"), ir.Function)


def test_word_is_mentioned_as_a_whole() -> None:
    assert outline("eps2 = 1").mentions("eps2")
    assert not outline("eps2 = 1").mentions("eps")
