"""What a module binds, read one definition at a time and without sites."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

import pytest

from mllint_nan.ir import program as ir
from mllint_nan.syntax import symbol_table as symbol_table_module
from mllint_nan.syntax.lower_ast import lower_statement
from mllint_nan.syntax.symbol_table import SymbolTable, remember, tree_of_own

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


def symbol_table(text: str = TEXT) -> SymbolTable:
    return SymbolTable("pkg.sub.m", False, text.encode())


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
    statement = symbol_table().binding(name)
    assert isinstance(statement, ir.Import)
    assert statement.bindings == ((name, qualified),)


def test_definition_in_a_branch_has_no_sites() -> None:
    function = symbol_table().binding("branch")
    assert isinstance(function, ir.Function)
    assert set(sites(function)) == {None}


def test_class_tells_its_bases_and_methods() -> None:
    net = symbol_table().class_text("Net")
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
    net = symbol_table().class_text("Net")
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
        "f f = 1",
        "f, g = 1, 2\nf.a = 1",
        "\0",
    ],
)
def test_what_is_bound_otherwise_has_no_binding(text: str) -> None:
    assert symbol_table(text).binding("f") is None
    assert symbol_table(text).class_text("f") is None


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_rows_end_in_any_way(newline: str) -> None:
    text = "s = 'a'\x0c\n\ndef f(x):\n    return x\n".replace("\n", newline)
    assert isinstance(symbol_table(text).binding("f"), ir.Function)


def test_word_is_mentioned_as_a_whole() -> None:
    assert symbol_table("eps2 = 1").mentions("eps2")
    assert not symbol_table("eps2 = 1").mentions("eps")


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x\n",
        "@a.b\n@c(\n  1\n)\ndef f(x):\n    return x\n",
        "@ a\ndef f(x): return x",
        "@(\n  a\n)\ndef f(x): return x",
        "if a:\n    @b\n    def f(x):\n        return x\nelse:\n    pass\n",
        "if a:\n\tdef f(x):\n\t\treturn x\n",
        "try:\n    import a\nexcept b:\n    def f(x):\n        '''\ny'''\n        return x\n",
        "a = 1; f = (2,\n  3); b = 4",
        "if a: b = 1; f = 2",
        "é = 'é'; f = 'é'; b = 2",
        "\ufeffa = 1\r\nf = 2\r\n",
        "a = 1\rf = [\r2]\r",
        "a = '\f'\n\fdef f(x):\n    return x\n",
        "# -*- coding: latin-1 -*-\na = 'é'; f = 'é'",
    ],
)
def test_definition_is_what_the_whole_text_has(text: str) -> None:
    encoding = "latin-1" if "latin-1" in text else "utf-8"
    found = SymbolTable("m", False, text.encode(encoding)).binding("f")
    (expected,) = [
        statement
        for node in ast.walk(ast.parse(text.removeprefix("\ufeff")))
        if isinstance(node, ast.FunctionDef | ast.Assign)
        for statement in lower_statement(node)
        if shape(statement)[0] == "Function" or shape(statement)[2] == [["Name", None, "f"]]
    ]
    if "@" in text:  # what is called is not what is written
        assert isinstance(found, ir.Function)
        assert found.body != expected.body
    else:
        assert shape(found) == shape(expected)


def shape(value: object) -> list[object]:
    if isinstance(value, tuple):
        return [shape(part) for part in value]
    if dataclasses.is_dataclass(value):
        names = (field.name for field in dataclasses.fields(value))
        parts = [getattr(value, name) for name in names]
        nested = [
            shape(p) if dataclasses.is_dataclass(p) or isinstance(p, tuple) else p for p in parts
        ]
        return [type(value).__name__, *nested]
    return [value]


def test_text_that_was_linted_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a = 1\ndef f(linted):\n    return linted\n"
    remember(text, ast.parse(text))
    parsed: list[str] = []

    def tree_of(part: str) -> ast.Module:
        parsed.append(part)
        return ast.parse(part)

    monkeypatch.setattr("mllint_nan.syntax.definitions.tree_of", tree_of)
    assert isinstance(SymbolTable("m", False, text.encode()).binding("f"), ir.Function)
    assert parsed == ["def f(linted):\n    return linted"]


def test_text_that_was_read_for_another_is_not_parsed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "b = 1\ndef g(x):\n    return x\n"
    assert isinstance(SymbolTable("m", False, text.encode()).binding("g"), ir.Function)
    monkeypatch.setattr(symbol_table_module, "tree_of", lambda _: None)
    own = tree_of_own(text)
    assert own is not None and ast.dump(own) == ast.dump(ast.parse(text))
    assert tree_of_own(text) is None  # it is let go of with its turn


def test_trees_that_wait_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"c = {number}\ndef h(x):\n    return x\n" for number in range(3)]
    monkeypatch.setattr(symbol_table_module, "_WAITING_MOST", 2 * len(texts[0]))
    for text in texts:
        assert isinstance(SymbolTable("m", False, text.encode()).binding("h"), ir.Function)
    monkeypatch.setattr(symbol_table_module, "tree_of", lambda _: None)
    assert [tree_of_own(text) is not None for text in texts] == [False, True, True]


@pytest.mark.parametrize(
    ("text", "is_mentioned"),
    [("f(x)", True), ("a.f", True), ("xf(f2)", False), ("fé", False), ("ff f", True), ("", False)],
)
def test_word_is_no_part_of_another(text: str, is_mentioned: bool) -> None:
    assert symbol_table(text).mentions("f") is is_mentioned


@pytest.mark.parametrize(
    "statement",
    [
        "    global f",
        "    x = 1; global f",
        "    if x: global f",
        f"    {' ' * 100}if x:\n{' ' * 110}global f",
        "    global \\\n f",
    ],
)
def test_name_that_a_function_declares_global_has_no_binding(statement: str) -> None:
    assert symbol_table(f"f = 1\ndef g(x):\n{statement}\n").binding("f") is None


@pytest.mark.parametrize("line", ["is_global = 1", "# global f", "s = 'global f'", "x.global_ = f"])
def test_word_global_elsewhere_declares_nothing(line: str) -> None:
    assert symbol_table(f"f = 1\ndef g(x):\n    {line}\n    pass\n").binding("f") is not None


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text",
    [
        "class A(B):\n    s = 'é'\n\n    @property\n    def f(self):\n        return self.x\n",
        "if c:\n    class A:\n        def f(self):\n            return self.x\n",
        "x = 1; y = 2\n@d\nclass A:\n    def f(self): return self.x\n",
        "if c:\n    @d\n    class A:\n        size = 3\n        def f(self): return self.x\n",
    ],
    ids=["decorated", "in a branch", "decorated class", "decorated class in a branch"],
)
def test_method_is_parsed_from_where_it_stands(text: str, newline: str) -> None:
    found = symbol_table(text.replace("\n", newline)).class_text("A")
    method = found.method("f") if found is not None else None
    assert method is not None
    match method.body:
        case (ir.Return(_, ir.Attribute(_, ir.Name(_, "self"), "x")),):
            pass
        case body:
            pytest.fail(str(body))


def test_definitions_of_the_same_text_are_read_once() -> None:
    text = b"def half(x):\n    return x / 2\n\n\nclass Scale:\n    by = 2\n"
    numpy, jax, other = (
        SymbolTable("m", False, before + text.replace(b"2", by))
        for before, by in ((b"import numpy as np\n", b"2"), (b"", b"2"), (b"", b"3"))
    )
    assert numpy.binding("half") is jax.binding("half") is not None
    assert numpy.class_text("Scale") is jax.class_text("Scale") is not None
    assert other.binding("half") is not jax.binding("half")
    scale = other.class_text("Scale")
    assert scale is not None
    assert shape(scale.value("by")) == shape(ir.Constant(None, 3))


def test_methods_are_found_in_the_text_of_their_class() -> None:
    first = b"import a\n\n\n@a.b\nclass C(a.C):\n    def f(self):\n        return 1\n"
    second = first.replace(b"import a\n", b"import a\nx = 1\n\n").replace(b"return 1", b"return 2")
    for text, number in ((first, 1), (b"y = 1\n" + first, 1), (second, 2)):
        found = SymbolTable("m", False, text).class_text("C")
        assert found is not None
        method = found.method("f")
        assert method is not None
        assert shape(method.body[0]) == shape(ir.Return(None, ir.Constant(None, number)))
