"""What a module binds at its top level: each definition is lowered when it is first asked for.

Of another file few definitions are ever needed, and no places in its text.
"""

from __future__ import annotations

import ast
import re
import string
from array import array
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from mllint_nan.ir import program as ir
from mllint_nan.ir.program import MUTATORS
from mllint_nan.syntax.decoding import SourceError, decode, tree_of
from mllint_nan.syntax.lower_ast import lower_expressions, lower_statement

_LETTERS: Final = frozenset(
    (*string.ascii_letters.encode(), *string.digits.encode(), *b"_", *range(0x80, 0x100))
)
"""The bytes that names are made of."""
_GLOBAL: Final = re.compile(r"global[ \t\f\\]")
"""How every `global` statement goes on, and few other places."""
_FARTHEST: Final = 80
"""Characters in which what stands before a word is looked for."""
_ROW_END: Final = re.compile(rb"\r\n|\r|\n")
_KEPT_MOST: Final = 1024
"""Indices of texts that were read for their own sake, kept for other files that ask for them."""
_DEFINITIONS: Final = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
)


_TELLING: Final = frozenset((ast.Assign, ast.AnnAssign, ast.Attribute, ast.Call))
"""The nodes that tell what an attribute is set to."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a statement stands, from the first decorator on; rows count from 1, columns bytes."""

    kind: type[ast.stmt]
    row: int
    column: int
    end_row: int
    end_column: int

    @classmethod
    def of(cls, node: ast.stmt, down: int = 0) -> _Place:
        """Where a node stands, in a text in which it does so many rows below."""
        first = next(iter(getattr(node, "decorator_list", ())), node)
        end_row, end_column = (node.end_lineno or 0) + down, node.end_col_offset or 0
        return cls(type(node), first.lineno + down, first.col_offset, end_row, end_column)


@dataclass(frozen=True, slots=True)
class _Index:
    """What the top level of a module binds: no node is kept, so that the tree can go."""

    places: Mapping[str, tuple[_Place, ...]]
    stars: tuple[str, ...]


_indices: OrderedDict[tuple[int, int], _Index] = OrderedDict()
"""By hash and length of a text."""


def remember(text: str, tree: ast.Module) -> None:
    """Keep what a text binds that has been parsed, in case that another file asks for it."""
    _indices[hash(text), len(text)] = _indexed(text, tree)
    if len(_indices) > _KEPT_MOST:
        _indices.popitem(last=False)


def _may_have_global(text: str) -> bool:
    """Whether a `global` statement may stand in a text, at the start of a row or behind another."""
    for found in _GLOBAL.finditer(text):
        before = text[max(0, found.start() - _FARTHEST) : found.start()].rstrip(" \t\f")
        if not before or before[-1] in "\r\n;:":
            return True
    return False


def _indexed(text: str, tree: ast.Module) -> _Index:
    places: dict[str, list[_Place]] = {}
    stars: list[str] = []
    for node in _top_level(tree.body):
        for name in _names_bound(node):
            if name == "*" and isinstance(node, ast.ImportFrom):
                stars.append("." * node.level + (node.module or ""))
            places.setdefault(name, []).append(_Place.of(node))
    for inner in nodes_in(tree) if _may_have_global(text) else ():
        if isinstance(inner, ast.Global):
            for name in inner.names:
                places.setdefault(name, []).append(_Place.of(inner))
    return _Index({name: tuple(found) for name, found in places.items()}, tuple(stars))


