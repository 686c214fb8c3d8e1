"""Which functions of a file depend on what others call them with: whose callers to look for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.ir.program import FIRST_METHODS
from mllint_nan.ir.term import INPUT, OPAQUE, Term, peel, walk

_DEPENDENT: Final = frozenset(
    (
        *("log", "log2", "log10"),
        *("cross_entropy", "nll_loss", "binary_cross_entropy", "categorical_cross_entropy"),
        *("softmax_cross_entropy", "sigmoid_cross_entropy", "binary_cross_entropy_with_logits"),
    )
)
"""The operations that are sound or not by what they are given."""
_PARTS_MOST: Final = 48
"""How much of an operand is searched for a parameter."""
_ROUNDS_MOST: Final = 3
"""From how far functions are called that call the ones that depend on it."""


def open_definitions(analysis: Analysis) -> frozenset[str]:
    """The public functions and classes in which some argument decides whether a rule speaks."""
    scopes = {id(scope): scope for scope in _scopes_that_depend(analysis)}
    for _ in range(_ROUNDS_MOST):
        callers = {
            id(caller.scope): caller.scope
            for scope in scopes.values()
            for caller in analysis.callers.get(scope.key, ())
            if caller.scope.kind == "function"
        }
        if callers.keys() <= scopes.keys():
            break
        scopes.update(callers)
    names = (_outermost(scope).name for scope in scopes.values())
    return frozenset(name for name in names if not name.startswith(("_", "<")))


def _scopes_that_depend(analysis: Analysis) -> Iterator[Scope]:
    """Those in which such an operation is applied to a parameter, or to what one gives."""
    seen: set[int] = set()
    for occurrence in analysis.occurrences:
        scope = occurrence.scope
        term = occurrence.term
        if term.operation.name not in _DEPENDENT or id(scope) in seen:
            continue
        if term.framework == "math" or scope.name in FIRST_METHODS:
            continue  # of a setting, which no model gives
        if any(_is_given(operand, analysis) for operand in term.operands):
            seen.add(id(scope))
            yield scope
    for term in analysis.made:
        if term.operation is OPAQUE and _is_loss_of_model(term, analysis):
            function, _ = analysis.parameters[peel(term.operands[0]).key]
            scope = analysis.functions[function]
            if id(scope) not in seen:
                seen.add(id(scope))
                yield scope


def _is_given(operand: Term, analysis: Analysis) -> bool:
    return any(_is_parameter(part, analysis) for part in islice(walk(operand), _PARTS_MOST))


def _is_parameter(term: Term, analysis: Analysis) -> bool:
    return term.operation is INPUT and term.key in analysis.parameters and term.detail != "self"


def _is_loss_of_model(call: Term, analysis: Analysis) -> bool:
    """`criterion(model(x), y)` of two parameters."""
    if not _is_call_of_parameter(call, analysis):
        return False
    return any(_is_call_of_parameter(peel(given), analysis) for given in call.operands[1:])


def _is_call_of_parameter(term: Term, analysis: Analysis) -> bool:
    if term.operation is not OPAQUE or not term.operands:
        return False
    is_call = str(term.detail).startswith("call")
    return is_call and _is_parameter(peel(term.operands[0]), analysis)


def _outermost(scope: Scope) -> Scope:
    """What the module itself binds."""
    while scope.parent is not None and scope.parent.kind != "module":
        scope = scope.parent
    return scope
