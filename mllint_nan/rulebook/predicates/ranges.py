"""Questions about the values that a term can take."""

from __future__ import annotations

from mllint_nan.domains.dtype import round_to
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.oracle import dtype_of, is_shift
from mllint_nan.ir.term import (
    Term,
    number_of,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    has_inputs,
    known,
    predicate,
)


@predicate
def can_be_zero(context: Context, x: Term) -> Truth:
    """0 ∈ γ(x): YES if it is attained."""
    return context.value(x).can_be(0.0)


@predicate
def is_bounded_above(context: Context, x: Term) -> Truth:
    """exp(x) cannot overflow in its dtype."""
    limit = 11.0 if dtype_of(x) == "float16" else 88.0
    return Truth.YES if context.value(x).hi <= limit or is_shift(x) else Truth.UNKNOWN


@predicate
def is_bounded_below(context: Context, x: Term) -> Truth:
    """exp(-x) cannot overflow in its dtype."""
    limit = 11.0 if dtype_of(x) == "float16" else 88.0
    return Truth.YES if context.value(x).lo >= -limit else Truth.UNKNOWN


@predicate
def is_nonnegative(context: Context, x: Term) -> Truth:
    """No value of x is below 0."""
    return Truth.YES if context.value(x).lo >= 0 else Truth.UNKNOWN


@predicate
def can_be_nonpositive(context: Context, x: Term) -> Truth:
    """Some value of x is at most 0; the condition of a `where` around it is the evidence."""
    return Truth.NO if context.value(x).lo > 0 else Truth.YES


@predicate
def may_be_zero(context: Context, x: Term) -> Truth:
    """0 is not excluded; the condition of a `where` around it is the evidence."""
    return Truth.NO if context.value(x).can_be(0.0) is Truth.NO else Truth.YES


@predicate
def can_leave_unit(context: Context, x: Term) -> Truth:
    """x is not confined to the inside of [-1, 1]."""
    value = context.value(x)
    return Truth.NO if value.lo > -1 and value.hi < 1 else Truth.YES


@predicate
def can_reach_one(context: Context, p: Term) -> Truth:
    """p is not kept below 1."""
    value = context.value(p)
    return Truth.NO if value.can_be(1.0) is Truth.NO else Truth.YES


@predicate
def can_be_one(context: Context, p: Term) -> Truth:
    """1 ∈ γ(p): YES if it is attained."""
    return context.value(p).can_be(1.0)


@predicate
def is_absorbed(context: Context, x: Term) -> Truth:
    """x is a literal that is not 1, but 1 once rounded to the dtype of the code around it."""
    number = number_of(x)
    if number is None or number == 1:
        return Truth.NO
    dtype = dtype_of(context.occurrence.term)
    return Truth.YES if round_to(float(number), dtype) == 1.0 else Truth.NO


@predicate
def is_absorbed_by_one(context: Context, e: Term) -> Truth:
    """1 + e rounds to 1."""
    number = number_of(e)
    if number is None:
        return Truth.NO
    dtype = dtype_of(context.occurrence.term)
    return known(number != 0 and round_to(1.0 + float(number), dtype) == 1.0)


@predicate
def is_number(context: Context, x: Term) -> Truth:
    """x is made of literals alone."""
    return known(not has_inputs(x))


@predicate
def is_singular_power(context: Context, q: Term) -> Truth:
    """x**q or its derivative is singular at 0, or NaN below it."""
    number = number_of(q)
    if number is None:
        return Truth.UNKNOWN
    return known(number < 0 or (number < 1 and number != 0))


@predicate
def is_small_rest(context: Context, name: str) -> Truth:
    """The summands left over are one small positive number."""
    parts = [number_of(part) for _, part in context.found.rest.get(name, ())]
    return known(len(parts) == 1 and parts[0] is not None and 0 < parts[0] < 0.1)
