"""Questions about fractional powers, and about cosines and the functions that invert them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from itertools import islice
from math import isfinite
from typing import Final

from mllint_nan.domains.transfer import transfer
from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.flow.containers import is_none
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    is_self,
    kept,
    known,
    passed_for,
    predicate,
    stored_in,
    tells,
)
from mllint_nan.rulebook.predicates.covariances import is_covariance
from mllint_nan.rulebook.predicates.members import Form, Negative, Role
from mllint_nan.rulebook.predicates.parameters import is_moved, is_unbounded_output
from mllint_nan.rulebook.predicates.settings_held import held_by_settings
from mllint_nan.rulebook.predicates.validated import is_kept_a_fraction

_EXPONENT_DEEPEST: Final = 4
_CALLS_MOST: Final = 8
"""The most calls of a function whose arguments for an exponent are looked at."""
_EXPONENTS_MOST: Final = 32
"""The most numbers that an exponent is taken from: elements of a list, or what methods store."""
_SHIFTED: Final = frozenset(("add", "sub", "mul", "div", "neg"))
_KEEPS_SIGNS: Final = frozenset(("neg", "mul", "div", "sum", "mean", "median"))
"""Of products and quotients, only those with a number as one operand."""


@tells(Role.LOGARITHMS)
def is_logarithmic(context: Context, x: Term) -> Truth:
    """x is a sum of logarithms: exp(x) restores an ordinary number."""
    pending = [x]
    while pending:
        inner = behind_views(pending.pop())
        if inner.operation.name in ("log", "log2", "log10", "log1p", "lgamma"):
            return Truth.YES
        if inner.operation.name in ("add", "sub", "neg", "mul", "div"):
            pending.extend(inner.operands)
    return Truth.NO


@tells(Form.OPTION)
def is_one_of_several(context: Context, result: Term) -> Truth:
    """The operand has the matched form on only one of several paths."""
    return known(context.found.through_choice)


@tells(Role.FRACTION)
def is_proper_fraction(context: Context, q: Term) -> Truth:
    """0 < q < 1: YES if the source shows such a q, NO if every possible q lies outside."""
    if is_kept_a_fraction(context, q):
        return Truth.YES
    exponent = _exponent(context, q, _EXPONENT_DEEPEST)
    is_outside = exponent.hi <= 0 or exponent.lo >= 1 or exponent.integer
    return _shows(exponent, lambda number: 0 < number < 1, is_outside)


@tells(Role.SINGULAR)
def is_singular_power(context: Context, q: Term) -> Truth:
    """The source shows a q for which x**q or its derivative is singular at 0, or NaN below it."""
    exponent = _exponent(context, q, _EXPONENT_DEEPEST)
    is_outside = exponent.lo >= 1 or (exponent.lo >= 0 and exponent.integer)
    return _shows(exponent, lambda number: number < 1 and number != 0, is_outside)


@tells(Role.BROKEN)
def is_broken(context: Context, q: Term) -> Truth:
    """q is not an integer: YES if the source shows or trains such a q, NO if it is an integer."""
    if is_kept_a_fraction(context, q) or is_moved(context, q) is Truth.YES:
        return Truth.YES
    exponent = _exponent(context, q, _EXPONENT_DEEPEST)
    return _shows(exponent, lambda n: isfinite(n) and n != int(n), exponent.integer)


def _shows(exponent: Value, is_such: Callable[[float], bool], is_excluded: bool) -> Truth:
    """YES if such a number is attained, NO if none can be."""
    if any(map(is_such, exponent.attained)):
        return Truth.YES
    return Truth.NO if is_excluded else Truth.UNKNOWN


def _exponent(context: Context, q: Term, depth: int) -> Value:
    """The value of q: defaults, what calls pass and what the object stores are evidence of it."""
    inner = behind_views(q)
    if depth == 0 or number_of(inner) is not None:
        return context.value(inner)
    if options := _options(context, inner):
        return reduce(Value.join, (_exponent(context, part, depth - 1) for part in options))
    given = _given(context, q)
    if given or inner.operation is INPUT:
        shown = [_exponent(context, part, depth - 1) for part in given]
        value = context.value(inner)
        seen = frozenset(point for one in shown for point in one.attained)
        return replace(value, attained=frozenset(filter(value.interval.contains, seen)))
    if inner.operation.name in _SHIFTED:
        operands = [_exponent(context, part, depth - 1) for part in inner.operands]
        return transfer(inner.operation, operands, {}, "float64")
    return context.value(inner)


def _given(context: Context, q: Term) -> tuple[Term, ...]:
    """What visible calls pass for a parameter, or hold in the settings of which it is a field."""
    held = tuple(islice(held_by_settings(context, q), _CALLS_MOST))
    inner = behind_views(q)
    if held or inner.operation is not INPUT:
        return held
    return (*inner.operands, *passed_for(context, inner)[:_CALLS_MOST])


def _options(context: Context, inner: Term) -> tuple[Term, ...]:
    """The elements of a list, the values on several paths, or what the object stores there."""
    if inner.operation is SEQUENCE or (inner.operation is CHOICE and inner.detail != "loop"):
        return inner.operands[:_EXPONENTS_MOST]
    if inner.operation is ATTRIBUTE and is_self(inner.operands[0]):
        return tuple(stored_in(context, str(inner.detail)))[:_EXPONENTS_MOST]
    return ()


@predicate
def undoes_power(context: Context, x: Term, q: Term) -> Truth:
    """x is some mean of positive numbers raised to a power, which the exponent q undoes."""
    inverse = peel(q)
    if inverse.operation.name != "div":
        return Truth.NO
    return known(
        any(
            part.operation.name == "pow"
            and part.operands[1].key == inverse.operands[1].key
            and context.value(part.operands[0]).lo > 0
            for part in walk(x)
        )
    )


@tells(Form.FRAMEWORK)
def is_no_plain_number(context: Context, result: Term) -> Truth:
    """A framework computes the power; in plain Python, a power of a negative number is complex."""
    written = peel(result).written
    if written is not None and not written.path.startswith(("builtins.", "math.")):
        return Truth.YES
    return known(any(part.framework not in (None, "math") for part in walk(result)))


@tells(Negative.POSSIBLY)
def can_be_negative(context: Context, x: Term) -> Truth:
    """x can be negative: YES if it attains such a value, NO if its name says it is a scale."""
    value, inner = context.value(x), behind_views(x)
    if inner.operation in (INPUT, ATTRIBUTE) and not value.free:
        return Truth.NO
    return _reaches_below_zero(context, x)


def _reaches_below_zero(context: Context, x: Term) -> Truth:
    """Whether x attains a negative value: by its range, as a covariance, or as a layer's output."""
    found = context.value(x).can_be_negative()
    if found is not Truth.UNKNOWN:
        return found
    is_evident = is_covariance(context, x) or is_unbounded_output(context, x)
    return known(is_evident).or_(found)