class _Rows:
    """A text in UTF-8, without a BOM, and where each of its rows begins."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        if b"\r" in self._text:
            self._starts = array("L", (0, *(end.end() for end in _ROW_END.finditer(self._text))))
        else:
            lengths = (len(row) + 1 for row in self._text.split(b"\n"))
            self._starts = array("L", accumulate(lengths, initial=0))

    def node(self, place: _Place) -> ast.stmt | None:
        """A statement, parsed anew: of most modules little is asked, and trees are large."""
        start = self._starts[place.row - 1]
        end = self._starts[place.end_row - 1] + place.end_column
        before = self._text[start : start + place.column]
        if before.strip(b" \t\f@"):  # other statements of its row
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
        return next((one for one in statements if _Place.of(one) == place), None)


class SymbolTable:
    """A module that is read for the sake of another one.

    >>> table = SymbolTable("pkg.config", False, b"EPS = 1e-8\\nMODE = 1\\nMODE = 2\\n")
    >>> type(table.binding("EPS")).__name__, table.binding("MODE")
    ('Assign', None)
    """

    def __init__(self, name: str, is_package: bool, data: bytes, file: str = "") -> None:
        """`name` is the module's own, with dots; a package is what other modules are below."""
        self.name = name
        self.file = file
        self.is_package = is_package
        self.data = data
        self._lowered: dict[str, ir.Statement | None] = {}
        self._classes: dict[str, ClassSymbols] = {}
        self._mentioned: dict[str, bool] = {}
        self._rows: _Rows | None = None
        self._known: _Index | None = None
        self._mended: str | None = None
        """The text where it is not Python 3 and can be read in part."""

    def mentions(self, name: str) -> bool:
        """Whether the text holds the word at all."""
        known = self._mentioned.get(name)
        if known is None:
            known = self._mentioned[name] = holds(self.data, name.encode())
        return known

    def binding(self, name: str) -> ir.Statement | None:
        """The one statement that binds a name, without sites; `None` for a class.

        A function too long or decorated to be seen through is left a name and some decorator.
        """
        if name not in self._lowered:
            node = self._definition(name)
            self._lowered[name] = self._lower(node, name)
        return self._lowered[name]

    def _lower(self, node: ast.stmt | None, name: str) -> ir.Statement | None:
        match node:
            case None | ast.ClassDef():
                return None
            case ast.Import(names):
                found = next(alias for alias in names if name == _bound_as(alias))
                return ir.Import(None, ((name, found.name if found.asname else name),))
            case ast.ImportFrom(module, names, level):
                prefix = "." * level + (f"{module}." if module else "")
                found = next(alias for alias in names if name == _bound_as(alias))
                return ir.Import(None, ((name, prefix + found.name),))
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not may_be_seen_through(node):
                return unseen(node)
            case _:
                return next((s for s in _lowered(node) if name in _bound_by(s)), None)

    def class_text(self, name: str) -> ClassSymbols | None:
        """The class that alone binds a name."""
        if name not in self._classes:
            place = self._place(name)
            if place is None or place.kind is not ast.ClassDef:
                return None
            text = self._text()
            node = text.node(place)
            if not isinstance(node, ast.ClassDef):
                return None
            self._classes[name] = ClassSymbols(node, text, place.row - _Place.of(node).row)
        return self._classes[name]

    @property
    def stars(self) -> tuple[str, ...]:
        """The modules, as written, of which all public names are imported."""
        return self._index().stars if b"*" in self.data else ()

    def _definition(self, name: str) -> ast.stmt | None:
        place = self._place(name)
        return None if place is None else self._text().node(place)

    def _place(self, name: str) -> _Place | None:
        """Where the one statement stands that binds a name."""
        places = self._index().places.get(name, ()) if self.mentions(name) else ()
        return places[0] if len(places) == 1 and places[0].kind in _DEFINITIONS else None

    def _text(self) -> _Rows:
        if self._rows is None:
            text = (decode(self.data).text if self._mended is None else self._mended).encode()
            self._rows = _Rows(self.data if text == self.data else text)
        return self._rows

    def _index(self) -> _Index:
        """What each name is bound by, and the stars."""
        if self._known is None:
            self._known = self._read()
        return self._known

    def _read(self) -> _Index:
        try:
            text = decode(self.data).text
        except SourceError:
            return _Index({}, ())
        known = _indices.get((hash(text), len(text)))
        if known is not None:
            return known
        tree = tree_of(text)
        if tree is None:
            text = self._mended = _mended(text)
            tree = tree_of(text)
        return _Index({}, ()) if tree is None else _indexed(text, tree)


def _mended(text: str) -> str:
    """The text as far as it can be read; an empty one where that is not at all."""
    from mllint_nan.syntax.mending import mend

    mended = mend(text, SourceError(""))
    return mended.text if mended is not None else ""


def holds(data: bytes, word: bytes) -> bool:
    """Whether a word stands somewhere that is no part of a longer one."""
    place = data.find(word)
    while place >= 0:
        end = place + len(word)
        is_start = place == 0 or data[place - 1] not in _LETTERS
        if is_start and (end == len(data) or data[end] not in _LETTERS):
            return True
        place = data.find(word, place + 1)
    return False


