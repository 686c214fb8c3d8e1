"""A class of a module: what its text says about its attributes, and the places of its methods.

Each method is parsed when it is first needed, so that no tree is kept.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Final

from mllint_nan.ir import program as ir
from mllint_nan.ir.program import MUTATORS
from mllint_nan.syntax.definitions import Place, Rows, names_bound, nodes_in
from mllint_nan.syntax.layers_in_turn import (
    LAYERS,
    applied_in_turn,
    calling_layers,
    keeping_layers,
)
from mllint_nan.syntax.lower_ast import lower_expressions, lower_statement

_TELLING: Final = frozenset((ast.Assign, ast.AnnAssign, ast.Attribute, ast.Call))
"""The kinds of nodes that show what an attribute is set to."""


class ClassSymbols:
    """A class of a module: its attributes, and the places of its methods.

    Each method is parsed when it is first needed, so that no tree is kept.
    """

    def __init__(self, node: ast.ClassDef, text: Rows, down: int) -> None:
        """In `text`, the class is `down` rows below its place in the tree."""
        self.name = node.name
        self.bases = lower_expressions(node.bases)
        """The base classes."""
        self.decorators = lower_expressions(node.decorator_list)
        set_to, set_by = _attributes_set(node)
        body = (name for item in node.body for name in names_bound(item))
        self.stored = frozenset((*body, *set_to))
        """Every attribute that the methods or the body of the class set."""
        self.fields = _fields(node, set_to)
        """The names that the body annotates, in order, if no method sets one of them."""
        self.builders = tuple(
            method.name
            for method in node.body
            if isinstance(method, ast.FunctionDef) and any(map(_builds, method.body))
        )
        """The methods that set an attribute to an object of a class, or to a `lambda`."""
        required = _required(node)
        once = [(name, to) for name, to in set_to.items() if len(set_by[name]) == 1]
        self._kept = frozenset(name for name, to in once if _may_stay(to, required))
        self._given = frozenset(name for name, to in once if _may_stay(to, ()))
        self._values = {
            target.id: item.value
            for item in node.body
            if isinstance(item, (ast.Assign, ast.AnnAssign)) and item.value is not None
            for target in (item.targets if isinstance(item, ast.Assign) else (item.target,))
            if isinstance(target, ast.Name) and target.id not in set_to
        }
        self._annotations = {
            item.target.id: item.annotation
            for item in node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        }
        self._annotations.update(_annotations_given(node))
        self._set_often = frozenset(name for name, by in set_by.items() if len(by) > 1)
        self._text = text
        self._places: dict[str, list[Place]] = {}
        for item in node.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._places.setdefault(item.name, []).append(Place.of(item, down))
        self._methods: dict[str, ir.Function | None] = {}
        self._in_turn = applied_in_turn(self.bases, tuple(self._places))
        if self._in_turn is not None:
            self.stored |= {LAYERS}
            self._kept |= {LAYERS}
            self._given |= {LAYERS}

    def may_keep(self, name: str, *, given: bool) -> bool:
        """Whether a single method sets an attribute, and to something that may be kept as it is.

        That is a literal, a name, a lambda or an object of a class; with `given`, a parameter that
        has no default, too.
        """
        return name in (self._given if given else self._kept)

    def annotation(self, name: str) -> ir.Expression | None:
        """The annotation of an attribute: in the body, or of the parameter that it is set to."""
        node = None if name in self._set_often else self._annotations.get(name)
        return lower_expressions((node,))[0] if node is not None else None

    def value(self, name: str) -> ir.Expression | None:
        """The value that the body of the class gives an attribute, if no method sets it."""
        node = self._values.get(name)
        return lower_expressions((node,))[0] if node is not None else None

    def method(self, name: str) -> ir.Function | None:
        """The method of that name, if there is exactly one.

        If it is too long to be inlined, or decorated, only a stub with the name and some decorator.
        """
        if name not in self._methods:
            found = self._method(name)
            if self._in_turn is not None:
                found = self._applying_in_turn(name, found, self._in_turn)
            self._methods[name] = found
        return self._methods[name]

    def _applying_in_turn(
        self, name: str, found: ir.Function | None, base: ir.Expression
    ) -> ir.Function | None:
        """The constructor that keeps the layers, or the method that calls them."""
        if name not in (ir.FIRST_METHODS[0], ir.CALLED_BY_NAME[0]):
            return found
        constructor = self._method(ir.FIRST_METHODS[0])
        keeping = keeping_layers(constructor, base) if constructor is not None else None
        if name == ir.FIRST_METHODS[0]:
            return keeping or found
        return calling_layers(None) if keeping is not None else found

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
                block = lowered(node)
                single = block[0] if len(block) == 1 else None
                return single if isinstance(single, ir.Function) else None

    def _is_evaluated(self, name: str) -> bool:
        """Whether a method is evaluated, whatever calls it."""
        return name in ir.FIRST_METHODS or name in self.builders


def _fields(node: ast.ClassDef, set_to: Collection[str]) -> tuple[str, ...]:
    names = tuple(
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    )
    return () if any(name in set_to for name in names) else names


def _annotations_given(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes that a constructor annotates, or sets to an annotated parameter."""
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.name != ir.FIRST_METHODS[0]:
            continue
        said = {one.arg: one.annotation for one in (*method.args.args, *method.args.kwonlyargs)}
        for item in method.body:
            match item:
                case ast.AnnAssign(ast.Attribute(ast.Name("self"), name), annotation):
                    yield name, annotation
                case ast.Assign([ast.Attribute(ast.Name("self"), name)], ast.Name(given)):
                    of_parameter = said.get(given)
                    if of_parameter is not None:
                        yield name, of_parameter
                case _:
                    pass


