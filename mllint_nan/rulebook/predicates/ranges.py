"""Questions about the values that a term can take."""

from __future__ import annotations

from math import isinf
from typing import Final

from mllint_nan.domains.dtype import round_to
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.extrema import is_shift
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.flow.rows import rows_added_up
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
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.asserted import is_kept_from_zero
from mllint_nan.rulebook.predicates.complements import adds_complements
from mllint_nan.rulebook.predicates.context import (
    Context,
    has_inputs,
    kept,
    known,
    name_of,
    passed_for,
    predicate,
    tells,
)
from mllint_nan.rulebook.predicates.exponents import meant_range
from mllint_nan.rulebook.predicates.floors import as_made, is_mixture, is_square_of_setting
from mllint_nan.rulebook.predicates.initial_values import is_initial_value
from mllint_nan.rulebook.predicates.kernels import are_rows_far
from mllint_nan.rulebook.predicates.members import Guard, Role, Zero
from mllint_nan.rulebook.predicates.parameters import is_cut_by_constraint
from mllint_nan.rulebook.predicates.powers_of_shares import is_over_own_maximum, is_power
from mllint_nan.rulebook.predicates.vanishing import is_of_rectified_layer
from mllint_nan.rulebook.predicates.zero_starts import starts_at_zero

EXP_LIMITS: Final = {
    "float16": 11.0899,
    "bfloat16": 88.7,
    "float32": 88.72285,
    "float64": 709.78272,
}
"""The logarithm of the largest number, up to its rounding."""
A_FEW_DOZEN: Final = 4.16
"""The logarithm of 64: by so much, the log of a sum of 64 equal exponentials exceeds each
exponent."""
_SHOWN: Final = -1e30
"""A value whose only known lower bound is below this can be any number."""
_SPREADS: Final = names("positive_attribute")
_TEMPERATURES: Final = names("temperature")
_COSINE_MOST: Final = 1.01
"""Rounded cosines are not above this."""


@tells(Zero.EXACTLY, is_proof=True)
def can_be_exactly_zero(context: Context, x: Term) -> Truth:
    """0 ∈ γ(x), and not only by the underflow of a sigmoid, an exponential or the like.

    For a parameter, what calls in the same file pass also counts.
    """
    if is_cut_by_constraint(context, x) is Truth.YES or context.is_brought(x, 0.0):
        return Truth.YES
    answer = context.value(x).can_be(0.0)
    if answer is Truth.NO:
        return Truth.NO
    inner = behind_views(x)
    given = passed_for(context, inner) if inner.operation is INPUT else []
    is_evident = any(_is_attained(context, part) for part in (x, *given))
    return known(is_evident).or_(Truth.UNKNOWN)


def _is_attained(context: Context, x: Term) -> bool:
    inner = behind_views(x)
    if rows_added_up(inner) is not None:
        return are_rows_far(inner)
    if is_kept_from_zero(context, inner):
        return False
    if context.value(x).can_be(0.0) is Truth.YES and not _is_tail(x):
        return True
    return is_of_rectified_layer(context, inner) or starts_at_zero(context, inner)


@tells(Role.QUADRATIC)
def is_quadratic_form(context: Context, x: Term) -> Truth:
    """x is -c vᵀAv or -c v², the exponent of a Gaussian, which is never positive.

    A is positive definite, and c is a number, or an attribute that the object makes so.
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
    """Whether a product is minus a square, times numbers and an object's nonnegative attributes."""
    sign, factors = signed_factors(product, behind_views)
    others = [factor for factor in factors if factor.operation.name != "square"]
    return (
        sign < 0
        and len(others) < len(factors)
        and all(_is_kept_above_zero(context, factor) for factor in others)
    )


def _is_kept_above_zero(context: Context, attribute: Term) -> bool:
    """Whether all that the object stores in an attribute, except `None`, is nowhere below 0."""
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


@tells(Guard.BOUND)
def is_bounded_above(context: Context, x: Term) -> Truth:
    """exp(x) cannot overflow in its dtype."""
    return _is_below(context, x, EXP_LIMITS[dtype_of(x)])


