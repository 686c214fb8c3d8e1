"""What statements write into, judging by syntax: methods that end in `_`, `out=`, indices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

_VIEWS: Final = frozenset(
    re.findall(r"\w+", "view reshape squeeze unsqueeze transpose t detach narrow select flatten")
)
MORE_ATTRIBUTES: Final = frozenset(("T", "mT", "data"))


def targets(statements: Iterable[ast.stmt]) -> frozenset[str]:
    """Return the texts of the targets that are written into; temporary results do not count."""
    return frozenset(_all_targets(statements))


def _all_targets(statements: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in statements:
        heads = _heads(statement)
        if isinstance(statement, ast.AugAssign):
            yield ast.unparse(_base(statement.target))
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Subscript):
                    yield ast.unparse(_base(target))
        for node in (part for head in heads for part in ast.walk(head)):
            if isinstance(node, ast.Call):
                for receiver in receivers(node):
                    base = _base(receiver)
                    if isinstance(base, ast.Name | ast.Attribute):
                        yield ast.unparse(base)


def _heads(statement: ast.stmt) -> list[ast.AST]:
    """The child nodes of a statement that are not nested statements."""
    return [
        part
        for part in ast.iter_child_nodes(statement)
        if not isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case)
    ]


def receivers(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the expressions that a call writes into."""
    is_told = any(
        keyword.arg == "inplace"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in call.keywords
    )
    if isinstance(call.func, ast.Attribute | ast.Name):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
        if (name.endswith("_") and not name.endswith("__")) or is_told:
            is_method = isinstance(call.func, ast.Attribute) and _is_method(call.func.value)
            if is_method and isinstance(call.func, ast.Attribute) and not is_told:
                yield call.func.value
            elif call.args:
                yield call.args[0]
    yield from (keyword.value for keyword in call.keywords if keyword.arg == "out")


def has_out(statements: Iterable[ast.stmt]) -> bool:
    parts = (part for statement in statements for part in ast.walk(statement))
    return any(isinstance(part, ast.keyword) and part.arg == "out" for part in parts)


def _is_method(receiver: ast.expr) -> bool:
    """Whether a receiver is an object, rather than a module of functions as `torch` and `F` are."""
    return not (
        ast.unparse(receiver) in ("torch", "F", "np", "numpy", "jnp", "tf")
        or ast.unparse(receiver).endswith(("functional", ".special"))
    )


def _base(receiver: ast.expr) -> ast.expr:
    """The variable that is written through in-place calls, views and indices."""
    while True:
        match receiver:
            case ast.Subscript(value) | ast.Starred(value):
                receiver = value
            case ast.Call(ast.Attribute(value, name)) if _is_view(name) and _is_method(value):
                receiver = value
            case ast.Attribute(value, name) if name in MORE_ATTRIBUTES:
                receiver = value
            case _:
                return receiver


def _is_view(method: str) -> bool:
    """Whether a method returns a view of its receiver, or, in place, the receiver itself."""
    if method.endswith("_") and not method.endswith("__"):
        return True
    return method in _VIEWS
