"""Walks over Python's own syntax trees, without the fields that hold no expression."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final


def parameters_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = node.args
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def defaults_of(given: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    """Yield the parameters of a function that have a default, with it."""
    positional = [*given.posonlyargs, *given.args]
    first = len(positional) - len(given.defaults)
    yield from zip((one.arg for one in positional[first:]), given.defaults, strict=True)
    for parameter, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if default is not None:
            yield parameter.arg, default


def bound_by(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.Assign(targets):
            for target in targets:
                yield from names_in(target)
        case ast.AnnAssign(target) | ast.AugAssign(target):
            yield from names_in(target)
        case ast.If() | ast.Try() | ast.With():
            for inner in ast.iter_child_nodes(statement):
                if isinstance(inner, ast.stmt):
                    yield from bound_by(inner)


def names_in(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(name):
            yield name
        case ast.Tuple(elements) | ast.List(elements):
            for element in elements:
                yield from names_in(element)
        case ast.Starred(value):
            yield from names_in(value)


_INNER: Final = ("body", "handlers", "orelse", "finalbody", "cases")
"""The fields of statements that hold statements, in the order of `ast`."""
_NO_NODES: Final = frozenset(("ctx", "op", "ops", "id", "attr", "kind", "type_comment", "names"))
"""The fields that hold no expression."""
_KINDS: Final = [
    kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)
]
BLOCKS: Final = {kind: [name for name in kind._fields if name in _INNER] for kind in _KINDS}
_FIELDS: Final = {kind: [name for name in kind._fields if name not in _NO_NODES] for kind in _KINDS}
_WITH_SCOPES: Final = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef))


def statements_below(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the node and the statements in it, in the order of `ast.walk`."""
    pending = deque((node,))
    while pending:
        current = pending.popleft()
        yield current
        for name in BLOCKS[current.__class__]:
            pending.extend(getattr(current, name))


def children(node: ast.AST) -> Iterator[ast.AST]:
    """Like `ast.iter_child_nodes`, without operators and contexts."""
    for name in _FIELDS[node.__class__]:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            yield value
        elif value.__class__ is list:
            for item in value:
                if isinstance(item, ast.AST):
                    yield item


class Stores:
    """The names that statements assign, computed once for each function."""

    def __init__(self) -> None:
        self._of_functions: dict[ast.AST, frozenset[str]] = {}

    def of(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
        """The names that its body assigns, including those in nested functions."""
        found = self._of_functions.get(function)
        if found is None:
            found = self._of_functions[function] = frozenset(self.within(function.body))
        return found

    def within(self, body: Iterable[ast.AST]) -> set[str]:
        found = set[str]()
        pending = list(body)
        while pending:
            node = pending.pop()
            kind = node.__class__
            if kind is ast.Constant:
                continue
            if isinstance(node, ast.Name):
                if node.ctx.__class__ is ast.Store:
                    found.add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found |= self.of(node)
                pending += (part for part in children(node) if not isinstance(part, ast.stmt))
            else:
                pending += children(node)
        return found


def name_called(node: ast.expr) -> str:
    """The name that is called: `step` for `a.b.step(x)` and `a.b.step`."""
    function = node.func if isinstance(node, ast.Call) else node
    match function:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
        case ast.Call():
            return name_called(function)
        case _:
            return ""


def captured_in(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the names in functions, lambdas and classes within a body."""
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if node.__class__ not in _WITH_SCOPES:
            pending += children(node)
            continue
        below: list[ast.AST] = [node]
        while below:
            inner = below.pop()
            if isinstance(inner, ast.Name):
                yield inner.id
            else:
                below += children(inner)
