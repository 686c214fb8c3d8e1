"""What a text sets attributes and parts of objects to, by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint_nan.syntax.bindings import Bindings, puts


def stores_of(bindings: Bindings, name: str) -> Iterator[ast.AST | None]:
    """Yield the values that a text sets an attribute or key of this name to, except on `self`.

    `None` stands for an unknown value, or one that is put into it.
    """
    for node in bindings.parents:
        match node:
            case ast.Attribute(ast.Name("self"), own) if own == name:
                pass
            case ast.Attribute(_, own) | ast.Subscript(_, ast.Constant(own)) if own == name:
                if is_put(bindings, node):
                    yield _assigned(bindings, node)
            case ast.Call(ast.Name("setattr"), [of, named, value]):
                is_self = isinstance(of, ast.Name) and of.id == "self"
                if not is_self and isinstance(named, ast.Constant) and named.value == name:
                    yield value


def _assigned(bindings: Bindings, node: ast.AST) -> ast.AST | None:
    match bindings.parents.get(node):
        case ast.Assign(_, value) | ast.AugAssign(_, _, value):
            return value
        case _:
            return None


def is_set_outside(bindings: Bindings, name: str, module: str, own: str, kin: set[str]) -> bool:
    """Whether anything but assignments in methods sets an attribute of a class.

    `own` is the class, `kin` are its bases and the classes derived from it; the methods of
    unrelated classes set something else.
    """
    for node in bindings.parents:
        match node:
            case ast.Attribute(of, attribute) if attribute == name and is_put(bindings, node):
                if not _is_unrelated(bindings, of, module, kin):
                    return True
            case ast.Call(ast.Name("setattr"), [of, named, *_]):
                is_other = isinstance(named, ast.Constant) and named.value != name
                if not is_other and not _is_unrelated(bindings, of, module, {own, *kin}):
                    return True
            case ast.Call(ast.Attribute(_, "register_parameter"), [named, *_]):
                if not isinstance(named, ast.Constant) or named.value == name:
                    return True
            case ast.Attribute(ast.Name("self"), "__dict__"):
                return True
    return False


def is_put(bindings: Bindings, node: ast.Attribute | ast.Subscript) -> bool:
    """Whether the node sets an attribute or a key, or puts something into it."""
    if isinstance(node.ctx, ast.Store):
        return True
    match bindings.parents.get(node):
        case ast.Attribute(_, method):
            return puts(method)
        case ast.Subscript(ctx=ast.Store()):
            return True
        case _:
            return False


def _is_unrelated(bindings: Bindings, of: ast.expr, module: str, kin: set[str]) -> bool:
    """Whether it is `self` in a class that is none of `kin`."""
    owner = bindings.class_around(bindings.function_around(of))
    is_self = isinstance(of, ast.Name) and of.id == "self" and owner is not None
    return is_self and owner is not None and f"{module}.{owner.name}" not in kin
