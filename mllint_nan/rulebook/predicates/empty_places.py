"""Results of which some elements are 0 by the way they are made: nothing was put there."""

from __future__ import annotations

from mllint_nan.flow.counts import counts_each_of
from mllint_nan.ir.term import Term
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.emptied import is_sum_of_errors
from mllint_nan.rulebook.predicates.pixels import are_pixels
from mllint_nan.rulebook.predicates.vanishing import PRODUCTS
from mllint_nan.rulebook.predicates.zeros import is_spread_over_classes


def leaves_elements_at_zero(context: Context, inner: Term) -> bool:
    """Whether some elements are 0: classes that no row names, no wrong guesses, black pixels."""
    if inner.operation.name in PRODUCTS and is_spread_over_classes(inner):
        return True
    if counts_each_of(inner, context.analysis):
        return True
    return is_sum_of_errors(context, inner) or are_pixels(context, inner)
