"""Questions about fractional powers, and about cosines and the functions that invert them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from math import isfinite
from typing import Final

from mllint_nan.domains.transfer import transfer
from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
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
    known,
    name_of,
    passed_for,
    predicate,
    proof,
    stored_in,
    through_views,
)
from mllint_nan.rulebook.predicates.covariances import is_covariance

_EXP_NORMAL: Final = {"float16": 9.0, "bfloat16": 87.0, "float32": 87.0, "float64": 708.0}
"""exp neither overflows nor underflows where its operand is at most this far from 0."""
_EXPONENT_DEEPEST: Final = 4
_CALLS_MOST: Final = 8
"""Calls of a function that are asked what they pass for an exponent."""
_EXPONENTS_MOST: Final = 32
"""Numbers that an exponent is taken from: the elements of a list, what methods store."""
_SHIFTED: Final = frozenset(("add", "sub", "mul", "div", "neg"))
_NEAR: Final = 0.05
_CANCELS: Final = 1e-6
"""An epsilon added to a divisor that outweighs the rounding of a quotient near 1."""


@proof
def keeps_exp_normal(context: Context, x: Term) -> Truth:
    """exp(x) neither overflows nor underflows in its dtype."""
    value = context.value(x)
    limit = _EXP_NORMAL[dtype_of(x)]
    return known(-limit <= value.lo and value.hi <= limit)


@predicate
def is_logarithmic(context: Context, x: Term) -> Truth:
    """x is a sum of logarithms: its exponential was an ordinary number before."""
    pending = [x]
    while pending:
        inner = behind_views(pending.pop())
        if inner.operation.name in ("log", "log2", "log10", "log1p", "lgamma"):
            return Truth.YES
        if inner.operation.name in ("add", "sub", "neg", "mul", "div"):
            pending.extend(inner.operands)
    return Truth.NO


@predicate
def is_one_of_several(context: Context, result: Term) -> Truth:
    """Only on one of several paths is the operand what was matched."""
    return known(context.found.through_choice)


@predicate
def is_proper_fraction(context: Context, q: Term) -> Truth:
    """0 < q < 1: YES if the source shows such a number, NO if it shows all of them and none is."""
    exponent = _exponent(context, q, _EXPONENT_DEEPEST)
    if any(0 < number < 1 for number in exponent.attained):
        return Truth.YES
    is_outside = exponent.hi <= 0 or exponent.lo >= 1 or exponent.integer
    return Truth.NO if is_outside else Truth.UNKNOWN


@predicate
def is_broken(context: Context, q: Term) -> Truth:
    """q is no integer: YES if the source shows such a number, NO if it is one by proof."""
    exponent = _exponent(context, q, _EXPONENT_DEEPEST)
    if any(isfinite(number) and number != int(number) for number in exponent.attained):
        return Truth.YES
    return Truth.NO if exponent.integer else Truth.UNKNOWN


@predicate
def is_written_fraction(context: Context, q: Term) -> Truth:
    """q is a number between 0 and 1 as it is written, which no caller can change."""
    number = number_of(q)
    if number is None:
        return Truth.UNKNOWN
    return known(0 < number < 1)


def _exponent(context: Context, q: Term, depth: int) -> Value:
    """What q is: a default, what calls pass and what the object stores are evidence of it."""
    inner = behind_views(q)
    if depth == 0 or number_of(inner) is not None:
        return context.value(inner)
    if inner.operation is INPUT:
        given = (*inner.operands, *passed_for(context, inner)[:_CALLS_MOST])
        shown = [_exponent(context, part, depth - 1) for part in given]
        value = context.value(inner)
        seen = frozenset(point for one in shown for point in one.attained)
        return replace(value, attained=frozenset(filter(value.interval.contains, seen)))
    options = _options(context, inner)
    if options:
        return reduce(Value.join, (_exponent(context, part, depth - 1) for part in options))
    if inner.operation.name in _SHIFTED:
        operands = [_exponent(context, part, depth - 1) for part in inner.operands]
        return transfer(inner.operation, operands, {}, "float64")
    return context.value(inner)


def _options(context: Context, inner: Term) -> tuple[Term, ...]:
    """The elements of a list, the paths to a value, or what the object keeps by that name."""
    if inner.operation is SEQUENCE or (inner.operation is CHOICE and inner.detail != "loop"):
        return inner.operands[:_EXPONENTS_MOST]
    if inner.operation is ATTRIBUTE and is_self(inner.operands[0]):
        return tuple(stored_in(context, str(inner.detail)))[:_EXPONENTS_MOST]
    return ()


@predicate
def undoes_power(context: Context, x: Term, q: Term) -> Truth:
    """x was averaged, by whatever means, from positive numbers to the power that q undoes."""
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


@predicate
def is_no_plain_number(context: Context, result: Term) -> Truth:
    """Some framework has a hand in the power: Python's own of a negative number is complex."""
    written = peel(result).written
    if written is not None and not written.path.startswith(("builtins.", "math.")):
        return Truth.YES
    return known(any(part.framework not in (None, "math") for part in walk(result)))


