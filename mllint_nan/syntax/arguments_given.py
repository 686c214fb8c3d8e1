"""The arguments that calls in a text pass for a parameter, and whether they meet a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mllint_nan.syntax.mentioned import called, calls_in
from mllint_nan.syntax.traversal import children, defaults_of


@dataclass(frozen=True, slots=True)
class Given:
    """A function's signature, by which the argument for one parameter is found in calls."""

    parameter: str
    positions: tuple[str, ...]
    """The parameters that may be passed by position, without a method's object."""
    default: ast.expr | None

    @classmethod
    def of(
        cls, function: ast.FunctionDef | ast.AsyncFunctionDef, parameter: str, *, is_method: bool
    ) -> Given | None:
        """`None` if decorators may change the signature, or `is_method` does not fit it."""
        arguments = function.args
        ordered = [*arguments.posonlyargs, *arguments.args]
        names = [one.arg for one in ordered]
        defaults = dict(defaults_of(arguments))
        if function.decorator_list or is_method is not (names[:1] in (["self"], ["cls"])):
            return None
        return cls(parameter, tuple(names[1:] if is_method else names), defaults.get(parameter))

    def by(self, call: ast.Call) -> ast.expr | None:
        """The argument or default for the parameter in a call; `None` if it is not written out."""
        if any(isinstance(one, ast.Starred) for one in call.args):
            return None
        by_name = {one.arg: one.value for one in call.keywords}
        by_place = dict(zip(self.positions, call.args, strict=False))
        if None in by_name or len(call.args) > len(self.positions):
            return None
        return by_name.get(self.parameter, by_place.get(self.parameter, self.default))


def parameter_of(condition: str) -> str:
    """The parameter that a condition names: `reduction` in `not reduction == 'sum'`."""
    names = (one.id for one in ast.walk(ast.parse(condition)) if isinstance(one, ast.Name))
    return next(names, "")


def may_hold(condition: str, value: ast.expr | None) -> bool:
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


def arguments_given(tree: ast.AST, name: str, given: Given) -> Iterator[ast.expr | None]:
    """Yield the argument in each call of this name; `None` if it is not written out."""
    for call in calls_in(tree):
        if called(call) == name:
            yield given.by(call)


def function_of(tree: ast.Module, path: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function of a module, or the method of a class, if it is the only one of its name."""
    found: list[ast.AST] = [tree]
    for name in path.split("."):
        below = (inner for one in found for inner in children(one))
        found = [one for one in below if getattr(one, "name", "") == name]
    only = found[0] if len(found) == 1 else None
    return only if isinstance(only, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
