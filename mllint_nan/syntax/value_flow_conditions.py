"""Conditions that hold wherever a statement is read: a flag of a function, or its opposite."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from typing import Final

Held = frozenset[tuple[str, bool]]
"""Names, and whether each of them is true."""
NOTHING_HELD: Final[Held] = frozenset()

_REPEATS: Final = (
    *(ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def flags_of(body: Iterable[ast.stmt], parameters: Iterable[str]) -> frozenset[str]:
    """The names that keep their truth while a function runs: set once.

    In a loop, or in a function within, they may be set again.
    """
    nodes = [node for statement in body for node in ast.walk(statement)]
    repeating = (node for node in nodes if isinstance(node, _REPEATS))
    repeated = [name for node in repeating for name in _set_by(ast.walk(node))]
    changed = {
        node.value.id
        for node in nodes
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.value, ast.Name)
    }
    count = Counter([*_set_by(nodes), *repeated, *repeated, *parameters])
    return frozenset(name for name, number in count.items() if number == 1) - changed


def _set_by(nodes: Iterable[ast.AST]) -> list[str]:
    found: list[str] = []
    for node in nodes:
        match node:
            case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
                found.append(name)
            case ast.Global(names) | ast.Nonlocal(names):
                found += [*names, *names]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                found.append(name)
            case _:
                pass
    return found


def held_in(node: ast.If, flags: frozenset[str]) -> tuple[Held, Held]:
    """What holds in the body of an `if`, and in its `else`."""
    parts = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
    is_all = not (isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or))
    held = frozenset(one for part in parts for one in _held_by(part, flags))
    opposite = frozenset((name, not is_true) for name, is_true in held)
    is_one = len(parts) == 1
    return held if is_all else NOTHING_HELD, opposite if is_one else NOTHING_HELD


def _held_by(test: ast.expr, flags: frozenset[str]) -> Held:
    match test:
        case ast.Name(name) if name in flags:
            return frozenset(((name, True),))
        case ast.UnaryOp(ast.Not(), ast.Name(name)) if name in flags:
            return frozenset(((name, False),))
        case _:
            return NOTHING_HELD


def exclude_each_other(first: Held, second: Held) -> bool:
    return any((name, not is_true) in second for name, is_true in first)
