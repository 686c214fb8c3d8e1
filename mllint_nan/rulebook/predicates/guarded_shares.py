"""Sums of shares of one count, whose own divisors are guarded: the mean of precision and recall."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import Term, behind_views, number_of, summands_of
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.ranges import has_epsilon

_FACTORS_DEEPEST: Final = 3
_COUNTS: Final = frozenset(("sum", "mean", "diagonal", "count_nonzero", "add"))
"""Operations of arrays; a plain number would raise an exception."""


def are_shares_of_nothing(context: Context, b: Term, d: Term) -> bool:
    """Whether d adds shares of one count, and b is a product of them: `2 * p * r / (p + r)`.

    Each share is guarded where there is nothing to divide by. The count is 0 there, and d as well.
    """
    shares = [_unscaled(one) for one in summands_of(behind_views(d))]
    if len(shares) < 2 or any(one.operation.name != "div" for one in shares):
        return False
    counts = [behind_views(one.operands[0]) for one in shares]
    is_same = len({count.key for count in counts}) == 1 and counts[0].operation.name in _COUNTS
    above = {factor.key for factor in _factors(b, _FACTORS_DEEPEST)}
    return (
        is_same
        and context.value(counts[0]).can_be(0.0) is not Truth.NO
        and all(_is_guarded(context, one) for one in shares)
        and any(one.key in above for one in shares)
    )


def _unscaled(term: Term) -> Term:
    """A term without a number as its factor, as in `beta**2 * p + r`."""
    inner = behind_views(term)
    if inner.operation.name == "mul":
        others = [one for one in inner.operands if number_of(one) is None]
        return behind_views(others[0]) if len(others) == 1 else inner
    return inner


def _is_guarded(context: Context, share: Term) -> bool:
    """Whether a divisor has an epsilon or a floor, and is nothing where there is no count."""
    count, divisor = map(behind_views, share.operands)
    whole = divisor
    if divisor.operation.name in ("maximum", "clip"):
        least = divisor.settings.get("min")
        floors = [least] if least is not None else list(divisor.operands)
        if not any((number_of(floor) or 0) > 0 for floor in floors):
            return False
        whole = next((one for one in divisor.operands if number_of(one) is None), divisor)
    elif has_epsilon(context, divisor) is not Truth.YES:
        return False
    parts = [behind_views(one) for one in summands_of(behind_views(whole))]
    value = context.value(count)
    return (
        any(one.key == count.key for one in parts)
        or (value.integer and value.lo >= 0)
        or any(_is_part_of(count, one) for one in parts)
    )


def _is_part_of(count: Term, total: Term) -> bool:
    """Whether a count sums a product, and a total one of its factors."""
    if count.operation.name != "sum" or total.operation.name != "sum":
        return False
    product = behind_views(count.operands[0])
    of = behind_views(total.operands[0]).key
    return product.operation.name == "mul" and any(
        behind_views(factor).key == of for factor in product.operands
    )


def _factors(term: Term, depth: int) -> Iterator[Term]:
    inner = behind_views(term)
    yield inner
    if depth > 0 and inner.operation.name == "mul":
        for operand in inner.operands:
            yield from _factors(operand, depth - 1)
