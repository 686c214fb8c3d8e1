"""Values that may be infinite and are bounded afterwards, where no gradient is taken of them."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.interval import INF
from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import Term, peel, walk
from mllint_nan.rulebook.predicates.context import Context, passes_through
from mllint_nan.rulebook.predicates.differentiation import without_gradient
from mllint_nan.rulebook.predicates.gradients import gradient_flows
from mllint_nan.rulebook.predicates.members import Use
from mllint_nan.rulebook.predicates.parameters import is_unbounded_output
from mllint_nan.rulebook.predicates.uses import use

_BOUNDS: Final = ("clip", "minimum")


@use(Use.CAPPED, follows=passes_through("add", "mul", "maximum"))
def _is_capped(context: Context, result: Term, key: int, made: Term) -> bool:
    """bounded by numbers, and no gradient is taken of it, which would be 0 * inf."""
    if made.operation.name not in _BOUNDS:
        return False
    value = context.value(made)
    if value.lo == -INF or value.hi == INF or _is_masked(context, result, made):
        return False
    operand = peel(result).operands[0]
    if is_unbounded_output(context, operand):  # which is trained, unless that is switched off
        return without_gradient(context.analysis, context.occurrence)
    return gradient_flows(context, operand) is Truth.NO


def _is_masked(context: Context, result: Term, made: Term) -> bool:
    """Whether the result is multiplied by something that attains 0, on the way to its bound."""
    wanted = peel(result).key
    products = [part for part in walk(made) if part.operation.name == "mul"]
    return any(
        0.0 in context.value(factor).attained
        for product in products
        for factor in product.operands
        if all(part.key != wanted for part in walk(factor))
        and any(part.key == wanted for part in walk(product))
    )
