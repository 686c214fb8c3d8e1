"""Definitions of a module: the place of each in the text, and the names that it binds."""

from __future__ import annotations

import ast
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from mllint_nan.syntax.decoding import tree_of

_ROW_END: Final = re.compile(rb"\r\n|\r|\n")
_NO_NODES: Final = frozenset(
    ("arg", "asname", "attr", "ctx", "id", "kind", "level", "module", "type_comment")
)
"""The fields that hold no node, or only a context."""
_FIELDS: Final[Mapping[type[ast.AST], tuple[str, ...]]] = {
    kind: tuple(name for name in kind._fields if name not in _NO_NODES and kind is not ast.Constant)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
"""By kind of node: the fields that may hold nodes."""
_OWN: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""Statements with a scope of their own."""
_BLOCKS: Final[Mapping[type[ast.AST], tuple[str, ...]]] = {
    kind: tuple(name for name in ("body", "orelse", "finalbody") if name in kind._fields)
    for kind in _FIELDS
    if issubclass(kind, ast.stmt) and kind not in _OWN
}
"""By kind of statement: the fields whose statements bind names of the same scope."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a statement, from its first decorator; rows count from 1, columns in bytes."""

    kind: type[ast.stmt]
    row: int
    column: int
    end_row: int
    end_column: int

    @classmethod
    def of(cls, node: ast.stmt, down: int = 0) -> Place:
        """The place of a node, in a text in which it is `down` rows lower."""
        first = next(iter(getattr(node, "decorator_list", ())), node)
        end_row, end_column = (node.end_lineno or 0) + down, node.end_col_offset or 0
        return cls(type(node), first.lineno + down, first.col_offset, end_row, end_column)


class Rows:
    """A text in UTF-8, without a BOM, and the offsets at which its rows begin."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        if b"\r" in self._text:
            self._starts = array("L", (0, *(end.end() for end in _ROW_END.finditer(self._text))))
        else:
            lengths = (len(row) + 1 for row in self._text.split(b"\n"))
            self._starts = array("L", accumulate(lengths, initial=0))

    def rows(self, place: Place) -> bytes:
        """The text of a statement, with what precedes it on its first row."""
        end = self._starts[place.end_row - 1] + place.end_column
        return self._text[self._starts[place.row - 1] : end]

    def node(self, place: Place) -> ast.stmt | None:
        """A statement, parsed anew: trees are large, and little is asked about most modules."""
        start = self._starts[place.row - 1]
        end = self._starts[place.end_row - 1] + place.end_column
        before = self._text[start : start + place.column]
        if before.strip(b" \t\f@"):  # other statements on its row
            start += place.column
            before = b""
        header = b"if 1:\n" if before[:1].isspace() else b""
        tree = tree_of((header + self._text[start:end]).decode())
        body = tree.body if tree is not None else []
        if header and len(body) == 1 and isinstance(body[0], ast.If):
            body = body[0].body
        if len(body) == 1 and type(body[0]) is place.kind:
            return body[0]
        whole = tree_of(self._text.decode())
        nodes = nodes_in(whole) if whole is not None else ()
        statements = (one for one in nodes if isinstance(one, ast.stmt))
        return next((one for one in statements if Place.of(one) == place), None)


def nodes_in(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes below it except contexts, each before its parts.

    `ast.walk` takes several times as long.
    """
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        for name in _FIELDS[type(node)]:
            value = getattr(node, name, None)
            if type(value) is list:
                if value:
                    pending += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                pending.append(value)


def top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, including those in its branches."""
    for node in body:
        yield node
        for block in _BLOCKS.get(type(node), ()):
            yield from top_level(getattr(node, block))
        for handler in getattr(node, "handlers", ()):
            yield from top_level(handler.body)


def names_bound(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Import(names):
            yield from map(bound_as, names)
        case ast.ImportFrom(_, names):
            yield from map(bound_as, names)
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


def filled_by(node: ast.stmt) -> str:
    """The variable of which a statement sets an element, or calls `update`; else empty."""
    match node:
        case ast.Assign([ast.Subscript(ast.Name(name))]):
            return name
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "update"))):
            return name
        case _:
            return ""


def bound_as(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _stored(target: ast.expr) -> Iterable[str]:
    if isinstance(target, ast.Name):  # as most are
        return (target.id,)
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
