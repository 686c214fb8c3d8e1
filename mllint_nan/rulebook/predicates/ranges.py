"""Questions about the values that a term can take."""

from __future__ import annotations

import re
from math import sqrt
from typing import Final

from mllint_nan.domains.dtype import round_to
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.flow.relations import is_shift
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    INPUT,
    Term,
    behind_views,
    number_of,
    peel,
    signed_factors,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    has_inputs,
    kept,
    known,
    name_of,
    passed_for,
    predicate,
    proof,
)
from mllint_nan.rulebook.predicates.parameters import is_cut_by_constraint

EXP_LIMITS: Final = {"float16": 11.0, "bfloat16": 88.0, "float32": 88.0, "float64": 709.0}
A_FEW_DOZEN: Final = 4.16
"""The logarithm of 64, by which so many equal exponentials exceed one of them."""
_SHOWN: Final = -1e30
"""A number that is only known to be above one below this may be any."""
_SPREADS: Final = re.compile(r"(^|_)(scale|sigma|std|stddev|bandwidth|lengthscale)$")
"""Attributes that are positive in every object that is one; a rate or a temperature may be 0."""
_TEMPERATURES: Final = re.compile(r"(^|_)(temperature|temp|tau)$|^T$")
_COSINE_MOST: Final = 1.01
"""Cosines that were rounded are not above."""
_ROOT_ERROR: Final = 1e-5
_SATURATES: Final = {"float16": 4.0, "bfloat16": 4.0, "float32": 15.0, "float64": 30.0}


@proof
def can_be_zero(context: Context, x: Term) -> Truth:
    """0 ∈ γ(x): YES if it is attained."""
    return context.value(x).can_be(0.0)


@proof
def can_be_exactly_zero(context: Context, x: Term) -> Truth:
    """0 ∈ γ(x), and not only as the tail of a sigmoid, an exponential or the like."""
    if is_cut_by_constraint(context, x) is Truth.YES or context.is_brought(x, 0.0):
        return Truth.YES
    answer = can_be_zero(context, x)
    if answer is not Truth.YES:
        return answer
    return Truth.UNKNOWN if _is_tail(x) else Truth.YES


@predicate
def is_quadratic_form(context: Context, x: Term) -> Truth:
    """x is -c vᵀAv or -c v², the exponent of a Gaussian: not above 0.

    A is positive definite, and c is a number, or what the object keeps, which is made so.
    """
    inner = behind_views(x)
    if inner.operation.name != "mul":
        return Truth.NO
    if _is_negative_square(context, inner):
        return Truth.YES
    number = next((n for n in map(number_of, inner.operands) if n is not None), 0)
    forms = [behind_views(part) for part in inner.operands if number_of(part) is None]
    if number >= 0 or len(forms) != 1:
        return Truth.NO
    form = forms[0]
    if form.operation.name == "pow":
        form = behind_views(form.operands[0])
    if form.operation.name != "sum":
        return Truth.NO
    product = behind_views(form.operands[0])
    return known(
        product.operation.name == "mul"
        and any(behind_views(part).operation.name in ("matmul", "dot") for part in product.operands)
    )


def _is_negative_square(context: Context, product: Term) -> bool:
    """A square times numbers, and what the object keeps that is nowhere below 0, with a minus."""
    sign, factors = signed_factors(product, behind_views)
    others = [factor for factor in factors if factor.operation.name != "square"]
    return (
        sign < 0
        and len(others) < len(factors)
        and all(_is_kept_above_zero(context, factor) for factor in others)
    )


def _is_kept_above_zero(context: Context, attribute: Term) -> bool:
    """All that the object stores there, but `None`, is nowhere below 0."""
    stored = [part for part in map(behind_views, kept(context, attribute)) if not _is_none(part)]
    return bool(stored) and all(context.value(part).lo >= 0 for part in stored)


def _is_none(term: Term) -> bool:
    return term.operation is CONSTANT and term.detail is None


def _is_tail(x: Term) -> bool:
    inner = behind_views(x)
    if inner.operation.name in ("mul", "clip"):
        parts = [part for part in inner.operands if number_of(part) is None]
        return bool(parts) and all(map(_is_tail, parts))
    return inner.operation.name in ("sigmoid", "softplus", "softmax", "exp", "ndtr", "erfc")


@predicate
def is_bounded_above(context: Context, x: Term) -> Truth:
    """exp(x) cannot overflow in its dtype."""
    return _is_below(context, x, EXP_LIMITS[dtype_of(x)])


@predicate
def is_bounded_for_sum(context: Context, x: Term) -> Truth:
    """No sum of a few dozen of exp(x) can overflow in its dtype."""
    return _is_below(context, x, EXP_LIMITS[dtype_of(x)] - A_FEW_DOZEN)


def _is_below(context: Context, x: Term, limit: float) -> Truth:
    if context.value(x).hi <= limit or is_shift(x) or _is_clipped(x):
        return Truth.YES
    return known(_is_tempered(context, x, limit)).or_(Truth.UNKNOWN)


