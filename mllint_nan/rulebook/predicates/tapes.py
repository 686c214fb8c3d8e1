"""What a training step of TensorFlow computes outside of its tapes: it is not differentiated."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.state import Analysis, Occurrence, Scope
from mllint_nan.ir.term import Term, peel
from mllint_nan.rulebook.predicates.applied import is_applied
from mllint_nan.rulebook.predicates.context import framework_of

_FRAMEWORKS: Final = ("tensorflow", "keras")


def is_on_tape(contexts: tuple[Term, ...]) -> bool:
    """Whether one of these contexts is a `GradientTape`."""
    return any(str(peel(one).detail).endswith("GradientTape") for one in contexts)


def is_outside_tapes(analysis: Analysis, occurrence: Occurrence) -> bool:
    """Whether a function records a gradient that it applies, but not what is computed here.

    A tape of its caller would record both, but a function that trains is not called on a tape.
    """
    if framework_of(occurrence.term, analysis) not in _FRAMEWORKS:
        return False
    if is_on_tape(occurrence.state.contexts) or occurrence.scope.kind != "function":
        return False
    return _is_step(analysis, occurrence.scope)


def _is_step(analysis: Analysis, function: Scope) -> bool:
    """Whether a function applies a gradient that it takes of what a tape has recorded."""
    return function.trains_here and any(
        one.scope is function
        and one.term.operation.name == "gradient"
        and one.term.written is not None
        and one.term.written.method  # `tf.gradients` is a function
        and is_applied(analysis, one.term)
        for one in analysis.occurrences
    )