class ClassSymbols:
    """A class of such a module: answers to what is asked of it, and where its methods stand.

    Each method is parsed when it is first asked for, so that no tree is kept.
    """

    def __init__(self, node: ast.ClassDef, text: _Rows, down: int) -> None:
        """In `text` the class stands so many rows below where the tree says."""
        self.name = node.name
        self.bases = lower_expressions(node.bases)
        """What the class is derived from."""
        self.decorators = lower_expressions(node.decorator_list)
        set_to, set_by = _attributes_set(node)
        body = (name for item in node.body for name in _names_bound(item))
        self.stored = frozenset((*body, *set_to))
        """Every attribute that the methods or the body of the class set."""
        self.fields = _fields(node, set_to)
        """The names that the body annotates, in order, if no method sets one of them."""
        self.builders = tuple(
            method.name
            for method in node.body
            if isinstance(method, ast.FunctionDef) and any(map(_builds, method.body))
        )
        """The methods that set an attribute to what a class or a `lambda` gives."""
        required = _required(node)
        once = [(name, to) for name, to in set_to.items() if len(set_by[name]) == 1]
        self._kept = frozenset(name for name, to in once if _may_stay(to, required))
        self._given = frozenset(name for name, to in once if _may_stay(to, ()))
        self._values = {
            target.id: item.value
            for item in node.body
            if isinstance(item, ast.Assign)
            for target in item.targets
            if isinstance(target, ast.Name) and target.id not in set_to
        }
        self._text = text
        self._places: dict[str, list[_Place]] = {}
        for item in node.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._places.setdefault(item.name, []).append(_Place.of(item, down))
        self._methods: dict[str, ir.Function | None] = {}

    def may_keep(self, name: str, *, given: bool) -> bool:
        """Whether one method sets an attribute, to what could stay what it is.

        That is a literal, a name, a lambda, or what a class gives; with `given`, an argument of
        every caller too.
        """
        return name in (self._given if given else self._kept)

    def value(self, name: str) -> ir.Expression | None:
        """What the body of the class sets an attribute to, if no method sets it."""
        node = self._values.get(name)
        return lower_expressions((node,))[0] if node is not None else None

    def method(self, name: str) -> ir.Function | None:
        """The method of that name, if there is one and not several.

        One too long or decorated to be seen through is left a name and some decorator.
        """
        if name not in self._methods:
            self._methods[name] = self._method(name)
        return self._methods[name]

    def _method(self, name: str) -> ir.Function | None:
        places = self._places.get(name, ())
        match self._text.node(places[0]) if len(places) == 1 else None:
            case ast.FunctionDef() | ast.AsyncFunctionDef() as node if not self._is_evaluated(
                name
            ) and not may_be_seen_through(node):
                return unseen(node)
            case None:
                return None
            case node:
                block = _lowered(node)
                single = block[0] if len(block) == 1 else None
                return single if isinstance(single, ir.Function) else None

    def _is_evaluated(self, name: str) -> bool:
        """Whether a method is, whatever calls it."""
        return name in ir.FIRST_METHODS or name in self.builders


def _fields(node: ast.ClassDef, set_to: Collection[str]) -> tuple[str, ...]:
    names = tuple(
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    )
    return () if any(name in set_to for name in names) else names


def _attributes_set(
    node: ast.ClassDef,
) -> tuple[dict[str, list[ast.expr | None]], dict[str, set[str]]]:
    """What each attribute is set to, `None` where that is not plain to see, and the methods."""
    by: dict[str, set[str]] = {}
    plain: dict[int, ast.expr | None] = {}
    found: dict[str, list[ast.expr | None]] = {}
    for method in node.body:
        for inner in nodes_in(method):
            if type(inner) not in _TELLING:
                continue
            match inner:
                case ast.Assign(targets, value):
                    plain.update((id(target), value) for target in targets)
                case ast.AnnAssign(target, _, value):
                    plain[id(target)] = value
                case ast.Attribute(ast.Name("self"), name, ast.Store() | ast.Del()):
                    found.setdefault(name, []).append(plain.get(id(inner)))
                    by.setdefault(name, set()).add(getattr(method, "name", ""))
                case ast.Call(ast.Attribute(ast.Attribute(ast.Name("self"), name), called)) if (
                    called in MUTATORS and getattr(method, "name", "") != "__init__"
                ):
                    found.setdefault(name, []).append(None)
                    by.setdefault(name, set()).add(getattr(method, "name", ""))
                case _:
                    pass
    return found, by


