"""What a module binds at its top level: each definition is lowered when it is first asked for.

Of another file few definitions are ever needed, and no places in its text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from mllint_nan.ir import program as ir
from mllint_nan.ir.program import MUTATORS
from mllint_nan.syntax.decoding import SourceError, decode, tree_of
from mllint_nan.syntax.lower_ast import lower_expressions, lower_statement

_WORD: Final = re.compile(rb"[^\W\d][\w\x80-\xff]*")
_GLOBAL: Final = re.compile(rb"(^|[;:\r])[ \t\f]*global[ \t\f\\]", re.MULTILINE)
"""What every `global` statement looks like, and few other rows."""
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
        """Whether the text holds the word at all."""
        return name.encode() in self._words

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
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not _may_be_seen_through(node):
                return _unseen(name)
            case _:
                return next((s for s in _lowered(node) if name in _bound_by(s)), None)

    def class_text(self, name: str) -> ClassOutline | None:
        """The class that alone binds a name."""
        node = self._definition(name)
        if not isinstance(node, ast.ClassDef):
            return None
        return self._classes.setdefault(name, ClassOutline(node))

    @property
    def stars(self) -> tuple[str, ...]:
        """The modules, as written, of which all public names are imported."""
        return self._index[1] if b"*" in self.data else ()

    def _definition(self, name: str) -> ast.stmt | None:
        places = self._index[0].get(name, []) if self.mentions(name) else []
        return places[0] if len(places) == 1 and isinstance(places[0], _DEFINITIONS) else None

    @cached_property
    def _words(self) -> frozenset[bytes]:
        return frozenset(_WORD.findall(self.data))

    @cached_property
    def _index(self) -> tuple[dict[str, list[ast.stmt]], tuple[str, ...]]:
        """By what each name is bound, and the stars."""
        try:
            tree = tree_of(decode(self.data).text)
        except SourceError:
            tree = None
        if tree is None:
            return {}, ()
        places: dict[str, list[ast.stmt]] = {}
        stars: list[str] = []
        for node in _top_level(tree.body):
            for name in _names_bound(node):
                if name == "*" and isinstance(node, ast.ImportFrom):
                    stars.append("." * node.level + (node.module or ""))
                places.setdefault(name, []).append(node)
        for inner in _nodes_in(tree) if _GLOBAL.search(self.data) else ():
            if isinstance(inner, ast.Global):
                for name in inner.names:
                    places.setdefault(name, []).append(inner)
        return places, tuple(stars)


class ClassOutline:
    """A class of such a module, of which each method is lowered when it is first asked for."""

    def __init__(self, node: ast.ClassDef) -> None:
        self.name = node.name
        self._node = node
        self._methods: dict[str, ir.Function | None] = {}

    @cached_property
    def bases(self) -> tuple[ir.Expression, ...]:
        """What the class is derived from."""
        return lower_expressions(self._node.bases)

    @cached_property
    def decorators(self) -> tuple[ir.Expression, ...]:
        return lower_expressions(self._node.decorator_list)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names that the body annotates, in order, if no method sets one of them."""
        names = tuple(
            item.target.id
            for item in self._node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        )
        return () if any(name in self._set for name in names) else names

    @cached_property
    def _set(self) -> dict[str, list[ast.expr | None]]:
        """What each attribute is set to, `None` where that is not plain to see."""
        plain: dict[int, ast.expr | None] = {}
        found: dict[str, list[ast.expr | None]] = {}
        for method in self._node.body:
            for inner in _nodes_in(method):
                match inner:
                    case ast.Assign(targets, value):
                        plain.update((id(target), value) for target in targets)
                    case ast.AnnAssign(target, _, value):
                        plain[id(target)] = value
                    case ast.Attribute(ast.Name("self"), name, ast.Store() | ast.Del()):
                        found.setdefault(name, []).append(plain.get(id(inner)))
                    case ast.Call(ast.Attribute(ast.Attribute(ast.Name("self"), name), called)) if (
                        called in MUTATORS and getattr(method, "name", "") != "__init__"
                    ):
                        found.setdefault(name, []).append(None)
                    case _:
                        pass
        return found

    @cached_property
    def stored(self) -> frozenset[str]:
        """Every attribute that the methods or the body of the class set."""
        body = (name for node in self._node.body for name in _names_bound(node))
        return frozenset((*body, *self._set))

    @cached_property
    def builders(self) -> tuple[str, ...]:
        """The methods that set an attribute to what a class or a `lambda` gives."""
        return tuple(
            method.name
            for method in self._node.body
            if isinstance(method, ast.FunctionDef) and any(map(_builds, method.body))
        )

    @cached_property
    def _required(self) -> frozenset[str]:
        """The parameters of the methods that have no default."""
        functions = (node.args for node in self._node.body if isinstance(node, ast.FunctionDef))
        return frozenset(
            argument.arg
            for one in functions
            for argument in (*one.posonlyargs, *one.args)[: len(one.args) - len(one.defaults)]
        )

    def may_keep(self, name: str, *, given: bool) -> bool:
        """Whether an attribute is set in one place, to what could stay what it is.

        That is a literal, a name, a lambda, or what a class gives; with `given`, an argument of
        every caller too.
        """
        match self._set.get(name):
            case [ast.Name(held)]:
                return given or held not in self._required
            case [ast.Call(ast.Name(called) | ast.Attribute(_, called))]:
                return called[:1].isupper()
            case [ast.Constant() | ast.Attribute() | ast.Lambda() | ast.UnaryOp() | ast.List()]:
                return True
            case _:
                return False

    def method(self, name: str) -> ir.Function | None:
        """The method of that name, if there is one and not several.

        One too long or decorated to be seen through is left a name and some decorator.
        """
        if name not in self._methods:
            self._methods[name] = self._method(name)
        return self._methods[name]

    def _method(self, name: str) -> ir.Function | None:
        match [node for node in self._node.body if getattr(node, "name", None) == name]:
            case [ast.FunctionDef() | ast.AsyncFunctionDef() as node] if name not in (
                *ir.FIRST_METHODS,
                *self.builders,
            ) and not _may_be_seen_through(node):
                return _unseen(name)
            case [node]:
                block = _lowered(node)
                single = block[0] if len(block) == 1 else None
                return single if isinstance(single, ir.Function) else None
            case _:
                return None


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


def _may_be_seen_through(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether nothing says so soon that a call is more than the value it returns."""
    if node.decorator_list:
        return _is_property(node)
    pending: list[ast.stmt] = [*node.body]
    count = 0
    while pending and count <= ir.SEEN_THROUGH_LONGEST:
        inner = pending.pop()
        # These two are no statements of a program.
        count += not (isinstance(inner, ast.Pass) or _is_declaration(inner))
        pending += _blocks_in(inner)
    return count <= ir.SEEN_THROUGH_LONGEST


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    match node.decorator_list:
        case [ast.Name(name) | ast.Attribute(_, name)]:
            return name in ir.PROPERTIES
        case _:
            return False


def _unseen(name: str) -> ir.Function:
    """A function that no call is seen through."""
    return ir.Function(None, name, (), (), (ir.Unknown(None, ()),))


def _is_declaration(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and node.value is None


def _blocks_in(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements directly in the blocks of a statement."""
    parts = (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ()))
    for part in parts:
        for block in ("body", "orelse", "finalbody"):
            yield from getattr(part, block, ())


def _nodes_in(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, in no order but that a node stands before what is in it.

    `ast.walk` takes several times as long.
    """
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                pending += (item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST):
                pending.append(value)


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
