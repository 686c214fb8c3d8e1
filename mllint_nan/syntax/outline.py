"""What a module binds at its top level: each definition is parsed when it is first asked for.

Reading a whole file as LibCST does takes longer than all that is then done with it, and of another
file few definitions are ever needed. So CPython's own parser says where they stand.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from mllint_nan.ir import program as ir
from mllint_nan.syntax.decoding import SourceError, UnsupportedError, decode
from mllint_nan.syntax.lower import lower_module
from mllint_nan.syntax.source import Source

_DEFINITIONS: Final = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
)


class Outline:
    """A module that is read for the sake of another one.

    >>> outline = Outline("pkg.config", False, b"EPS = 1e-8\\nMODE = 1\\nMODE = 2\\n")
    >>> type(outline.binding("EPS")).__name__, outline.binding("MODE")
    ('Assign', None)
    """

    def __init__(self, name: str, is_package: bool, data: bytes) -> None:
        """`name` is the module's own, with dots; a package is what other modules are below."""
        self.name = name
        self.is_package = is_package
        self.data = data
        self._lowered: dict[str, ir.Statement | None] = {}
        self._classes: dict[str, ClassOutline] = {}

    def mentions(self, name: str) -> bool:
        """Whether the text holds the name at all."""
        return name.encode() in self.data

    def binding(self, name: str) -> ir.Statement | None:
        """The one statement that binds a name, without sites; `None` for a class."""
        if name not in self._lowered:
            node = self._definition(name)
            is_class = isinstance(node, ast.ClassDef)
            block = () if node is None or is_class else self.lowered(node)
            self._lowered[name] = next((s for s in block if name in _bound_by(s)), None)
        return self._lowered[name]

    def class_text(self, name: str) -> ClassOutline | None:
        """The class that alone binds a name."""
        node = self._definition(name)
        if not isinstance(node, ast.ClassDef):
            return None
        return self._classes.setdefault(name, ClassOutline(self, node))

    @property
    def stars(self) -> tuple[str, ...]:
        """The modules, as written, of which all public names are imported."""
        return self._index[1] if b"*" in self.data else ()

    def _definition(self, name: str) -> ast.stmt | None:
        places = self._index[0].get(name, []) if self.mentions(name) else []
        return places[0] if len(places) == 1 and isinstance(places[0], _DEFINITIONS) else None

    def lowered(self, node: ast.stmt) -> ir.Block:
        """The statements on the rows of a node, without sites."""
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))])
        return _parsed("".join(self._rows[first - 1 : node.end_lineno]))

    @cached_property
    def _rows(self) -> list[str]:
        try:
            text = decode(self.data).text
        except SourceError:
            return []
        return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)

    @cached_property
    def _index(self) -> tuple[dict[str, list[ast.stmt]], tuple[str, ...]]:
        """By what each name is bound, and the stars."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse("".join(self._rows))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {}, ()
        places: dict[str, list[ast.stmt]] = {}
        stars: list[str] = []
        for node in _top_level(tree.body):
            for name in _names_bound(node):
                if name == "*" and isinstance(node, ast.ImportFrom):
                    stars.append("." * node.level + (node.module or ""))
                places.setdefault(name, []).append(node)
        for inner in ast.walk(tree) if b"global" in self.data else ():
            if isinstance(inner, ast.Global):
                for name in inner.names:
                    places.setdefault(name, []).append(inner)
        return places, tuple(stars)


class ClassOutline:
    """A class of such a module, of which each method is parsed when it is first asked for."""

    def __init__(self, module: Outline, node: ast.ClassDef) -> None:
        self.name = node.name
        self._module = module
        self._node = node
        self._methods: dict[str, ir.Function | None] = {}

    @cached_property
    def bases(self) -> tuple[ir.Expression, ...]:
        """What the class is derived from."""
        bases = ", ".join(map(ast.unparse, self._node.bases))
        block = _parsed(f"class {self.name}({bases}):\n    pass\n")
        return block[0].bases if block and isinstance(block[0], ir.Class) else ()

    @cached_property
    def stored(self) -> dict[str, int]:
        """How often the methods set each attribute, 0 for what the body of the class sets."""
        counts = Counter({name: 0 for node in self._node.body for name in _names_bound(node)})
        for inner in ast.walk(self._node):
            match inner:
                case ast.Attribute(ast.Name("self"), name, ast.Store() | ast.Del()):
                    counts[name] += 1
                case _:
                    pass
        return counts

    def method(self, name: str) -> ir.Function | None:
        """The method of that name, if there is one and not several."""
        if name not in self._methods:
            found = [node for node in self._node.body if getattr(node, "name", None) == name]
            block = self._module.lowered(found[0]) if len(found) == 1 else ()
            single = block[0] if len(block) == 1 else None
            self._methods[name] = single if isinstance(single, ir.Function) else None
        return self._methods[name]


def _parsed(text: str) -> ir.Block:
    """Statements without sites; indented ones may be the only ones of a block."""
    is_indented = text[:1] in (" ", "\t")
    try:
        block = lower_module(Source(f"if True:\n{text}" if is_indented else text).module)
    except (SourceError, UnsupportedError, RecursionError):
        return ()
    if is_indented:
        block = block[0].body if block and isinstance(block[0], ir.If) else ()
    return tuple(map(ir.without_sites, block))


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those in its branches included."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in ("body", "orelse", "finalbody"):
                yield from _top_level(getattr(node, block, []))
            for handler in getattr(node, "handlers", []):
                yield from _top_level(handler.body)


def _names_bound(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Import(names):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
        case ast.ImportFrom(_, names):
            yield from (alias.asname or alias.name for alias in names)
        case ast.Assign(targets):
            yield from (name for target in targets for name in _stored(target))
        case ast.AnnAssign(target, _, value):
            yield from _stored(target) if value is not None else ()
        case ast.AugAssign(target) | ast.For(target):
            yield from _stored(target)
        case ast.With(items):
            for item in items:
                if item.optional_vars is not None:
                    yield from _stored(item.optional_vars)
        case ast.Delete(targets):
            yield from (name for target in targets for name in _stored(target))
        case _:
            pass


def _stored(target: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _bound_by(statement: ir.Statement) -> tuple[str, ...]:
    match statement:
        case ir.Function(_, name):
            return (name,)
        case ir.Import(_, bindings):
            return tuple(name for name, _ in bindings)
        case ir.Assign(_, targets):
            return tuple(target.name for target in targets if isinstance(target, ir.Name))
        case _:
            return ()
