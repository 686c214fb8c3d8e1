"""Harmonic means: a sum of reciprocals, which may be infinite, is inverted again."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import Term, number_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context, passes_through
from mllint_nan.rulebook.predicates.gradients import gradient_flows
from mllint_nan.rulebook.predicates.members import Use
from mllint_nan.rulebook.predicates.rectified import receives_none, rectifier_of
from mllint_nan.rulebook.predicates.uses import use


@use(Use.INVERTED, follows=passes_through("sum", "mean", "add", "mul"))
def _is_inverted(context: Context, result: Term, key: int, made: Term) -> bool:
    """a division by a sum of the quotients of which it is one: if one is infinite, that gives 0.

    The gradient is NaN there (0 * inf), so none may be taken, or a relu takes it back.
    """
    quotient = peel(result)
    if quotient.operation.name != "div" or not _divides(made, key):
        return False
    dividend, divisor = quotient.operands
    whole = made.operands[0] if made.operation.name == "pow" else made.operands[1]
    if context.value(dividend).lo <= 0 or context.value(divisor).lo < 0:
        return False
    if context.value(whole).lo < 0:
        return False
    return gradient_flows(context, divisor) is not Truth.YES or _is_taken_back(context, result)


def _divides(made: Term, key: int) -> bool:
    """Whether a term divides by the value with this key something that does not depend on it."""
    if made.operation.name == "pow":
        exponent = number_of(made.operands[1])
        return exponent is not None and exponent < 0
    if made.operation.name != "div" or peel(made.operands[1]).key != key:
        return False
    return all(part.key != key for part in walk(made.operands[0]))


def _is_taken_back(context: Context, result: Term) -> bool:
    dividend, divisor = peel(result).operands
    rectifier = rectifier_of(context, divisor)
    return rectifier is not None and receives_none(context, dividend, rectifier)
