"""What a module binds at its top level: each definition is parsed when it is first asked for.

Reading a whole file as LibCST does takes longer than all that is then done with it, and of another
file few definitions are ever needed. So CPython's own parser says where they stand.
"""

from __future__ import annotations

import ast
import re
import warnings
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

    def mentions(self, name: str) -> bool:
        """Whether the text holds the name at all."""
        return name.encode() in self.data

    def binding(self, name: str) -> ir.Statement | None:
        """The one statement that binds a name, without sites; `None` if there is not just one."""
        if name not in self._lowered:
            self._lowered[name] = self._binding(name)
        return self._lowered[name]

    @property
    def stars(self) -> tuple[str, ...]:
        """The modules, as written, of which all public names are imported."""
        return self._index[1] if b"*" in self.data else ()

    def _binding(self, name: str) -> ir.Statement | None:
        if not self.mentions(name):
            return None
        places = self._index[0].get(name, [])
        if len(places) != 1 or places[0] is None:
            return None
        return next((s for s in self._parsed(*places[0]) if name in _bound_by(s)), None)

    def _parsed(self, start: int, end: int) -> ir.Block:
        """The statements that stand on the rows from `start` to `end`."""
        text = "".join(self._rows[start - 1 : end])
        is_indented = text[:1] in (" ", "\t")
        try:
            module = Source(f"if True:\n{text}" if is_indented else text).module
            block = lower_module(module)
        except (SourceError, UnsupportedError, RecursionError):
            return ()
        if is_indented:
            block = block[0].body if block and isinstance(block[0], ir.If) else ()
        return tuple(map(ir.without_sites, block))

    @cached_property
    def _rows(self) -> list[str]:
        try:
            text = decode(self.data).text
        except SourceError:
            return []
        return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)

    @cached_property
    def _index(self) -> tuple[dict[str, list[tuple[int, int] | None]], tuple[str, ...]]:
        """Where each name is bound, `None` for a place that is no definition; and the stars."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse("".join(self._rows))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {}, ()
        places: dict[str, list[tuple[int, int] | None]] = {}
        stars: list[str] = []
        for node in _top_level(tree.body):
            for name in _names_bound(node):
                if name == "*" and isinstance(node, ast.ImportFrom):
                    stars.append("." * node.level + (node.module or ""))
                is_definition = isinstance(node, _DEFINITIONS)
                places.setdefault(name, []).append(_rows_of(node) if is_definition else None)
        for inner in ast.walk(tree):
            if isinstance(inner, ast.Global):
                for name in inner.names:
                    places.setdefault(name, []).append(None)
        return places, tuple(stars)


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


def _rows_of(node: ast.stmt) -> tuple[int, int]:
    first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))])
    return first, node.end_lineno or node.lineno


def _bound_by(statement: ir.Statement) -> tuple[str, ...]:
    match statement:
        case ir.Function(_, name) | ir.Class(_, name):
            return (name,)
        case ir.Import(_, bindings):
            return tuple(name for name, _ in bindings)
        case ir.Assign(_, targets):
            return tuple(target.name for target in targets if isinstance(target, ir.Name))
        case _:
            return ()