def _is_tempered(context: Context, x: Term, limit: float) -> bool:
    """A bounded number over a temperature that is not below its default, or a cosine over one."""
    inner = behind_views(x)
    if inner.operation.name != "div":
        return False
    above, temperature = inner.operands
    given = behind_views(temperature)
    if given.operation is ATTRIBUTE and _TEMPERATURES.search(str(given.detail)):
        return context.value(above).hi <= _COSINE_MOST and _is_set_once(context, given, limit)
    default = number_of(given.operands[0]) if given.operation is INPUT and given.operands else None
    return (
        default is not None
        and default > 0
        and context.value(above).hi / float(default) <= limit
        and not passed_for(context, given)
    )


def _is_set_once(context: Context, attribute: Term, limit: float) -> bool:
    """The object was given it, and no number below 1 / `limit`; what is learned may become any."""
    stored = [behind_views(part) for part in kept(context, attribute)]
    numbers = [number_of(o) for part in stored for o in (part, *part.operands)]
    return (
        bool(stored)
        and all(part.operation in (INPUT, ATTRIBUTE, CONSTANT) for part in stored)
        and all(number is None or number * limit >= 1 for number in numbers)
    )


@predicate
def is_shifted(context: Context, x: Term) -> Truth:
    """A maximum has been subtracted from x."""
    return known(is_shift(x))


def _is_clipped(x: Term) -> bool:
    """Some bound that the source does not show is put on x."""
    inner = behind_views(x)
    bound = inner.settings.get("max") if inner.operation.name == "clip" else None
    return bound is not None and has_inputs(bound)


@proof
def is_bounded_below(context: Context, x: Term) -> Truth:
    """exp(-x) cannot overflow in its dtype."""
    return Truth.YES if context.value(x).lo >= -EXP_LIMITS[dtype_of(x)] else Truth.UNKNOWN


@proof
def is_bounded(context: Context, x: Term) -> Truth:
    """x stays so close to 0 that no sigmoid or softmax of it rounds to 0."""
    value = context.value(x)
    limit = _SATURATES[dtype_of(x)]
    return Truth.YES if value.lo >= -limit and value.hi <= limit else Truth.UNKNOWN


@proof
def is_positive(context: Context, v: Term) -> Truth:
    """No value of v is 0 or below."""
    return Truth.YES if v is not None and context.value(v).lo > 0 else Truth.UNKNOWN


@predicate
def has_epsilon(context: Context, x: Term) -> Truth:
    """A small positive number is added to x, be it only where x is 0, or 1 to what is above -1."""
    return known(_is_raised(context, x, is_trusted=False))


@predicate
def is_meant_above_zero(context: Context, x: Term) -> Truth:
    """x has an epsilon, or 1 is added to what nothing shows to be as low as -1."""
    return known(_is_raised(context, x, is_trusted=True))


def _is_raised(context: Context, x: Term, *, is_trusted: bool) -> bool:
    """An epsilon is added, or 1 to what is above -1, or of which no bound is shown if trusted."""
    inner = behind_views(x)
    if inner.operation.name != "add":
        return False
    is_undone = context.value(inner).can_be(0.0) is Truth.YES
    parts = [context.value(part) for part in inner.operands]
    return (
        any(
            part.is_constant
            and 0 < part.lo <= 1
            and (part.lo < 1 or other.lo > -1 or (is_trusted and other.lo < _SHOWN))
            for part, other in zip(parts, reversed(parts), strict=True)
            if not is_undone
        )
        or any(
            is_epsilon_name(name_of(part)) and value.can_be(0.0) is not Truth.YES
            for part, value in zip(inner.operands, parts, strict=True)
        )
        or any(_is_epsilon_at_zero(part) for part in inner.operands)
    )


def is_small(context: Context, x: Term | None, most: float) -> bool:
    """x is a positive number up to `most`, a format's own epsilon, or called an epsilon."""
    if x is None:
        return False
    value = context.value(x)
    if value.is_constant:
        return 0 < value.lo <= most
    inner = behind_views(x)
    return inner.operation.name in ("finfo_eps", "finfo_tiny") or any(
        is_epsilon_name(name_of(part)) for part in (x, inner)
    )


def _is_epsilon_at_zero(term: Term) -> bool:
    """`(x == 0) * 1e-16`."""
    inner = peel(term)
    if inner.operation.name != "mul":
        return False
    numbers = [number_of(part) for part in inner.operands]
    tests = [behind_views(part) for part in inner.operands]
    return any(number is not None and 0 < number <= 1 for number in numbers) and any(
        test.operation.name == "eq" and any(number_of(part) == 0 for part in test.operands)
        for test in tests
    )


@predicate
def is_single_precision(context: Context, x: Term) -> Truth:
    """x is computed in float32, for which the proposed numbers are meant."""
    return known(dtype_of(context.occurrence.term) == "float32")


