"""Predicates about infinities: what becomes of them, and where that matters."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.unrecorded import stops_gradients
from mllint_nan.ir.term import (
    Term,
)
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.cancelling import cancels
from mllint_nan.rulebook.predicates.context import (
    Context,
    tells,
)
from mllint_nan.rulebook.predicates.downstream import is_fed_on
from mllint_nan.rulebook.predicates.endings import ends_of_match
from mllint_nan.rulebook.predicates.logarithms import DEEPEST
from mllint_nan.rulebook.predicates.members import Use
from mllint_nan.rulebook.predicates.untrained import serves_no_training

_LOOKED_AT: Final = names("looked_at")
_LOG_OF_CDF: Final = names("log_of_cdf")


@tells(Use.LEARNED)
def is_learned_from(context: Context, result: Term) -> Truth:
    """The result is not only for inspection: no metric, plot, decibel value or determinant.

    A reward or a target counts: a model learns from it without a gradient.
    """
    occurrence = context.occurrence
    scopes = list(occurrence.scope.enclosing())
    decorators = [decorator for scope in scopes for decorator in scope.decorators]
    is_aside = stops_gradients([*decorators[::-1], *occurrence.state.contexts])
    if is_aside and not is_fed_on(context, result):
        return Truth.UNKNOWN
    if ends_of_match(context, result).is_only_shown:
        return Truth.UNKNOWN
    if serves_no_training(context.analysis, occurrence.scope, DEEPEST):
        return Truth.UNKNOWN
    consumers = context.analysis.consumers.get(result.key, ())
    is_read = consumers or result.key in context.analysis.escaped
    if not is_read and occurrence.call is None:
        return Truth.UNKNOWN  # nothing reads it, as after a repair that no longer needs it
    names = [scope.name for scope in scopes if scope.kind in ("function", "class")]
    if any(map(_LOG_OF_CDF.search, names)) and not cancels(result):
        return Truth.UNKNOWN  # -inf outside of the support is intended
    names += [
        str(reference.detail) for reference in context.analysis.references.get(id(result), ())
    ]
    return Truth.UNKNOWN if any(map(_LOOKED_AT.search, names)) else Truth.YES
