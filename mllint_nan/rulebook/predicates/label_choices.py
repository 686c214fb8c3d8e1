"""Predicates about the entries of a prediction that labels select."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import INPUT, Term, behind_views
from mllint_nan.rulebook.predicates.context import Context, known, tells
from mllint_nan.rulebook.predicates.members import Zero

_ONE_HOT: Final = "one_hot"


@tells(Zero.CHOSEN)
def is_chosen_probability(context: Context, x: Term) -> Truth:
    """x is the entry of an input prediction that one-hot labels select.

    A base that is raised to a fraction is not negative: it comes from a softmax, a sigmoid or a
    relu, each of which is exactly 0 where the model is sure of something else.
    """
    total = behind_views(x)
    if total.operation.name != "sum":
        return Truth.NO
    product = behind_views(total.operands[0])
    if product.operation.name != "mul" or len(product.operands) != 2:
        return Truth.NO
    factors = [behind_views(factor) for factor in product.operands]
    chooses = [factor.operation.name == _ONE_HOT for factor in factors]
    return known(
        any(chooses)
        and any(
            factor.operation is INPUT and context.value(factor).can_be(0.0) is not Truth.NO
            for factor in factors
        )
    )