@predicate
def is_double_precision(context: Context, x: Term) -> Truth:
    """x is computed in float64, which no double among its operands widens."""
    return known(dtype_of(context.occurrence.term) == "float64")


@predicate
def is_no_half(context: Context, x: Term) -> Truth:
    """x is computed in float32 or float64, for which every library has its functions."""
    return known(dtype_of(x) in ("float32", "float64"))


@proof
def is_nonnegative(context: Context, x: Term) -> Truth:
    """No value of x is below 0."""
    return Truth.YES if context.value(x).lo >= 0 else Truth.UNKNOWN


@proof
def can_be_nonpositive(context: Context, x: Term) -> Truth:
    """Some value of x is at most 0; the condition of a `where` around it is the evidence."""
    return Truth.NO if context.value(x).lo > 0 else Truth.YES


@predicate
def is_unclamped(context: Context, x: Term) -> Truth:
    """x has no bounds yet that the source does not show: whoever set them has chosen them."""
    inner = behind_views(x)
    is_chosen = inner.operation.name == "clip" and any(map(has_inputs, inner.settings.values()))
    return known(not is_chosen)


@proof
def is_literal(context: Context, x: Term | None, number: float) -> Truth:
    """x is this number, as it is written."""
    written = number_of(x)
    return known(written is not None and written == number and not isinstance(written, bool))


@predicate
def may_be_zero(context: Context, x: Term) -> Truth:
    """0 is not excluded; the condition of a `where` around it is the evidence.

    It is none in a function that this file only passes scales of an object: 0 is for others.
    """
    if context.value(x).can_be(0.0) is Truth.NO:
        return Truth.NO
    return Truth.UNKNOWN if _is_only_passed_scales(context, x) else Truth.YES


def _is_only_passed_scales(context: Context, x: Term) -> bool:
    passed = [_unscaled(context, part) for part in passed_for(context, _unscaled(context, x))]
    return bool(passed) and all(
        part.operation is ATTRIBUTE and _SPREADS.search(str(part.detail)) for part in passed
    )


def _unscaled(context: Context, term: Term) -> Term:
    """What is multiplied by numbers alone."""
    inner = behind_views(term)
    while inner.operation.name == "mul":
        factors = [part for part in inner.operands if not context.value(part).is_constant]
        if len(factors) != 1:
            break
        inner = behind_views(factors[0])
    return inner


@proof
def can_leave_unit(context: Context, x: Term) -> Truth:
    """x is not confined to the inside of [-1, 1]."""
    value = context.value(x)
    return Truth.NO if value.lo > -1 and value.hi < 1 else Truth.YES


@proof
def can_reach_one(context: Context, p: Term) -> Truth:
    """p is not kept below 1."""
    value = context.value(p)
    return Truth.NO if value.can_be(1.0) is Truth.NO else Truth.YES


@proof
def can_be_one(context: Context, p: Term) -> Truth:
    """1 ∈ γ(p): YES if it is attained."""
    return context.value(p).can_be(1.0)


@proof
def can_be_minus_one(context: Context, x: Term) -> Truth:
    """-1 ∈ γ(x): YES if it is attained."""
    return context.value(x).can_be(-1.0)


def _by_default(x: Term | None) -> float | None:
    """`1 - eps` or `1 + eps` with the default value of a parameter `eps`."""
    if x is None:
        return None
    inner = peel(x)
    if inner.operation.name not in ("sub", "add") or number_of(inner.operands[0]) != 1:
        return None
    parameter = peel(inner.operands[1])
    if parameter.operation is not INPUT or not parameter.operands:
        return None
    default = number_of(parameter.operands[0])
    if default is None:
        return None
    return 1.0 - default if inner.operation.name == "sub" else 1.0 + default


@predicate
def is_absorbed(context: Context, x: Term | None) -> Truth:
    """x is a literal that is not 1, but 1 once rounded to the dtype of the code around it."""
    written = number_of(x)
    number = written if written is not None else _by_default(x)
    if number is None or number == 1:
        return Truth.NO
    dtype = dtype_of(context.occurrence.term)
    if round_to(float(number), dtype) != 1.0:
        return Truth.NO
    return Truth.YES if written is not None else Truth.UNKNOWN  # callers may pass another


@predicate
def is_absorbed_by_one(context: Context, e: Term) -> Truth:
    """1 + e rounds to 1."""
    number = number_of(e)
    if number is None:
        return Truth.NO
    dtype = dtype_of(context.occurrence.term)
    return known(number != 0 and round_to(1.0 + float(number), dtype) == 1.0)


@proof
def is_number(context: Context, x: Term) -> Truth:
    """x is made of literals alone."""
    return known(x is not None and not has_inputs(x))


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


@predicate
def is_root_of_two(context: Context, s: Term) -> Truth:
    """s is the root of 2, to single precision."""
    value = context.value(s)
    root = sqrt(2.0)
    return known(abs(value.lo - root) < _ROOT_ERROR and abs(value.hi - root) < _ROOT_ERROR)
