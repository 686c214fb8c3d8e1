"""What is not trained through, judged by the names and bases of it and of its callers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mllint_nan.flow.state import Analysis, Caller, Scope
from mllint_nan.ir.term import peel
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.training_names import (
    MAKES_TARGETS,
    UNTRAINED_BASES,
    UNTRAINED_CLASSES,
    UNTRAINED_FUNCTIONS,
)

CALLERS_DEEPEST: Final = 6


def untrained_name(context: Context, *, of_callers: bool = True) -> str | None:
    """The name that says that nothing is trained through a match: its own, or its callers'."""
    scope, depth = context.occurrence.scope, CALLERS_DEEPEST if of_callers else 0
    return _name_of_such(context.analysis, scope, _is_undifferentiated, depth)


def serves_no_training(analysis: Analysis, scope: Scope, depth: int) -> bool:
    """Whether a scope is an optimizer, a metric, prepares data, or serves only such."""
    return name_without_training(analysis, scope, depth) is not None


def name_without_training(analysis: Analysis, scope: Scope, depth: int) -> str | None:
    """The class or function whose name says that nothing is trained through it.

    A name is evidence and no proof: an audit reports what it silences.
    """
    return base_without_training(analysis, scope, depth) or _name_of_such(
        analysis, scope, _is_beside_training, depth
    )


def _is_undifferentiated(function: str) -> bool:
    return _is_beside_training(function) or bool(MAKES_TARGETS.search(function))


def _is_beside_training(function: str) -> bool:
    return bool(UNTRAINED_FUNCTIONS.search(function))


def _name_of_such(
    analysis: Analysis, scope: Scope, is_such: Callable[[str], bool], depth: int
) -> str | None:
    """The name that says that a scope, or every caller of it, is not differentiated.

    A function that takes gradients itself is differentiated, whatever its name and its callers'. If
    gradients are taken of functions, as in JAX, the functions that it defines are.
    """
    for outer in scope.enclosing():
        if outer.kind == "function" and is_such(outer.name):
            of_function = outer is scope and differentiates_functions(analysis)
            if not outer.trains or of_function:
                return outer.name
        if outer.kind == "class" and UNTRAINED_CLASSES.search(outer.name):
            return outer.name
    if depth == 0 or (scope.trains_here and not differentiates_functions(analysis)):
        return None
    found = [
        _name_of_such(analysis, caller.scope, is_such, depth - 1)
        for caller in callers_of(analysis, scope)
    ]
    return found[0] if found and None not in found else None


def base_without_training(analysis: Analysis, scope: Scope, depth: int) -> str | None:
    """The base class by which a scope, or every caller of it, measures, updates or prepares."""
    for outer in scope.enclosing():
        for base in outer.bases:
            name = str(peel(base).detail).rpartition(".")[2]
            if UNTRAINED_BASES.search(name):
                return name
    if depth == 0:
        return None
    found = [
        base_without_training(analysis, caller.scope, depth - 1)
        for caller in callers_of(analysis, scope)
    ]
    return found[0] if found and None not in found else None


def callers_of(analysis: Analysis, scope: Scope) -> list[Caller]:
    """The places of the file that call a function, except those in its own body."""
    function = next((outer for outer in scope.enclosing() if outer.kind == "function"), None)
    if function is None:
        return []
    callers = analysis.callers.get(function.key, [])
    return [caller for caller in callers if function not in caller.scope.enclosing()]


def differentiates_functions(analysis: Analysis) -> bool:
    """Whether nothing but JAX computes gradients in this file."""
    return "jax" in analysis.frameworks and not (
        analysis.frameworks & {"torch", "tensorflow", "keras"}
    )
