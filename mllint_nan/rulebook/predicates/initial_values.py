"""Initial values, which are computed from settings alone, none of them large."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.containers import is_none
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, INPUT, SEQUENCE, Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context, is_self, kept, passed_for

_DEEPEST: Final = 10
_LARGEST_SETTING: Final = 50.0
"""The largest magnitude of an initial value; `exp` overflows far above it."""
_CONSTRUCTORS: Final = frozenset(("__init__", "__post_init__", "setup", "build"))
_MADE_OF_SETTINGS: Final = frozenset(("full", "zeros", "ones", "zeros_like", "ones_like"))


def is_initial_value(context: Context, x: Term) -> bool:
    """Whether x is made of settings alone, none of them visibly large, as an initial value is."""
    return _is_of_settings(context, x, _DEEPEST, in_constructor=_is_in_constructor(context))


def _is_in_constructor(context: Context) -> bool:
    return any(
        scope.kind == "function" and scope.name in _CONSTRUCTORS
        for scope in context.occurrence.scope.enclosing()
    )


def _is_of_settings(context: Context, x: Term, depth: int, *, in_constructor: bool) -> bool:
    inner = behind_views(x)
    number = number_of(inner)
    if number is not None:
        return abs(number) <= _LARGEST_SETTING
    if depth == 0:
        return False
    if inner.operation is INPUT:
        return _is_set(context, inner, depth, in_constructor=in_constructor)
    if inner.operation is ATTRIBUTE:
        stored = kept(context, inner)
        return bool(stored) and all(
            _is_of_settings(context, part, depth - 1, in_constructor=not _is_data(context, part))
            for part in stored
        )
    if inner.operation.name in _MADE_OF_SETTINGS:
        value = inner.settings.get("value")
        return value is None or _is_of_settings(
            context, value, depth - 1, in_constructor=in_constructor
        )
    is_arithmetic = inner.operation.kind == "elementwise" or inner.operation in (SEQUENCE, CHOICE)
    return (
        is_arithmetic
        and bool(inner.operands)
        and all(
            _is_of_settings(context, part, depth - 1, in_constructor=in_constructor)
            for part in inner.operands
        )
    )


def _is_data(context: Context, stored: Term) -> bool:
    """Whether a method that is no constructor stores its parameter, and also computes with it."""
    inner = behind_views(stored)
    function, _ = context.analysis.parameters.get(inner.key, (0, ""))
    scope = context.analysis.functions.get(function)
    if scope is None or scope.name in _CONSTRUCTORS:
        return False
    return any(made.framework is not None for made in context.analysis.consumers.get(inner.key, ()))


def _is_set(context: Context, parameter: Term, depth: int, *, in_constructor: bool) -> bool:
    """Whether a parameter is one of a constructor, has a numeric default, or is passed settings."""
    passed = passed_for(context, parameter)
    if is_self(parameter) or (not passed and context.kind(parameter) is Kind.TENSOR):
        return False
    given = [behind_views(part) for part in (*parameter.operands, *passed)]
    has_default = any(number_of(default) is not None for default in parameter.operands)
    return (in_constructor or has_default or bool(passed)) and all(
        is_none(part) or _is_of_settings(context, part, depth - 1, in_constructor=in_constructor)
        for part in given
    )
