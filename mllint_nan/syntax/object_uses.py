"""What a text does with objects of a class, by the names that they have: whether it calls them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Final

from mllint_nan.syntax.value_flow_edges import CALLED, last_name

_HANDS_BACK: Final = frozenset(
    ("to", "cuda", "cpu", "eval", "train", "half", "float", "double", "requires_grad_")
)
"""Methods of a module that give the module itself."""
_LOOKS: Final = frozenset(("isinstance", "issubclass", "super", "hasattr", "type"))


def names_of_objects(
    tree: ast.Module, name: str, held: Collection[str]
) -> tuple[frozenset[str], bool] | None:
    """The names that objects of a class are bound to, and whether one is made.

    `held` are those that are known. `None` where one may be called, or goes where it is not seen.
    """
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found: set[str] = set()
    is_made = False
    for node in parents:
        own = _name(node)
        if own != name and own not in held:
            continue
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        parent = parents[node]
        made: ast.AST = node
        if own == name and isinstance(parent, ast.Call) and parent.func is node:
            made, is_made = parent, True
        elif own == name and not _is_looked_at(node, parents):
            return None
        bound = _bound(made, parents) if own in held or made is not node else ()
        if bound is None:
            return None
        found.update(bound)
    return frozenset(found), is_made


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
        case _:
            return ""


def _bound(made: ast.AST, parents: dict[ast.AST, ast.AST]) -> Collection[str] | None:
    """The names that an object is bound to where it stands; `None` if it is called or given."""
    parent = parents[made]
    match parent:
        case ast.Attribute(value, method) if value is made:
            call = parents[parent]
            if method in CALLED:
                return None
            if method in _HANDS_BACK and isinstance(call, ast.Call) and call.func is parent:
                return _bound(call, parents)
            return ()
        case ast.Assign(targets, value) if value is made:
            return [name for target in targets for name in _targets(target)]
        case ast.AnnAssign(target, _, value) if value is made:
            return [*_targets(target)]
        case ast.Expr():
            return ()
        case _:
            return () if _is_looked_at(made, parents) else None


def _targets(target: ast.expr) -> Iterator[str]:
    yield _name(target) or "*"


def _is_looked_at(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """In an annotation, a comparison, or in `isinstance(x, Class)`."""
    parent = parents[node]
    match parent:
        case ast.Call(function):
            return last_name(_name(function)) in _LOOKS
        case ast.arg() | ast.Compare():
            return True
        case ast.AnnAssign(_, annotation):
            return annotation is node
        case ast.FunctionDef(returns=returns):
            return returns is node
        case ast.BinOp(_, ast.BitOr()) | ast.Subscript() | ast.Tuple():
            return _is_looked_at(parent, parents)
        case _:
            return False
