"""Whether a text makes tensors from elsewhere require a gradient, or differentiates by them."""

from __future__ import annotations

import ast
from typing import Final

from mllint_nan.frameworks import registry
from mllint_nan.syntax.bindings import Bindings, Bound
from mllint_nan.syntax.sources import path_of
from mllint_nan.syntax.traversal import name_called

WORDS: Final = ("requires_grad", "requires_grad_", "watch", "gradients")
"""Every text that does so contains one of these words."""
_MOVES: Final = frozenset(
    ("to", "cuda", "cpu", "float", "double", "half", "contiguous", "type", "type_as", "squeeze")
)
"""Methods that may return the tensor itself."""
_DEEPEST: Final = 4


def turns_on(bindings: Bindings) -> bool:
    """Whether the text may do so with a tensor that is neither made there nor part of a model."""
    search = _Search(bindings)
    for node in bindings.parents:
        match node:
            case ast.Assign([ast.Attribute(of, "requires_grad")], value):
                if not _is_off(value) and search.is_shared(of, node):
                    return True
            case ast.Call(ast.Attribute(of, "requires_grad_"), given):
                if not any(map(_is_off, given)) and search.is_shared(of, node):
                    return True
            case ast.Call(ast.Attribute(_, "watch"), [of, *_]) if search.is_shared(of, node):
                return True
            case ast.Call() if name_called(node) == "gradients":
                return True
    return False


class _Search:
    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings

    def is_shared(self, node: Bound, at: ast.AST, depth: int = 0) -> bool:
        """Whether others may have the tensor, too, and it is no parameter of a model."""
        match node:
            case ast.Name():
                made = self._made_before(node, at)
                return depth > _DEEPEST or any(
                    isinstance(one, ast.Name) or self.is_shared(one, one or at, depth + 1)
                    for one in made
                )
            case ast.Call(ast.Attribute(of, name)) if name in _MOVES:
                return isinstance(of, ast.Name) or self.is_shared(of, at, depth)
            case ast.Call(func):
                return not (isinstance(func, ast.Attribute) or self._is_of_framework(func))
            case ast.BinOp() | ast.UnaryOp():
                return False
            case ast.Attribute(ast.Name("self")):
                return depth > 0  # else a parameter, or a part of a model
            case ast.IfExp(_, body, orelse):
                return self.is_shared(body, at, depth) or self.is_shared(orelse, at, depth)
            case _:
                return True

    def _made_before(self, name: ast.Name, at: ast.AST) -> list[Bound]:
        """The last value assigned to a name, if the statements around show it; else all values."""
        statement: ast.AST | None = at
        while statement is not None and not isinstance(statement, ast.stmt):
            statement = self._bindings.parents.get(statement)
        around = self._bindings.parents.get(statement) if statement is not None else None
        body = getattr(around, "body", None)
        before = body[: body.index(statement)] if body and statement in body else []
        for one in reversed(before):
            match one:
                case ast.Assign([ast.Name(id=own)], value) if own == name.id:
                    return [value]
        return self._bindings.made(name) or [None]

    def _is_of_framework(self, callee: ast.expr) -> bool:
        return registry.framework_of(path_of(self._bindings, callee)) is not None


def _is_off(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
