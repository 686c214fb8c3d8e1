"""Questions about what becomes of a result."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.uses import tells_zero
from mllint_nan.ir.term import Term
from mllint_nan.rulebook.predicates.context import Context, predicate


@predicate
def is_never_asked(context: Context, result: Term) -> Truth:
    """Nothing in sight asks whether the result is 0, or nearly so.

    A comparison does, an assertion, a condition, a mask, `isclose`, and a quotient by the result
    that is tested for NaN: what keeps the result above 0 would decide them all.
    """
    return is_asked(context, result).not_()


@predicate
def is_asked(context: Context, result: Term) -> Truth:
    """Something in sight asks whether the result is 0, or nearly so."""
    return tells_zero(context.analysis, context.oracle, result)
