"""Squared distances that are computed from inner products."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.inner_products import is_negative_by_rounding
from mllint_nan.flow.pairs import keeps_rows
from mllint_nan.ir.term import Term
from mllint_nan.rulebook.predicates.context import Context, known, tells
from mllint_nan.rulebook.predicates.members import Role


@tells(Role.SQUARED_DISTANCE)
def is_distance_by_products(context: Context, x: Term) -> Truth:
    """x is `|a|**2 + |b|**2 - 2 a·b` for all pairs of the same vectors.

    Rounding makes it negative for a vector and itself, as all three terms are rounded on their own.
    An epsilon that is added is smaller than that.
    """
    return known(keeps_rows(x) and is_negative_by_rounding(x))
