"""What rounding makes 0 of a layer's output: complements of probabilities, sums taken apart."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.overflow import PROBABILITIES, can_underflow
from mllint_nan.rulebook.predicates.parameters import is_unbounded_output

_FADES: Final = frozenset(("exp", "softplus", *PROBABILITIES))
"""Functions of a layer's output that come as close to 0 as one likes, and are never below it."""
_KEEPS: Final = frozenset(("sqrt", "square", "pow"))


def is_rounded_to_zero(context: Context, d: Term) -> bool:
    """Whether d is a difference that rounding makes 0 where a layer's output is large.

    `1 - sigmoid(x)`, `1 - tanh(x)**2`, and `a - 1` for `a = softplus(x) + 1`: in float32 they are
    exactly 0 from an output of 9 or 17 on. A factor or a root of such a difference is 0 with it.
    """
    inner = behind_views(d)
    if context.value(inner).can_be(0.0) is Truth.NO:
        return False
    match inner.operation.name:
        case "mul":
            return any(is_rounded_to_zero(context, factor) for factor in inner.operands)
        case "sub":
            return _is_complement(context, inner) or _is_taken_apart(context, inner)
        case name:
            return name in _KEEPS and is_rounded_to_zero(context, inner.operands[0])


def is_scale_from_elsewhere(context: Context, d: Term) -> bool:
    """Whether d is `exp` or `softplus` of a layer's output, taken by another function.

    In one function, NAN212 speaks of the scale itself.
    """
    inner = behind_views(d)
    while inner.operation.name in ("sqrt", "square"):
        inner = behind_views(inner.operands[0])
    if inner.operation.name not in ("exp", "softplus"):
        return False
    if can_underflow(context, inner.operands[0]) is not Truth.YES:
        return False
    if inner.site is None:  # it has its place in another file
        return True
    around = [*context.occurrence.scope.enclosing()]
    return not any(
        one.term.site is inner.site and one.scope in around for one in context.analysis.occurrences
    )


def _is_complement(context: Context, difference: Term) -> bool:
    """Whether a difference is what a probability, or a squared tanh, leaves of 1."""
    if number_of(difference.operands[0]) != 1:
        return False
    share = behind_views(difference.operands[1])
    if share.operation.name == "square":
        share = behind_views(share.operands[0])
        return share.operation.name == "tanh" and is_unbounded_output(context, share.operands[0])
    return share.operation.name in PROBABILITIES and is_unbounded_output(context, share.operands[0])


def _is_taken_apart(context: Context, difference: Term) -> bool:
    """Whether a number is subtracted that was added to something small: `softplus(x) + 1 - 1`."""
    total, number = behind_views(difference.operands[0]), number_of(difference.operands[1])
    if total.operation.name != "add" or not number:
        return False
    for part, other in (total.operands, total.operands[::-1]):
        small = behind_views(part)
        if number_of(other) == number and small.operation.name in _FADES:
            return is_unbounded_output(context, small.operands[0])
    return False