def _attributes_set(
    node: ast.ClassDef,
) -> tuple[dict[str, list[ast.expr | None]], dict[str, set[str]]]:
    """The values that each attribute is set to, `None` if not visible, and the methods that do."""
    by: dict[str, set[str]] = {}
    plain: dict[int, ast.expr | None] = {}
    found: dict[str, list[ast.expr | None]] = {}
    for method in node.body:
        for inner in nodes_in(method):
            if type(inner) not in _TELLING:
                continue
            match inner:
                case ast.Assign(targets, value):
                    plain.update(pair for target in targets for pair in _set_by(target, value))
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


def _set_by(target: ast.expr, value: ast.expr) -> Iterator[tuple[int, ast.expr]]:
    """Yield the `id` of each target of an assignment, with its value."""
    match target, value:
        case ast.Tuple(targets), ast.Tuple(values) if len(targets) == len(values):
            if not any(isinstance(one, ast.Starred) for one in (*targets, *values)):
                for one, its in zip(targets, values, strict=True):
                    yield from _set_by(one, its)
        case _:
            yield id(target), value


def _required(node: ast.ClassDef) -> frozenset[str]:
    """The parameters of the methods that have no default."""
    functions = (item.args for item in node.body if isinstance(item, ast.FunctionDef))
    positional = [((*one.posonlyargs, *one.args), len(one.defaults)) for one in functions]
    return frozenset(
        argument.arg
        for arguments, defaults in positional
        for argument in arguments[: len(arguments) - defaults]
    )


def _may_stay(values: list[ast.expr | None], unknown: Collection[str]) -> bool:
    """Whether all of the values that an attribute is set to may be kept as they are.

    A parameter may, unless it is one of `unknown`.
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


def lowered(node: ast.stmt) -> ir.Block:
    """A statement without sites; nothing if it is nested too deeply."""
    try:
        return lower_statement(node)
    except RecursionError:
        return ()


def may_be_seen_through(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether calls of a function may be inlined, judging by its decorators and its length."""
    if node.decorator_list and not (_is_property(node) or _is_kept(node)):
        return False
    pending: list[ast.stmt] = [*node.body]
    count = 0
    while pending and count <= ir.SEEN_THROUGH_LONGEST:
        inner = pending.pop()
        # Lowering drops these two.
        count += not (isinstance(inner, ast.Pass) or _is_declaration(inner))
        pending += _blocks_in(inner)
    return count <= ir.SEEN_THROUGH_LONGEST


def _is_kept(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a decorator leaves calls as they are written, or makes it a context manager."""
    match node.decorator_list:
        case [ast.Name("contextmanager") | ast.Attribute(_, "contextmanager")]:
            return True
        case [decorator]:
            return _keeps(decorator)
        case _:
            return False


def _keeps(decorator: ast.expr) -> bool:
    """Whether it is `@jit`, `@jit(...)`, `@partial(jit, ...)` or the like, judging by the name."""
    match decorator:
        case ast.Name(name) | ast.Attribute(_, name):
            return name in ir.KEEPING
        case ast.Call(ast.Name("partial") | ast.Attribute(_, "partial"), [wrapper, *_]):
            return _keeps(wrapper)
        case ast.Call(callee):
            return _keeps(callee)
        case _:
            return False


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    match node.decorator_list:
        case [ast.Name(name) | ast.Attribute(_, name)]:
            return name in ir.PROPERTIES
        case _:
            return False


def unseen(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ir.Function:
    """A stub of a function whose calls are not inlined."""
    unknown: tuple[ir.Expression, ...] = (ir.Unknown(None, ()),)
    if node.returns is None:
        return ir.Function(None, node.name, (), (), unknown)
    match lowered(ast.Expr(node.returns)):
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
