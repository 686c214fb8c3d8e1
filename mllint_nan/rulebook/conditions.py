"""The conditions of rules: `predicate(variable, ...)` from text, and as patterns for a schema."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any, Final

from mllint_nan.rulebook.predicates import PREDICATES, asked_by
from mllint_nan.rulebook.predicates.values import TAKE_RANGES, range_of
from mllint_nan.rulebook.rule import Condition, Variable

_FORMER: Final = {("is_guarded", 1): ("is_guarded", "where"), ("is_real", 1): ("has_form", "real")}
"""By name and number of arguments: conditions that the handbook's rule once had, and their new
form."""


_QUOTE: Final = "[\"']"


class ConditionError(Exception):
    """The text is not a condition; the message says why."""


def read_condition(text: str) -> Condition:
    """Parse the text of a condition; raises `ConditionError`."""
    try:
        node = _expression(text)
    except SyntaxError as error:
        raise ConditionError(f"{text!r} is not an expression: {error.msg}") from None
    is_negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    if isinstance(node, ast.UnaryOp) and is_negated:
        node = node.operand
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
        raise ConditionError(
            f"{text!r} is neither `predicate(variable, ...)` nor its negation by `not`"
        )
    given = tuple(map(_argument, node.args))
    name, *words = _FORMER.get((node.func.id, len(given)), (node.func.id,))
    hint = hint_of(name, PREDICATES)
    if hint is not None:
        raise ConditionError(f"unknown predicate {name!r}; {hint}")
    member = _member(name, (*given, *words))
    arguments = (*given, *words)[: -1 if member else None]
    condition = Condition(name, arguments, text, is_negated, member)
    expected = asked_by(condition).arity
    if len(arguments) != expected:
        before = f" before {member!r}" if member else ""
        raise ConditionError(f"`{name}` takes {expected} argument(s){before}")
    if name in TAKE_RANGES:
        _check_range(str(arguments[-1]))
    return condition


def hint_of(value: str, known: Collection[str]) -> str | None:
    """A hint at what an unknown value may mean; None for a known one."""
    if value in known:
        return None
    close = difflib.get_close_matches(value, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"


def condition_patterns() -> Iterator[str]:
    """Yield a regular expression for each predicate with members, and one for all others."""
    for name, asked in sorted(PREDICATES.items()):
        if asked.members:
            words = "|".join(map(re.escape, sorted(asked.members))).replace("\\ ", " ")
            yield f"^(not )?{name}\\(.*, {_QUOTE}(?:{words}){_QUOTE}\\)$"
    plain = "|".join(sorted(name for name, asked in PREDICATES.items() if not asked.members))
    yield rf"^(not )?(?:{plain})\(.*\)$"


def _member(predicate: str, arguments: tuple[Any, ...]) -> str:
    """The member that is asked for, which is the last argument; empty if the predicate has none."""
    members = PREDICATES[predicate].members
    word = arguments[-1] if arguments else None
    if not members or word in members:
        return str(word) if members else ""
    known = ", ".join(map(repr, sorted(members)))
    if not isinstance(word, str):
        raise ConditionError(f"`{predicate}` must end with one of these: {known}")
    close = difflib.get_close_matches(word, members, 1)
    hint = f"did you mean {close[0]!r}? Known" if close else "known"
    raise ConditionError(f"`{predicate}` does not know {word!r}; {hint}: {known}")


def _check_range(text: str) -> None:
    try:
        range_of(text, "float32")
    except ValueError as error:
        raise ConditionError(str(error)) from None


@cache
def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _argument(node: ast.expr) -> Any:
    match node:
        case ast.Name(name):
            return Variable(name)
        case ast.Constant(value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
        case _:
            raise ConditionError(f"`{ast.unparse(node)}` is not an argument of a predicate")