def is_bounded_for_sum(context: Context, x: Term) -> Truth:
    """Whether no sum of a few dozen exp(x) can overflow in its dtype."""
    return _is_below(context, x, EXP_LIMITS[dtype_of(x)] - A_FEW_DOZEN)


def _is_below(context: Context, x: Term, limit: float) -> Truth:
    if context.value(x).hi <= limit or is_shift(x) or _is_clipped(x):
        return Truth.YES
    is_meant = meant_range(context, x).hi <= limit or is_initial_value(context, x)
    is_formed = is_power(context, x) or is_over_own_maximum(context, x)
    return known(is_meant or is_formed or _is_tempered(context, x, limit)).or_(Truth.UNKNOWN)


def _is_tempered(context: Context, x: Term, limit: float) -> bool:
    """Whether x is a bounded number over a default temperature, or a cosine over a temperature."""
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
    """Whether the object stores only inputs and numbers there, and no number below 1 / `limit`.

    An attribute that is learned may take any value.
    """
    stored = [behind_views(part) for part in kept(context, attribute)]
    numbers = [number_of(o) for part in stored for o in (part, *part.operands)]
    return (
        bool(stored)
        and all(part.operation in (INPUT, ATTRIBUTE, CONSTANT) for part in stored)
        and all(number is None or number * limit >= 1 for number in numbers)
    )


def _is_clipped(x: Term) -> bool:
    """Whether x is clipped from above at a bound that the source does not show."""
    inner = behind_views(x)
    bound = inner.settings.get("max") if inner.operation.name == "clip" else None
    return bound is not None and has_inputs(bound)


@tells(Guard.EPSILON)
def has_epsilon(context: Context, x: Term) -> Truth:
    """x has an epsilon added, possibly only where it is 0, or 1 added to a value above -1.

    A mixture with a uniform share counts too.
    """
    is_mixed = all(is_mixture(context, one) for one in as_made(context, x))
    return known(_is_raised(context, x, is_trusted=False) or is_mixed)


@tells(Guard.OFFSET)
def is_meant_above_zero(context: Context, x: Term) -> Truth:
    """x has an epsilon added, or 1 added to a value that nothing shows to reach -1.

    A share of such a value counts too, and an attribute that is set to nothing else, and a mixture
    with a uniform share.
    """
    made = as_made(context, x)
    return known(
        all(_is_raised(context, one, is_trusted=True) or is_mixture(context, one) for one in made)
    )


def _is_raised(context: Context, x: Term, *, is_trusted: bool) -> bool:
    """Whether an epsilon is added, or 1 to what is above -1 or, if trusted, has no known bound."""
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
        or any(
            _is_epsilon_at_zero(part) or is_square_of_setting(context, part)
            for part in inner.operands
        )
    )


def is_small(context: Context, x: Term | None, most: float) -> Truth:
    """Whether x is a positive number up to `most`, also as a default, or a format's epsilon.

    UNKNOWN if only its name is that of an epsilon.
    """
    if x is None:
        return Truth.NO
    value = context.value(x)
    if value.is_constant:
        return known(0 < value.lo <= most)
    inner = behind_views(x)
    default = number_of(inner.operands[0]) if inner.operation is INPUT and inner.operands else None
    if default is not None or inner.operation.name in ("finfo_eps", "finfo_tiny"):
        return known(default is None or 0 < default <= most)
    is_named = any(is_epsilon_name(name_of(part)) for part in (x, inner))
    return Truth.UNKNOWN if is_named else Truth.NO


def _is_epsilon_at_zero(term: Term) -> bool:
    """Whether a term is `(x == 0) * 1e-16` or the like."""
    inner = peel(term)
    if inner.operation.name != "mul":
        return False
    numbers = [number_of(part) for part in inner.operands]
    tests = [behind_views(part) for part in inner.operands]
    return any(number is not None and 0 < number <= 1 for number in numbers) and any(
        test.operation.name == "eq" and any(number_of(part) == 0 for part in test.operands)
        for test in tests
    )