@predicate
def can_be_negative(context: Context, x: Term) -> Truth:
    """Some value of x is below 0: YES if one is attained, NO of what is called a scale."""
    value, inner = context.value(x), behind_views(x)
    if inner.operation in (INPUT, ATTRIBUTE) and not value.free:
        return Truth.NO
    return _reaches_below_zero(context, x)


def _reaches_below_zero(context: Context, x: Term) -> Truth:
    """By its range, or as a covariance does."""
    found = context.value(x).can_be_negative()
    return Truth.YES if found is Truth.UNKNOWN and is_covariance(context, x) else found


@predicate
def is_never_negative(context: Context, x: Term) -> Truth:
    """No value of x is below 0, by proof: without one, nothing may rest on it."""
    return known(context.value(x).lo >= 0)


@predicate
def is_free_difference(context: Context, x: Term) -> Truth:
    """x is a difference that nothing keeps from being negative: an epsilon moves its zero only.

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


_KEEPS_SIGNS: Final = frozenset(("neg", "mul", "div", "sum", "mean", "median"))
"""Of a product and a quotient, where one of its operands is a number."""


def _is_odd_power(term: Term) -> bool:
    exponent = number_of(term.operands[1]) if term.operation.name == "pow" else None
    return exponent is not None and exponent % 2 == 1


@predicate
def is_no_free_difference(context: Context, x: Term) -> Truth:
    """x is no difference that may be negative."""
    return is_free_difference(context, x).not_()


@predicate
def is_never_above(context: Context, x: Term, most: float) -> Truth:
    """No value of x is above `most`, by proof: without one, nothing may rest on it."""
    return known(context.value(x).hi <= most)


@predicate
def attains_negative(context: Context, x: Term) -> Truth:
    """Some value of x that is below 0 is attained."""
    return known(_reaches_below_zero(context, x) is Truth.YES)


@predicate
def can_be_unit(context: Context, x: Term) -> Truth:
    """1 or -1 ∈ γ(x): YES if it is attained, as by a component of a unit vector."""
    if any(
        part.operation.name in ("subscript", "gather") and _is_unit(context, part.operands[0])
        for part in through_views(x)
    ):
        return Truth.YES
    value = context.value(x)
    above, below = value.can_be(1.0), value.can_be(-1.0)
    return above if below is Truth.NO else above.or_(below)


@predicate
def can_start_at_one(context: Context, x: Term) -> Truth:
    """1 ∈ γ(x): YES if it is attained, as by 1 + d**2 / r of a distance d."""
    inner = behind_views(x)
    if inner.operation.name == "add" and 1 in map(number_of, inner.operands):
        offset = next(part for part in inner.operands if number_of(part) != 1)
        if any(context.value(part).can_be(0.0) is Truth.YES for part in _scaled(offset)):
            return Truth.YES
    return context.value(x).can_be(1.0)


def _scaled(term: Term) -> Iterator[Term]:
    """The factors above the fraction line."""
    inner = behind_views(term)
    if inner.operation.name == "mul":
        for operand in inner.operands:
            yield from _scaled(operand)
    elif inner.operation.name == "div":
        yield from _scaled(inner.operands[0])
    else:
        yield inner


@predicate
def has_margin(context: Context, x: Term) -> Truth:
    """x is bounded by anything but the ends of the domain, where the inverse is singular.

    Whether a margin is wide enough for the dtype is another rule's question.
    """
    inner = behind_views(x)
    if inner.operation.name == "clip":
        bounds = [inner.settings[name] for name in ("min", "max") if name in inner.settings]
    elif inner.operation.name in ("maximum", "minimum"):
        bounds = [part for part in inner.operands if _is_made_of_number(part)]
    elif inner.operation.name == "div":
        return known(_outweighs(inner.operands[1]))
    else:
        return Truth.NO
    return known(any(map(_is_inside, bounds))).or_(has_margin(context, inner.operands[0]))


@predicate
def is_compared_with_edge(context: Context, x: Term) -> Truth:
    """Somewhere x is compared with 1 or -1, or a number just inside: the author sees to it."""
    sides = [x, behind_views(x)]
    consumers = context.analysis.consumers
    sides += [
        term
        for side in tuple(sides)
        for term in consumers.get(side.key, ())
        if term.operation.name == "abs"
    ]
    keys = {side.key for side in sides}
    return known(
        any(
            operand.key not in keys and _is_near_edge(context, operand)
            for key in keys
            for term in consumers.get(key, ())
            if term.operation.name in ("gt", "ge", "eq", "ne")
            for operand in term.operands
        )
    )


def _is_near_edge(context: Context, term: Term) -> bool:
    """A number near 1 or -1, or `1 - eps` with any epsilon."""
    value = context.value(term)
    if value.is_constant:
        return abs(abs(value.lo) - 1.0) <= _NEAR
    inner = peel(term)
    return inner.operation.name in ("add", "sub") and any(
        number_of(part) in (1, -1) for part in inner.operands
    )


def _is_made_of_number(term: Term) -> bool:
    """A number, or one with something added to it."""
    inner = peel(term)
    is_shifted = inner.operation.name in ("add", "sub")
    parts = inner.operands if is_shifted else (inner,)
    return any(number_of(part) is not None for part in parts)


def _outweighs(divisor: Term) -> bool:
    """An epsilon is added to the divisor that keeps a quotient of equals below 1."""
    inner = behind_views(divisor)
    return inner.operation.name == "add" and any(
        (number is not None and number >= _CANCELS) or is_epsilon_name(name_of(part))
        for part, number in ((part, number_of(part)) for part in inner.operands)
    )


def _is_inside(bound: Term) -> bool:
    """`1 - eps`, `0.999`, or a name that must have been given to such a number."""
    number = number_of(bound)
    if number is not None:
        return number not in (-1, 0, 1)
    inner = peel(bound)
    return inner.operation.name in ("add", "sub", "neg", "mul") or inner.operation in (
        INPUT,
        ATTRIBUTE,
    )


@predicate
def is_cosine(context: Context, x: Term) -> Truth:
    """x is a cosine by its formula, which rounding takes past 1 where vectors are parallel.

    Inner products of unit vectors, or over the product of both norms; `(trace(R) - 1) / 2` of a
    rotation.
    """
    inner = behind_views(x)
    if inner.operation.name == "cosine_similarity" or _is_angle_of_rotation(inner):
        return Truth.YES
    if inner.operation.name == "div":
        over, under = map(behind_views, inner.operands)
        if not _factors(over):
            return Truth.NO
        norms = list(_divisors(under))
        if not norms or not all(_is_norm(context, norm) for norm in norms):
            return Truth.NO
        return known(len(norms) == 2)
    factors = _factors(inner)
    return known(bool(factors) and all(_is_unit(context, factor) for factor in factors))


@predicate
def is_more_than_interpolated(context: Context, result: Term) -> Truth:
    """The angle is not just passed through in part, as between two directions drawn at random.

    sin(t a) / sin(a) is 0 / 0 for parallel ones, whatever is done about the angle a, and so is the
    direction at right angles that sin(t a) and cos(t a) need.
    """
    consumers = context.analysis.consumers
    for made in consumers.get(result.key, ()):
        further = consumers.get(made.key, ())
        if made.operation.name == "mul" and {"sin", "cos"} <= {t.operation.name for t in further}:
            return Truth.UNKNOWN
        if made.operation.name == "sin" and any(map(_is_quotient_of_sines, further)):
            return Truth.UNKNOWN
    return Truth.YES


def _is_quotient_of_sines(term: Term) -> bool:
    return term.operation.name == "div" and all(
        behind_views(part).operation.name == "sin" for part in term.operands
    )


def _is_angle_of_rotation(term: Term) -> bool:
    """(trace(R) - 1) / 2"""
    if term.operation.name not in ("div", "mul"):
        return False
    scales = [number_of(part) for part in term.operands]
    wanted = (2,) if term.operation.name == "div" else (0.5,)
    inner = next((part for part, n in zip(term.operands, scales, strict=True) if n is None), term)
    shifted = behind_views(inner)
    return (
        any(scale in wanted for scale in scales)
        and shifted.operation.name == "sub"
        and number_of(shifted.operands[1]) == 1
        and behind_views(shifted.operands[0]).operation.name == "trace"
    )


def _factors(term: Term) -> tuple[Term, ...]:
    """The two vectors of an inner product."""
    name = term.operation.name
    if name in ("dot", "matmul"):
        return term.operands
    if term.operation is OPAQUE and str(term.detail) == "call torch.nn.functional.linear":
        return term.operands[1:] if len(term.operands) == 3 else ()
    if name == "einsum":
        return term.operands[1:]
    if name == "sum":
        product = behind_views(term.operands[0])
        return product.operands if product.operation.name == "mul" else ()
    return ()


def _divisors(term: Term) -> Iterator[Term]:
    """The factors of a divisor."""
    inner = behind_views(term)
    if inner.operation.name == "mul" or inner.operation.name == "matmul":
        for operand in inner.operands:
            yield from _divisors(operand)
    else:
        yield inner


def _is_norm(context: Context, term: Term) -> bool:
    """‖v‖, also kept away from 0, which leaves the quotient at 1 for longer vectors."""
    inner = behind_views(term)
    name = inner.operation.name
    if name == "norm":
        return True
    if name == "sqrt":
        return _is_sum_of_squares(inner.operands[0])
    if name in ("maximum", "clip"):
        return any(_is_norm(context, operand) for operand in inner.operands)
    if name == "add":
        numbers = [number_of(part) for part in inner.operands]
        return any(n is not None and n < _CANCELS for n in numbers) and any(
            _is_norm(context, part) for part in inner.operands
        )
    return False


def _is_sum_of_squares(term: Term) -> bool:
    inner = behind_views(term)
    if inner.operation.name == "add":
        return any(map(_is_sum_of_squares, inner.operands))
    return inner.operation.name == "sum" and (
        behind_views(inner.operands[0]).operation.name == "square"
    )


def _is_unit(context: Context, term: Term) -> bool:
    """v / ‖v‖"""
    inner = behind_views(term)
    if inner.operation.name == "normalize":
        return True
    if inner.operation.name != "div":
        return False
    over, under = inner.operands
    keys = {part.key for part in walk(under)}
    return _is_norm(context, under) and any(part.key in keys for part in (over, behind_views(over)))
