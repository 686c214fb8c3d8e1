"""Why a bad value that a match computes does no harm where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from mllint_nan.findings import Hazard
from mllint_nan.flow.dead_stores import is_stored_dead
from mllint_nan.ir.canonical import Builder
from mllint_nan.rulebook.discarded_results import is_left_out
from mllint_nan.rulebook.predicates import Context
from mllint_nan.rulebook.private_calls import is_guarded_by_callers
from mllint_nan.rulebook.replaced import is_replaced
from mllint_nan.rulebook.rule import Case
from mllint_nan.rulebook.silenced import is_silenced


def why_harmless(case: Case, context: Context, builder: Builder) -> Iterator[str]:
    """Yield what the code does with a result, or with warnings, so that nothing breaks."""
    term, scope = context.occurrence.term, context.occurrence.scope
    if term.operation.kind != "effect" and is_stored_dead(context.analysis, term, scope):
        yield "nothing reads what is computed from it"
    if is_guarded_by_callers(case, context, builder):
        yield "all calls of its function are guarded"
    if case.hazard is not Hazard.VALUE:
        return
    if is_silenced(context):
        yield "the `np.errstate` around it ignores this warning"
    if is_replaced(context, term):
        yield "its non-finite values are overwritten before they are read"
    if is_left_out(case, context, builder):
        yield "its callers use its result only where it is safe"
