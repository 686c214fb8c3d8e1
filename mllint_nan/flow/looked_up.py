"""Attributes that a constructor looks up by its parameters: `getattr(F, act)`, `cfg.eps`."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from mllint_nan.ir.term import ATTRIBUTE, OPAQUE, Term, peel

GETS: Final = "call builtins.getattr"
_CALLS: Final = "call"
_DEEPEST: Final = 4


def is_looked_up(value: Term, parameters: Container[int], depth: int = _DEEPEST) -> bool:
    """Whether a value is a parameter, or what is looked up in one or by one, or a call of that."""
    inner = peel(value)
    if inner.key in parameters:
        return True
    return depth > 0 and any(
        is_looked_up(part, parameters, depth - 1) for part in lookups(inner) if part is not inner
    )


def lookups(inner: Term) -> tuple[Term, ...]:
    """The terms that decide what a lookup, or a call of what is looked up, results in."""
    if inner.operation is ATTRIBUTE:
        return inner.operands[:1]
    if inner.operation.name == "subscript":
        return inner.operands[1:2]
    if inner.operation is OPAQUE and inner.detail == GETS and len(inner.operands) == 3:
        return inner.operands[2:]
    if inner.operation is OPAQUE and inner.detail == _CALLS and len(inner.operands) == 1:
        return inner.operands
    return ()
