"""What an expression calls and reads, in Python's order of evaluation."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from mllint_nan.flow.queries import is_in_place
from mllint_nan.syntax.precedence import Unrenderable


def parsed(text: str) -> ast.expr:
    """Parse an expression; raises `Unrenderable` if this Python lacks its syntax."""
    try:
        return ast.parse(f"({text}\n)", mode="eval").body
    except SyntaxError:
        raise Unrenderable("this Python cannot read what is written into") from None


def normal(text: str) -> str:
    """Return the expression as `ast.unparse` writes it, for comparison with others."""
    return ast.unparse(parsed(text))


def may_write(call: ast.Call) -> bool:
    """Whether a call looks as if it wrote into one of its operands."""
    func = call.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return is_in_place(name) or any(one.arg in ("out", "inplace") for one in call.keywords)


def reads(tree: ast.expr, writes: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return each name that is read, in order of evaluation, with how many writes precede it."""
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
