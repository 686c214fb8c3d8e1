"""What a training step of TensorFlow computes outside of its tapes: it is not differentiated."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.state import Analysis, Occurrence, Scope
from mllint_nan.ir.term import FUNCTION, OPAQUE, SEQUENCE, Term, peel
from mllint_nan.rulebook.predicates.applied import is_applied
from mllint_nan.rulebook.predicates.context import framework_of

_FRAMEWORKS: Final = ("tensorflow", "keras")
_MINIMIZES: Final = "call minimize"


def is_on_tape(contexts: tuple[Term, ...]) -> bool:
    """Whether one of these contexts is a `GradientTape`."""
    return any(str(peel(one).detail).endswith("GradientTape") for one in contexts)


def is_outside_tapes(analysis: Analysis, occurrence: Occurrence) -> bool:
    """Whether a function records a gradient that is applied, but not what is computed here.

    A tape of its caller would record both, but a function that trains is not called on a tape.
    """
    if framework_of(occurrence.term, analysis) not in _FRAMEWORKS:
        return False
    if is_on_tape(occurrence.state.contexts) or occurrence.scope.kind != "function":
        return False
    function = occurrence.scope
    return function.trains_here and (
        _applies_its_own(analysis, function)
        or _hands_out_gradients(analysis, function)
        or any(
            _is_named_in(analysis, key, function) and _hands_out_gradients(analysis, called)
            for key, called in analysis.functions.items()
        )
        or any(_is_named_in(analysis, key, function) for key in _minimized(analysis))
    )


def _applies_its_own(analysis: Analysis, function: Scope) -> bool:
    """Whether a function applies a gradient that it takes of what a tape has recorded."""
    return any(
        one.scope is function and _is_of_tape(one.term) and is_applied(analysis, one.term)
        for one in analysis.occurrences
    )


def _is_of_tape(term: Term) -> bool:
    """Whether a term is a gradient of what a tape has recorded; `tf.gradients` is a function."""
    is_method = term.written is not None and term.written.method
    return term.operation.name == "gradient" and is_method


def _hands_out_gradients(analysis: Analysis, function: Scope) -> bool:
    """Whether a function returns a gradient of its tape, which every visible caller applies."""
    calls = list(map(peel, analysis.calls.get(function.key, ())))
    return bool(calls) and all(
        any(
            _is_of_tape(peel(part)) and is_applied(analysis, peel(part))
            for part in (one, *(one.operands if one.operation is SEQUENCE else ()))
        )
        for one in calls
    )


def _minimized(analysis: Analysis) -> set[int]:
    """The keys of functions that an optimizer calls on a tape of its own: `minimize(loss_fn)`."""
    given = (
        peel(one.operands[1])
        for one in analysis.made
        if one.operation is OPAQUE and one.detail == _MINIMIZES and len(one.operands) > 1
    )
    return {one.key for one in given if one.operation is FUNCTION}


def _is_named_in(analysis: Analysis, key: int, function: Scope) -> bool:
    """Whether a function names another one, or is where that lambda is written."""
    known = analysis.functions.get(key)
    if known is not None and known.name == "<lambda>":
        return known.parent is function
    return any(one.scope is function for one in analysis.callers.get(key, ()))
