"""The arguments that calls in a text pass to the constructor of a class, as far as visible."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mllint_nan.syntax.decoding import tree_of
from mllint_nan.syntax.mentioned import called, given, name_of

UNKNOWN: Final = ...
"""Stands for an argument that is not a constant."""
_LOOKS: Final = frozenset(("isinstance", "issubclass", "super", "type", "hasattr", "cast"))
"""Functions that only inspect a class that is passed to them."""


def constructions(
    text: str, name: str, parameters: Sequence[str]
) -> tuple[Mapping[str, Any] | None, ...]:
    """The constants of each call, by parameter; `None` for a call, or a use, that hides them."""
    tree = tree_of(text)
    return tuple(_found(tree, name, parameters)) if tree is not None else (None,)


def _found(
    tree: ast.Module, name: str, parameters: Sequence[str]
) -> Iterator[Mapping[str, Any] | None]:
    nodes = list(ast.walk(tree))
    names = {name}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names.update(one.asname for one in node.names if one.name == name and one.asname)
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            yield from (None for base in node.bases if name_of(base) in names)
        if isinstance(node, ast.Assign) and name_of(node.value) in names:
            yield None
        if not isinstance(node, ast.Call):
            continue
        if called(node) in names:
            yield _given(node, parameters)
        elif called(node) not in _LOOKS:
            yield from (None for argument in given(node) if name_of(argument) in names)


def _given(call: ast.Call, parameters: Sequence[str]) -> Mapping[str, Any] | None:
    if any(isinstance(one, ast.Starred) for one in call.args) or len(call.args) > len(parameters):
        return None
    found: dict[str, Any] = dict(zip(parameters, map(_constant, call.args), strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        found[keyword.arg] = _constant(keyword.value)
    return found


def _constant(node: ast.expr) -> Any:
    return node.value if isinstance(node, ast.Constant) else UNKNOWN
