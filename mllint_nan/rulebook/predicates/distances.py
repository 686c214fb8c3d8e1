"""Questions about exponentials of distances, which underflow far away from everything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.extrema import is_shift
from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views, number_of, peel, signed_factors
from mllint_nan.rulebook.predicates.context import (
    Context,
    has_inputs,
    known,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.members import Guard, Zero
from mllint_nan.rulebook.predicates.ranges import is_bounded_for_sum

_GRIDS: Final = re.compile(r"(^|[._ ])(meshgrid|mgrid|ogrid|range|indices|\w*_grid)$")
_DEEPEST: Final = 12
_PARTS_MOST: Final = 48


@tells(Guard.SUM)
def is_kept_in_range(context: Context, x: Term) -> Truth:
    """No sum of exp(x) overflows, and its terms cannot all underflow, as those of distances can."""
    if _is_minus_distance(context, x, _DEEPEST):
        return Truth.UNKNOWN
    return is_bounded_for_sum(context, x)


@tells(Zero.KERNEL)
def fades_as_kernel(context: Context, w: Term) -> Truth:
    """w is `exp(-cost / scale)` of input costs: where they are high, a whole row underflows.

    NO where a minimum was subtracted, or a bound is known.
    """
    inner = behind_views(w)
    if inner.operation.name != "exp" or context.value(inner).lo > 0:
        return Truth.NO
    exponent = inner.operands[0]
    if is_shift(exponent):
        return Truth.NO
    return known(_is_minus_cost(exponent, _DEEPEST))


def _is_minus_cost(x: Term, depth: int) -> bool:
    """Minus an input or a distance, scaled by whatever is positive."""
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
    return inner.operation is INPUT or _distance_sign(inner, depth) > 0


def fades_out(context: Context, x: Term, depth: int = _DEEPEST) -> bool:
    """x has a factor `exp(-distance)`: it is 0 for a point that is far enough from all others."""
    inner = behind_views(x)
    name = inner.operation.name
    if depth == 0 or not inner.operands:
        return False
    if name == "exp":
        return _is_minus_distance(context, inner.operands[0], depth)
    if name == "add":
        return all(fades_out(context, part, depth - 1) for part in inner.operands)
    if name == "mul":
        return any(fades_out(context, part, depth - 1) for part in inner.operands)
    return name in ("sum", "mean", "div") and fades_out(context, inner.operands[0], depth - 1)


def _is_minus_distance(context: Context, x: Term, depth: int) -> bool:
    """Minus a distance, scaled by whatever is positive, with no maximum subtracted."""
    return not is_shift(x) and _distance_sign(x, depth) < 0


def _distance_sign(x: Term, depth: int) -> int:
    """1 of a distance between what came in, -1 of minus one, 0 of all else."""
    inner = behind_views(x)
    name, operands = inner.operation.name, inner.operands
    if depth == 0 or not operands:
        return 0
    if name in ("square", "abs", "norm") and _is_between_two(operands[0], depth - 1):
        return 1
    if name == "distance":
        return 1
    if name == "neg":
        return -_distance_sign(operands[0], depth - 1)
    if name in ("sum", "mean", "sqrt", "div"):
        return _distance_sign(operands[0], depth - 1)
    if name == "sub":
        return _distance_sign(operands[0], depth - 1) or -_distance_sign(operands[1], depth - 1)
    if name == "mul":
        sign, factors = signed_factors(inner, behind_views)
        if len(factors) == 2 and factors[0].key == factors[1].key:  # -z * z / 2, written out
            return sign if _is_between_two(factors[0], depth - 1) else 0
        sign = 1
        found = 0
        for part in operands:
            number = number_of(part)
            if number is not None:
                sign = -sign if number < 0 else sign
            else:
                found = found or _distance_sign(part, depth - 1)
        return sign * found
    return 0


def _is_between_two(x: Term, depth: int) -> bool:
    """A difference with something that came in, and no grid; of a thing with itself it is 0."""
    inner = behind_views(x)
    if inner.operation.name in ("div", "mul") and depth > 0:
        return any(_is_between_two(part, depth - 1) for part in inner.operands)
    if inner.operation.name != "sub":
        return False
    left, right = ({part.key for part in through_views(part)} for part in inner.operands)
    return not left & right and has_inputs(inner) and not any(map(_is_grid, _sources(inner)))


def _sources(term: Term) -> Iterator[Term]:
    """The term and what it is made from, without the indices by which elements are selected."""
    pending, seen = [term], set[int]()
    while pending and len(seen) < _PARTS_MOST:
        inner = peel(pending.pop())
        if inner.key not in seen:
            seen.add(inner.key)
            yield inner
            is_view = inner.operation.kind == "view"
            pending.extend(inner.operands[:1] if is_view else inner.operands)


def _is_grid(term: Term) -> bool:
    return term.operation.name in ("arange", "linspace") or (
        term.operation is OPAQUE and _GRIDS.search(str(term.detail)) is not None
    )
