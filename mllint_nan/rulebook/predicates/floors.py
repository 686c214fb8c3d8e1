"""Where the addend that keeps a value from 0 may be: in a numerator, an attribute, a mixture.

A quotient is 0 where its numerator is, an attribute where some method leaves it at 0.
"""

from __future__ import annotations

from math import prod
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.containers import is_none
from mllint_nan.ir.term import ATTRIBUTE, INPUT, Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.context import Context, has_inputs, kept, passed_for

_DEEPEST: Final = 4
_FACTORS_MOST: Final = 8
_UNDERFLOWS: Final = 1e-37
"""A square from here down is 0 in float32, or close to it."""


def as_made(context: Context, x: Term, depth: int = _DEEPEST) -> tuple[Term, ...]:
    """The terms that decide whether x is 0: a quotient's numerator, all values of an attribute."""
    inner = behind_views(x)
    if depth == 0:
        return (inner,)
    if inner.operation.name == "div":
        return as_made(context, inner.operands[0], depth - 1)
    if inner.operation is ATTRIBUTE:
        stored = [part for part in kept(context, inner) if not is_none(behind_views(part))]
        found = tuple(one for part in stored for one in as_made(context, part, depth - 1))
        return found or (inner,)
    return (inner,)


def is_mixture(context: Context, term: Term) -> bool:
    """Whether a term is `p * (1 - e) + e / n`: a share e of the whole is distributed evenly."""
    if term.operation.name != "add":
        return False
    left, right = (_factors(operand) for operand in term.operands)
    return _complete(context, left, right) or _complete(context, right, left)


def _complete(context: Context, some: list[Term], others: list[Term]) -> bool:
    """Whether `some` has a factor 1 - e, and `others` is e times positive factors."""
    rests = {
        behind_views(one.operands[1]).key
        for one in some
        if one.operation.name == "sub" and number_of(one.operands[0]) == 1
    }
    beside = [one for one in others if one.key not in rests]
    return len(beside) == len(others) - 1 and all(context.value(one).lo > 0 for one in beside)


def _factors(product: Term) -> list[Term]:
    """The factors of a product, and its divisors."""
    found: list[Term] = []
    pending = [product]
    while pending and len(found) < _FACTORS_MOST:
        inner = behind_views(pending.pop())
        if inner.operation.name in ("mul", "div"):
            pending.extend(inner.operands)
        else:
            found.append(inner)
    return found


def stays_above_zero(context: Context, written: Term) -> bool:
    """Whether a value that is written back is positive, or cut off at a bound that is chosen."""
    least = peel(written).settings.get("min")
    return context.oracle.value(written).lo > 0 or (
        least is not None
        and has_inputs(least)
        and context.oracle.value(least).can_be(0.0) is not Truth.YES
    )


def is_square_of_setting(context: Context, term: Term) -> bool:
    """Whether a term is the square of settings that are not 0 by default, times numbers."""
    inner = behind_views(term)
    if inner.operation.name != "square":
        return False
    settings = list[Term]()
    number = _by_default(context, inner.operands[0], settings, _DEEPEST)
    return bool(settings) and number is not None and number * number > _UNDERFLOWS


def _by_default(context: Context, term: Term, settings: list[Term], depth: int) -> float | None:
    """The product of numbers and settings by their defaults; collects the settings."""
    inner = peel(term)
    number = number_of(inner)
    if number is not None:
        return float(number)
    if depth > 0 and inner.operation.name in ("mul", "div"):
        factors = [_by_default(context, one, settings, depth - 1) for one in inner.operands]
        known = [factor for factor in factors if factor is not None]
        return prod(known) if len(known) == len(factors) else None
    if depth > 0 and inner.operation is ATTRIBUTE:
        stored = kept(context, inner)
        return _by_default(context, stored[0], settings, depth - 1) if len(stored) == 1 else None
    if inner.operation is not INPUT or not inner.operands:
        return None
    settings.append(inner)
    given = [number_of(one) for one in (*inner.operands, *passed_for(context, inner))]
    known = [float(one) for one in given if one is not None]
    return min(known, key=abs) if len(known) == len(given) else None