@tells(Guard.CHOSEN)
def has_chosen_bound(context: Context, x: Term) -> Truth:
    """x is clipped to bounds that the source does not show: whoever set them chose them."""
    inner = behind_views(x)
    return known(inner.operation.name == "clip" and any(map(has_inputs, inner.settings.values())))


@tells(Zero.POSSIBLY)
def may_be_zero(context: Context, x: Term) -> Truth:
    """Nothing excludes that x is 0; the condition of a `where` around it is the evidence.

    It is no evidence in a function that this file only calls with the scales of an object: the 0 is
    for other callers. What a mask counts and what it leaves out add up to the size of the batch.
    """
    if context.oracle.excludes(x, 0.0, context.facts) or adds_complements(context, x):
        return Truth.NO
    return Truth.UNKNOWN if _is_only_passed_scales(context, x) else Truth.YES


def _is_only_passed_scales(context: Context, x: Term) -> bool:
    passed = [_unscaled(context, part) for part in passed_for(context, _unscaled(context, x))]
    return bool(passed) and all(
        part.operation is ATTRIBUTE and _SPREADS.search(str(part.detail)) for part in passed
    )


def _unscaled(context: Context, term: Term) -> Term:
    """The term without its constant factors."""
    inner = behind_views(term)
    while inner.operation.name == "mul":
        factors = [part for part in inner.operands if not context.value(part).is_constant]
        if len(factors) != 1:
            break
        inner = behind_views(factors[0])
    return inner


@predicate
def is_computed_in(context: Context, x: Term, formats: str) -> Truth:
    """x is computed in formats, for which the proposed numbers and functions are chosen."""
    return known(dtype_of(x) in formats.split())


@predicate
def is_epsilon(context: Context, e: Term | None, most: float) -> Truth:
    """e is a positive number up to most, also by default; UNKNOWN if only its name says so."""
    return is_small(context, e, most)


@predicate
def rounds_to(context: Context, c: Term | None, number: str | float, dtype: str) -> Truth:
    """c rounds to number (format: dtype); UNKNOWN for a default.

    The format is that of the code around it where dtype is "own".
    """
    # In the code's own format, no number may stand in for an array.
    given, is_written = _given(c if c is None or dtype == "own" else behind_views(c))
    wanted = float(number)
    if given is None or given == wanted or (wanted == 0 and given < 0) or isinf(given):
        return Truth.NO
    format = dtype_of(context.occurrence.term) if dtype == "own" else dtype
    rounded = round_to(float(given), format)
    if (abs(rounded) if isinf(wanted) else rounded) != wanted:
        return Truth.NO
    return Truth.YES if is_written else Truth.UNKNOWN  # callers may pass another


def _given(term: Term | None) -> tuple[float | None, bool]:
    """The number that a term is, or is by default, and whether it is written in place.

    The term may also be `1 - eps` or `1 + eps` of a parameter with a default.
    """
    if term is None:
        return None, True
    inner = peel(term)
    number = number_of(inner)
    if number is not None:
        return float(number), True
    sign = {"sub": -1.0, "add": 1.0}.get(inner.operation.name)
    if sign is None or number_of(inner.operands[0]) != 1:
        default = _default(inner)
        return default, False
    default = _default(peel(inner.operands[1]))
    return (None if default is None else 1.0 + sign * default), False


def _default(parameter: Term) -> float | None:
    """The default of a parameter, if that is a number."""
    if parameter.operation is not INPUT or not parameter.operands:
        return None
    number = number_of(parameter.operands[0])
    return None if number is None else float(number)


@tells(Role.ABSORBED)
def is_absorbed_by_one(context: Context, e: Term) -> Truth:
    """1 + e rounds to 1."""
    number = number_of(e)
    if number is None:
        return Truth.NO
    dtype = dtype_of(context.occurrence.term)
    return known(number != 0 and round_to(1.0 + float(number), dtype) == 1.0)
