"""Whether the result of a function may be a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from mllint_nan.syntax.traversal import name_called, names_in

_WRAPS: Final = frozenset(
    (
        *("partial", "jit", "vmap", "pmap", "checkpoint", "remat", "wraps", "compile"),
        *("grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "linearize", "vjp"),
    )
)
"""Functions that take a function and return one."""
_FUNCTION: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def gives_function(tree: ast.Module, definition: str) -> bool:
    """Whether a function or method of a module may return a function; yes if it is not found.

    That is a function of its own, one of another module, or a wrapped one, perhaps in a container.
    """
    node: ast.AST | None = tree
    for name in definition.split("."):
        node = next((one for one in getattr(node, "body", ()) if _name(one) == name), None)
    if not isinstance(node, _FUNCTION):
        return True
    inner = [one for one in ast.walk(node) if one is not node]
    functions = {one.name for one in inner if isinstance(one, _FUNCTION)}
    for one in inner:
        if isinstance(one, ast.Assign) and any(map(_is_function, _parts(one.value))):
            functions.update(name for target in one.targets for name in names_in(target))
    stored = {one.id for one in inner if isinstance(one, ast.Name) and _is_stored(one)}
    given = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
    known = (stored | given) - functions
    return any(
        _is_function(part) or (isinstance(part, ast.Name) and part.id not in known)
        for one in inner
        if isinstance(one, (ast.Return, ast.Yield)) and one.value is not None
        for part in _parts(one.value)
    )


def _name(node: ast.AST) -> str:
    return getattr(node, "name", "")


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_function(node: ast.expr) -> bool:
    return isinstance(node, ast.Lambda) or (
        isinstance(node, ast.Call) and name_called(node) in _WRAPS
    )


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression, or the elements of a display and the branches of a conditional."""
    match node:
        case ast.Tuple(elements) | ast.List(elements) | ast.Set(elements):
            for element in elements:
                yield from _parts(element)
        case ast.Dict(_, values):
            for value in values:
                yield from _parts(value)
        case ast.IfExp(_, body, orelse):
            yield from _parts(body)
            yield from _parts(orelse)
        case _:
            yield node
