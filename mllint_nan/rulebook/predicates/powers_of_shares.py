"""Exponents that their own formula bounds: logarithms, and values over the largest of them."""

from __future__ import annotations

from math import log

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.interval import NON_NEGATIVE, TOP, Interval
from mllint_nan.flow.extrema import extremum_of
from mllint_nan.flow.formats import dtype_of
from mllint_nan.ir.term import CHOICE, Fact, Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.context import Context


def logarithm_range(inner: Term) -> Interval:
    """The range of the log of a normal finite number, or of a share's `xlogy`; else all numbers."""
    name, operands = inner.operation.name, inner.operands
    if name == "xlogy" and _is_share_of(*operands):
        return NON_NEGATIVE.negated
    if name != "log":
        return TOP
    format_ = FORMATS.get(dtype_of(inner), FORMATS["float16"])
    return Interval(format_.lowest * log(2.0), (format_.highest + 1) * log(2.0))


def _is_share_of(part: Term, quotient: Term) -> bool:
    """Whether these are `a` and its share `a / (a + b)` of a whole, which are both positive."""
    inner, own = behind_views(quotient), behind_views(part)
    if inner.operation.name != "div" or behind_views(inner.operands[0]).key != own.key:
        return False
    whole = behind_views(inner.operands[1])
    summands = {behind_views(summand).key for summand in whole.operands}
    return whole.operation.name == "add" and own.key in summands


def is_power(context: Context, x: Term) -> bool:
    """Whether exp(x) is a power of something, `exp(log(p) / t)`, as for a share p of a whole.

    A count is no share, nor is what 1 is added to. A negative power of 0 is infinite.
    """
    inner = behind_views(x)
    if inner.operation is CHOICE:
        return all(is_power(context, option) for option in inner.operands)
    if inner.operation.name not in ("mul", "div"):
        return False
    first, second = inner.operands
    is_turned = inner.operation.name == "mul" and _is_of_share(context, second)
    logarithm, factor = (second, first) if is_turned else (first, second)
    is_negative = behind_views(factor).operation.name == "neg" or context.value(factor).hi < 0
    return _is_of_share(context, logarithm) and not is_negative


def _is_of_share(context: Context, term: Term) -> bool:
    inner = behind_views(term)
    if inner.operation.name != "log":
        return False
    value = context.value(inner.operands[0])
    return not value.integer and value.lo < 1


def is_over_own_maximum(context: Context, x: Term) -> bool:
    """Whether x is `y / max(y)` of nonnegative y, which is at most 1.

    A program that replaces a maximum of 0 shows that nothing is below 0.
    """
    inner = behind_views(x)
    if inner.operation.name != "div":
        return False
    above, below = inner.operands
    divided, divisor = behind_views(above), behind_views(below)
    parts = divided.operands if divided.operation is CHOICE else (above,)
    largest = [(below, ())] if divisor.operation is not CHOICE else _alternatives(divisor)
    numbers = [facts for one, facts in largest if (number_of(one) or 0.0) > 0]
    maxima = [one for one, _ in largest if number_of(one) is None]
    return (
        bool(maxima)
        and len(numbers) + len(maxima) == len(largest)
        and all(any(_is_largest(one, part) for part in parts) for one in maxima)
        and (
            all(context.value(part).lo >= 0 for part in parts)
            or any(_is_zero(fact, maxima) for facts in numbers for fact in facts)
        )
    )


def _alternatives(choice: Term) -> list[tuple[Term, tuple[Fact, ...]]]:
    facts = choice.facts or ((),) * len(choice.operands)
    return [*zip(choice.operands, facts, strict=True)]


def _is_largest(term: Term, whole: Term) -> bool:
    found = extremum_of(term, whole)
    return found is not None and found.operation.name == "max"


def _is_zero(fact: Fact, maxima: list[Term]) -> bool:
    """Whether a fact says that one of the maxima is 0."""
    test = peel(fact.test)
    if test.operation.name != ("eq" if fact.holds else "ne"):
        return False
    keys = {behind_views(one).key for one in maxima}
    is_of_maximum = any(behind_views(one).key in keys for one in test.operands)
    return is_of_maximum and any(number_of(one) == 0 for one in test.operands)