def _required(node: ast.ClassDef) -> frozenset[str]:
    """The parameters of the methods that have no default."""
    functions = (item.args for item in node.body if isinstance(item, ast.FunctionDef))
    return frozenset(
        argument.arg
        for one in functions
        for argument in (*one.posonlyargs, *one.args)[: len(one.args) - len(one.defaults)]
    )


def _may_stay(values: list[ast.expr | None], unknown: Collection[str]) -> bool:
    """Whether an attribute is set to what could stay what it is, wherever it is set.

    An argument of a caller does, but for those that are `unknown`.
    """
    return all(_may_be_kept(value, unknown) for value in values)


def _may_be_kept(value: ast.expr | None, unknown: Collection[str]) -> bool:
    match value:
        case ast.Name(held):
            return held not in unknown
        case ast.Call(ast.Name(called) | ast.Attribute(_, called)):
            return called[:1].isupper()
        case ast.IfExp(_, body, orelse):
            return _may_be_kept(body, unknown) and _may_be_kept(orelse, unknown)
        case ast.Subscript(ast.Name()):
            return True
        case ast.Constant() | ast.Attribute() | ast.Lambda() | ast.UnaryOp() | ast.List():
            return True
        case _:
            return False


def _builds(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(
            [ast.Attribute(ast.Name("self"))],
            ast.Call(ast.Name(called) | ast.Attribute(_, called)),
        ):
            return called[:1].isupper()
        case ast.Assign([ast.Attribute(ast.Name("self"))], ast.Lambda()):
            return True
        case _:
            return False


def _lowered(node: ast.stmt) -> ir.Block:
    """A statement without sites; nothing, if it is nested too deeply."""
    try:
        return lower_statement(node)
    except RecursionError:
        return ()


def may_be_seen_through(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether nothing says so soon that a call is more than the value it returns."""
    if node.decorator_list and not (_is_property(node) or _is_kept(node)):
        return False
    pending: list[ast.stmt] = [*node.body]
    count = 0
    while pending and count <= ir.SEEN_THROUGH_LONGEST:
        inner = pending.pop()
        # These two are no statements of a program.
        count += not (isinstance(inner, ast.Pass) or _is_declaration(inner))
        pending += _blocks_in(inner)
    return count <= ir.SEEN_THROUGH_LONGEST


def _is_kept(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    match node.decorator_list:
        case [ast.Name(name) | ast.Attribute(_, name)]:
            return name in ir.KEEPING
        case _:
            return False


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    match node.decorator_list:
        case [ast.Name(name) | ast.Attribute(_, name)]:
            return name in ir.PROPERTIES
        case _:
            return False


def unseen(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ir.Function:
    """A function that no call is seen through."""
    unknown: tuple[ir.Expression, ...] = (ir.Unknown(None, ()),)
    if node.returns is None:
        return ir.Function(None, node.name, (), (), unknown)
    match _lowered(ast.Expr(node.returns)):
        case (ir.Evaluate(_, returns),):
            return ir.Function(None, node.name, (), (), unknown, returns)
        case _:
            return ir.Function(None, node.name, (), (), unknown)


def _is_declaration(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and node.value is None


def _blocks_in(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements directly in the blocks of a statement."""
    parts = (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ()))
    for part in parts:
        for block in ("body", "orelse", "finalbody"):
            yield from getattr(part, block, ())


def nodes_in(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it but contexts, in no order but that a node stands before its parts.

    `ast.walk` takes several times as long.
    """
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        for name in node._fields:
            if name == "ctx":
                continue
            value = getattr(node, name, None)
            if isinstance(value, list):
                pending += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                pending.append(value)


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those in its branches included."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for block in ("body", "orelse", "finalbody"):
                yield from _top_level(getattr(node, block, []))
            for handler in getattr(node, "handlers", []):
                yield from _top_level(handler.body)


def _names_bound(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Import(names):
            yield from map(_bound_as, names)
        case ast.ImportFrom(_, names):
            yield from map(_bound_as, names)
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


def _bound_as(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _stored(target: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _bound_by(statement: ir.Statement) -> tuple[str, ...]:
    match statement:
        case ir.Function(_, name):
            return (name,)
        case ir.Assign(_, targets):
            return tuple(target.name for target in targets if isinstance(target, ir.Name))
        case _:
            return ()
