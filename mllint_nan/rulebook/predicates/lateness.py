"""Questions about guards that stand behind the operation they are meant for."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.frameworks import registry
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    name_of,
    predicate,
)
from mllint_nan.rulebook.predicates.ranges import is_small

_EPSILON_MOST: Final = 1e-4
_DATA: Final = re.compile(
    r"(^|_)(adv\w*|gaes?|returns?|rewards?|targets?|labels?|images?|obs\w*|data\w*)(_|$|\d)",
    re.IGNORECASE,
)
_ONE_NUMBER: Final = re.compile(
    r"(^|_)(scales?|temp|temperature|tau|beta|gamma|alpha)(_|$)", re.IGNORECASE
)
_LOGARITHMS: Final = frozenset(("log", "log2", "log10"))
_LOG_FLOOR: Final = -16.0
"""Below exp(-16), 1e-7, nothing is expected but 0."""
_LOG_OF_LEAST: Final = -85.0
_EXP_OF_CEILING: Final = 5e34
"""The logarithm of 1e-37 and the exponential of 80: what the fixes put in."""


@predicate
def is_meant_as_epsilon(context: Context, e: Term | None) -> Truth:
    """e is so small, or so called, that all it can do is to keep something from 0."""
    return known(is_small(context, e, _EPSILON_MOST))


@predicate
def needs_its_epsilon(context: Context, result: Term) -> Truth:
    """The sum is a divisor, a base or in a logarithm: that is what the epsilon is for."""
    for consumer in context.analysis.consumers.get(result.key, ()):
        if consumer.operation.name in (*_LOGARITHMS, "sqrt", "rsqrt", "pow"):
            return Truth.YES
        if consumer.operation.name == "div" and consumer.operands[1].key == result.key:
            return Truth.YES
    return Truth.NO


@predicate
def is_in_logarithm(context: Context, result: Term) -> Truth:
    """A logarithm of the result is taken, whose value is the first concern."""
    consumers = context.analysis.consumers.get(result.key, ())
    return known(any(consumer.operation.name in _LOGARITHMS for consumer in consumers))


@predicate
def is_floor_of_logarithm(context: Context, lo: Term | None) -> Truth:
    """lo is a bound that no logarithm falls below but that of 0."""
    number = number_of(lo)
    return known(number is not None and number <= _LOG_FLOOR)


@predicate
def stays_above_floor(context: Context, lo: Term | None) -> Truth:
    """The bound lo on a logarithm is above that of the floor that is put under its operand."""
    number = number_of(lo)
    return Truth.YES if number is not None and number >= _LOG_OF_LEAST else Truth.UNKNOWN


@predicate
def stays_below_ceiling(context: Context, hi: Term | None) -> Truth:
    """The bound hi on an exponential is below that of the ceiling that is put on its operand."""
    value = context.value(hi) if hi is not None else None
    return Truth.YES if value is not None and value.hi <= _EXP_OF_CEILING else Truth.UNKNOWN


@predicate
def is_prediction(context: Context, d: Term) -> Truth:
    """d is what a network gives: anything, as far as is shown.

    NO of a difference of two such, as a ratio of probabilities has it. UNKNOWN of a learned scale,
    whose gradient ends at the bound, of what an algorithm has scaled, and of an operation that is
    known by its name but called with arguments that are not.
    """
    inner = behind_views(d)
    if context.kind(d) is Kind.NUMBER or inner.operation.name == "sub":
        return Truth.NO
    if any(_ONE_NUMBER.search(name_of(part)) for part in (d, inner)):
        return Truth.UNKNOWN
    if inner.operation is OPAQUE and registry.functions(str(inner.detail).removeprefix("call ")):
        return Truth.UNKNOWN
    is_given = inner.operation in (INPUT, OPAQUE) or inner.operation.name == "matmul"
    return known(is_given).or_(Truth.UNKNOWN)


@predicate
def is_more_than_data(context: Context, x: Term) -> Truth:
    """x is not called what is only learned from: returns, rewards, advantages, targets, images."""
    names = [name_of(part) for part in (x, behind_views(x))]
    return Truth.UNKNOWN if any(map(_DATA.search, names)) else Truth.YES
