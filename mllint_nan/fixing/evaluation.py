"""What a text calls and reads, in the order in which Python evaluates it."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from mllint_nan.flow.queries import is_in_place
from mllint_nan.syntax.precedence import Unrenderable


def parsed(text: str) -> ast.expr:
    """The tree of an expression; raises `Unrenderable` where this Python has no such syntax."""
    try:
        return ast.parse(f"({text}\n)", mode="eval").body
    except SyntaxError:
        raise Unrenderable("this Python cannot read what is written into") from None


def normal(text: str) -> str:
    """The expression as `ast.unparse` writes it, to be compared with others."""
    return ast.unparse(parsed(text))


def may_write(call: ast.Call) -> bool:
    """Whether a call looks as if it wrote into something."""
    func = call.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return is_in_place(name) or any(one.arg in ("out", "inplace") for one in call.keywords)


def reads(tree: ast.expr, writes: Mapping[str, int]) -> list[tuple[str, int]]:
    """Each name that is read, with the number of writes before, in the order of evaluation."""
    found: list[tuple[str, int]] = []
    done = 0

    def visit(node: ast.AST) -> None:
        nonlocal done
        if isinstance(node, ast.Name):
            found.append((node.id, done))
        for child in ast.iter_child_nodes(node):
            visit(child)
        if isinstance(node, ast.Call) and ast.unparse(node) in writes:
            done += 1

    visit(tree)
    return found
