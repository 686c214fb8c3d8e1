"""Loops whose number of iterations is unknown: JAX takes no gradient back through them."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.ir.term import OPAQUE

_UNBOUNDED: Final = "call jax.lax.while_loop"
_DEEPEST: Final = 4


def is_of_unbounded_loop(analysis: Analysis, scope: Scope, deepest: int = _DEEPEST) -> bool:
    """Whether a scope is evaluated only in iterations of `jax.lax.while_loop`.

    Reverse-mode differentiation of such a loop raises an error; forward mode goes through it.
    """
    return any(
        outer.kind == "function" and _is_turn(analysis, outer, deepest)
        for outer in scope.enclosing()
    )


def _is_turn(analysis: Analysis, function: Scope, deepest: int) -> bool:
    """Whether a function is passed to such loops alone, or called in their iterations alone."""
    named = analysis.callers.get(function.key, ())
    uses = analysis.consumers.get(function.key, ())
    turns = [use for use in uses if use.operation is OPAQUE and use.detail == _UNBOUNDED]
    if turns:
        return len(turns) == len(uses) == len(named)
    is_inner = function.parent is not None and function.parent.kind == "function"
    return (
        is_inner
        and deepest > 0
        and bool(named)
        and all(is_of_unbounded_loop(analysis, one.scope, deepest - 1) for one in named)
    )
