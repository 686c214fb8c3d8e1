"""The names, calls and bindings in a part of a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from mllint_nan.syntax.definitions import nodes_in

_FAILING: Final = frozenset(("raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp"))
"""Contexts in which a test calls something that is meant to fail."""

FUNCTION: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def names_in(node: ast.AST) -> frozenset[str]:
    """Everything that the node names, attributes by their own name."""
    return names_among(nodes_in(node))


def names_among(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Everything that the nodes themselves name."""
    found: set[str] = set()
    for inner in nodes:
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
        elif isinstance(inner, ast.alias):
            found.add(inner.name)
    return frozenset(found)


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    return (inner for inner in nodes_in(node) if isinstance(inner, ast.Call))


def called(call: ast.Call) -> str:
    """The name that is called: `f` for `f(x)` and `a.f(x)`."""
    return name_of(call.func)


def name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
        case _:
            return ""


def given(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    for keyword in call.keywords:
        yield keyword.value


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[str]:
    arguments = function.args
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if one.arg not in ("self", "cls"):
            yield one.arg


def bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds, or whose values it may change."""
    if isinstance(node, (*FUNCTION, ast.ClassDef)):
        yield node.name
        return
    for inner in nodes_in(node):
        match inner:
            case ast.Name(name, ast.Store()):
                yield name
            case ast.Subscript(ast.Name(name), _, ast.Store()):
                yield name
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))):
                yield name


def attributes_set(node: ast.AST) -> Iterator[str]:
    for inner in nodes_in(node):
        match inner:
            case ast.Attribute(_, name, ast.Store()):
                yield name
            case ast.Expr(ast.Call(ast.Attribute(ast.Attribute(_, name)))):
                yield name


def leave_out_failing(tree: ast.AST, text: str) -> None:
    """Empty the blocks of a tree that are meant to fail; `text` is its source."""
    if not any(name in text for name in _FAILING):
        return
    for inner in nodes_in(tree):
        if isinstance(inner, ast.With) and _is_meant_to_fail(inner):
            inner.body = [ast.Pass()]


def _is_meant_to_fail(node: ast.With) -> bool:
    """Whether it is `with pytest.raises(...)` or the like: its calls show only that they fail."""
    entered = (item.context_expr for item in node.items)
    return any(called(one) in _FAILING for one in entered if isinstance(one, ast.Call))
