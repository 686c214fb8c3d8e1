"""Conditions on one parameter of a function, as text, and whether an argument may meet them."""

from __future__ import annotations

import ast


def parameter_of(condition: str) -> str:
    """The parameter that a condition names: `reduction` in `not reduction == 'sum'`."""
    names = (one.id for one in ast.walk(ast.parse(condition)) if isinstance(one, ast.Name))
    return next(names, "")


def asked_of(condition: str, parameter: str) -> str:
    """The same condition on another parameter.

    >>> asked_of("not reduction == 'sum'", "kind")
    "not kind == 'sum'"
    """
    tree = ast.parse(condition, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = parameter
    return ast.unparse(tree)


def may_hold(condition: str, value: ast.AST | None) -> bool:
    """Whether a parameter with this argument may meet a condition; `None` is an unknown argument.

    >>> [may_hold("not flag", ast.Constant(one)) for one in (True, None)]
    [False, True]
    >>> [may_hold("kind == 'sum'", ast.Constant(one)) for one in ("sum", "mean")]
    [True, False]
    >>> may_hold("flag", None), may_hold("flag", ast.Name("flag"))
    (True, True)
    """
    if value is None:
        return True
    try:
        return _holds(ast.parse(condition, mode="eval").body, ast.literal_eval(value))
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return True


def _holds(condition: ast.expr, value: object) -> bool:
    match condition:
        case ast.UnaryOp(ast.Not(), operand):
            return not _holds(operand, value)
        case ast.Compare(_, [ast.Eq()], [other]):
            return bool(value == ast.literal_eval(other))
        case ast.Compare(_, [ast.Is()], [other]):
            return value is ast.literal_eval(other)
        case _:
            return bool(value)