@tells(Role.FREE_DIFFERENCE)
def is_free_difference(context: Context, x: Term) -> Truth:
    """x is a difference that nothing keeps from being negative: an epsilon only moves its zero.

    Or a sum, a mean, a multiple or an odd power of one.
    """
    if context.value(x).lo >= 0:
        return Truth.NO
    inner = behind_views(x)
    while inner.operation.name in _KEEPS_SIGNS or _is_odd_power(inner):
        factors = [part for part in inner.operands if number_of(part) is None]
        if len(factors) != 1 and inner.operation.name != "pow":
            break
        inner = behind_views(factors[0])
    return known(inner.operation.name == "sub")


def _is_odd_power(term: Term) -> bool:
    exponent = number_of(term.operands[1]) if term.operation.name == "pow" else None
    return exponent is not None and exponent % 2 == 1


@tells(Negative.EVIDENTLY)
def attains_negative(context: Context, x: Term) -> Truth:
    """x attains a negative value.

    NO for `c ** 2 - 1` of a hyperbolic cosine, of which the program takes the inverse, too.
    """
    is_below = _reaches_below_zero(context, x) is Truth.YES
    return known(is_below and not _is_of_hyperbolic_cosine(context, x))


def _is_of_hyperbolic_cosine(context: Context, x: Term) -> bool:
    inner = behind_views(x)
    if inner.operation.name != "sub" or number_of(inner.operands[1]) != 1:
        return False
    squared = behind_views(inner.operands[0])
    if squared.operation.name != "square":
        return False
    cosine = behind_views(squared.operands[0])
    set_to = [behind_views(one) for one in kept(context, cosine)]
    stored = [one for one in set_to if not is_none(one)] or [cosine]
    return all(
        any(made.operation.name == "acosh" for made in context.analysis.consumers.get(one.key, ()))
        for one in stored
    )
