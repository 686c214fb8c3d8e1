"""Predicates about exponentials of distances, which underflow far away from all points."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.distributions import is_density_term
from mllint_nan.flow.extrema import is_shift
from mllint_nan.ir.term import CHOICE, INPUT, OPAQUE, Term, behind_views, number_of, walk
from mllint_nan.rulebook.predicates.carried_products import scanned, shrinks_by_rounds
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    tells,
)
from mllint_nan.rulebook.predicates.kernels import DEEPEST, are_rows_far, distance_sign
from mllint_nan.rulebook.predicates.members import Guard, Zero
from mllint_nan.rulebook.predicates.ranges import is_bounded_for_sum
from mllint_nan.rulebook.predicates.tables import written_into_zeros
from mllint_nan.rulebook.predicates.zeros import DRAWS


@tells(Guard.SUM)
def is_kept_in_range(context: Context, x: Term) -> Truth:
    """No sum of exp(x) overflows, and its terms cannot all underflow, as those of distances can."""
    if _is_minus_distance(context, x, DEEPEST):
        return Truth.UNKNOWN
    return is_bounded_for_sum(context, x)


@tells(Zero.DENSITY)
def fades_as_density(context: Context, x: Term) -> Truth:
    """x is the density of a library's distribution, which can compute the logarithm itself."""
    return known(is_density_term(behind_views(x)))


@tells(Zero.KERNEL)
def fades_as_kernel(context: Context, w: Term) -> Truth:
    """w is `exp(-cost / scale)` of input costs: where they are high, a whole row underflows.

    So is a sum of such exponentials of distances to several points. NO where a minimum was
    subtracted from the costs, or a bound is known, and for points drawn here.
    """
    inner = behind_views(w)
    if inner.operation.name == "add":
        is_drawn = any(part.operation.name in DRAWS for part in walk(inner))
        is_floored = context.value(inner).lo > 0
        return known(not is_drawn and not is_floored and fades_out(context, inner))
    if inner.operation.name != "exp" or context.value(inner).lo > 0:
        return Truth.NO
    exponent = inner.operands[0]
    if is_shift(exponent):
        return Truth.NO
    return known(_is_minus_cost(exponent, DEEPEST))


def _is_minus_cost(x: Term, depth: int) -> bool:
    """Whether x is minus an input or a distance, with any positive scale."""
    inner = behind_views(x)
    if depth == 0 or not inner.operands:
        return False
    if inner.operation.name == "neg":
        return _is_cost(inner.operands[0], depth - 1)
    if inner.operation.name == "div":
        over, under = inner.operands
        number = number_of(under)
        if number is not None and number < 0:
            return _is_cost(over, depth - 1)
        return _is_minus_cost(over, depth - 1)
    if inner.operation.name == "mul":
        first, second = inner.operands
        return any(
            _is_minus_cost(part, depth - 1)
            or ((number := number_of(other)) is not None and number < 0 and _is_cost(part, depth))
            for part, other in ((first, second), (second, first))
        )
    return False


def _is_cost(x: Term, depth: int) -> bool:
    inner = behind_views(x)
    if inner.operation.name in ("mul", "div") and depth > 0:
        return _is_cost(inner.operands[0], depth - 1)
    return inner.operation is INPUT or distance_sign(inner, depth) > 0


def fades_out(context: Context, x: Term, depth: int = DEEPEST) -> bool:
    """Whether x has a factor `exp(-distance)`, which is 0 for a point far enough from all others.

    A softmax of distances that is summed over points is also 0, in a bin far enough from all of
    them. So are a value that a loop multiplies by factors below 1 in each iteration, a density, and
    a table of zeros into which a loop writes nothing else.
    """
    inner = behind_views(x)
    name = inner.operation.name
    written = written_into_zeros(inner) if depth > 0 and inner.operation is CHOICE else []
    if written and all(fades_out(context, one, depth - 1) for one in written):
        return True
    if depth > 0 and inner.operation is INPUT:
        elements = scanned(context, inner)
        return elements is not None and fades_out(context, elements, depth - 1)
    if depth == 0 or not inner.operands:
        return False
    if shrinks_by_rounds(context, inner):
        return True
    if name == "exp":
        is_far = _is_minus_distance(context, inner.operands[0], depth)
        return is_far or is_density_term(inner)
    if name == "add":
        return all(fades_out(context, part, depth - 1) for part in inner.operands)
    if name == "mul":
        return any(fades_out(context, part, depth - 1) for part in inner.operands)
    if are_rows_far(inner):
        return True
    is_kept = name in ("sum", "mean", "prod", "div") or _is_cut_out(inner)
    return is_kept and fades_out(context, inner.operands[0], depth - 1)


def _is_cut_out(inner: Term) -> bool:
    """Whether 0 was written into some places of a term, as into the diagonal of a kernel."""
    is_written = inner.operation is OPAQUE and inner.detail == "update"
    return is_written and len(inner.operands) > 1 and number_of(inner.operands[1]) == 0


def _is_minus_distance(context: Context, x: Term, depth: int) -> bool:
    """Whether x is minus a distance, with any positive scale and no maximum subtracted."""
    return not is_shift(x) and distance_sign(x, depth) < 0
