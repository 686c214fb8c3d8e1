"""Where a module does not train: the code behind a test of its own mode, `self.training`."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from mllint_nan.syntax.traversal import BLOCKS, name_called
from mllint_nan.syntax.value_flow_calls import (
    WITH_GRADIENTS,
    WITHOUT_GRADIENTS,
    decorator_names,
)


def evaluates(node: ast.If) -> tuple[bool, bool]:
    """Whether a module does not train in the body of an `if`, and in its `else`."""
    match node.test:
        case ast.UnaryOp(ast.Not(), inner):
            return _is_mode(inner), False
        case ast.BoolOp(ast.And(), parts):
            denied = (one.operand for one in parts if isinstance(one, ast.UnaryOp))
            return any(map(_is_mode, denied)), False
        case ast.BoolOp(ast.Or(), parts):
            return False, any(map(_is_mode, parts))
        case test:
            return False, _is_mode(test)


def ends_training(node: ast.stmt) -> bool:
    """Whether what follows a statement is reached only if the module does not train."""
    if not isinstance(node, ast.If) or not isinstance(node.body[-1], (ast.Return, ast.Raise)):
        return False
    return evaluates(node)[1]


def is_without_gradient(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a node is under `no_grad`, or where the module around it does not train."""
    while node in parents:
        parent = parents[node]
        match parent:
            case ast.With(items) | ast.AsyncWith(items):
                entered = {name_called(item.context_expr) for item in items}
                if entered & WITH_GRADIENTS:
                    return False
                if entered & WITHOUT_GRADIENTS:
                    return True
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if decorator_names(parent) & WITHOUT_GRADIENTS:
                    return True
            case ast.If(_, body, orelse):
                in_body, in_else = evaluates(parent)
                if (in_body and node in body) or (in_else and node in orelse):
                    return True
        if _follows_training(node, parent):
            return True
        node = parent
    return False


def _follows_training(node: ast.AST, parent: ast.AST) -> bool:
    for name in BLOCKS[parent.__class__]:
        block = getattr(parent, name)
        if isinstance(block, list) and node in block:
            before = block[: block.index(node)]
            return any(isinstance(one, ast.If) and ends_training(one) for one in before)
    return False


def _is_mode(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "training"
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )
