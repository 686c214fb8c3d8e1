"""Bounds that intervals lose if operands are related: `x - max(x)`, `a / (a + b)`, and so on.

Each rule recognizes terms symbolically and bounds them, as rewriting before evaluation does:
Miné, "Symbolic methods to enhance the precision of numerical abstract domains" (VMCAI 2006).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from mllint_nan.domains.call import COUNT
from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.transfer import transfer
from mllint_nan.domains.value import Value
from mllint_nan.flow.clamps import FILLED
from mllint_nan.flow.eigenvalues import largest
from mllint_nan.flow.elements import behind_shapes, elements_of
from mllint_nan.flow.extrema import axis_key, extremum_of, met_by, shift_of
from mllint_nan.flow.factors import on_diagonal
from mllint_nan.flow.fixed_positions import less_own_element, without_ends
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.implications import EVERYTHING
from mllint_nan.flow.inner_products import distances_of_pairs
from mllint_nan.flow.joined_parts import of_some_part
from mllint_nan.flow.mixtures import of_distributions, of_label
from mllint_nan.flow.named_values import DECAY_NAMES, SCALE_NAMES, is_epsilon_name
from mllint_nan.flow.pairs import of_pairs, off_diagonal
from mllint_nan.flow.projections import UNIT, product
from mllint_nan.flow.replaced_totals import is_chosen_by_total, is_replaced_at_zero
from mllint_nan.flow.rows import across_rows, share_so_far
from mllint_nan.flow.softmax_by_hand import is_saturated_softmax
from mllint_nan.flow.unit_vectors import are_cosines
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    REFERENCE,
    Term,
    behind_views,
    number_of,
    peel,
    signed_factors,
    summands_of,
)

_NOWHERE: Final = frozenset[float]()

_ONE: Final = frozenset((1.0,))
_ZEROS: Final = frozenset((0.0,))
_SCATTERED: Final = frozenset(
    ("call tensorflow.scatter_nd", "call tensorflow.compat.v1.scatter_nd")
)
"""Calls that write values, their second argument, into zeros."""
_LEAST: Final = math.ulp(0.0)
_BOTH: Final = frozenset((0.0, 1.0))
_BELOW: Final = Value(Interval(-INF, 0.0), nan=True, attained=frozenset({0.0}))
_ABOVE: Final = Value(Interval(0.0, INF), nan=True, attained=frozenset({0.0}))


def _difference(term: Term, ask: Callable[[Term], Value]) -> Value | None:
    left, right = term.operands
    own = less_own_element(term)
    if own is not None:
        return own
    subtracted, reduced = extremum_of(right, left), extremum_of(left, right)
    if subtracted is not None:  # x - max(x) ≤ 0, and 0 at the maximum
        return _BELOW if subtracted.operation.name == "max" else _ABOVE
    if reduced is not None:
        return _ABOVE if reduced.operation.name == "max" else _BELOW
    first = peel(left)
    while first.operation.kind == "view" and first.operands:
        first = peel(first.operands[0])
    if first.operation.name in ("max", "min"):
        other = extremum_of(right, first.operands[0])
        if other is not None and other.operation is not first.operation:
            return _ABOVE if first.operation.name == "max" else _BELOW
    if _is_variance(peel(left), peel(right)):
        # For equal elements it is 0, or slightly less by rounding.
        least = FORMATS[dtype_of(term)].eps
        return Value(EVERYTHING.interval, nan=True, attained=frozenset({0.0, -least}))
    if number_of(left) == 1 and peel(right).operation.name == "square":
        bounded = ask(right)
        if bounded.hi > 1 and _may_be_cosine(
            peel(right).operands[0]
        ):  # 1 - c**2 is written for cosines: c = ±1 can happen
            return Value(Interval(-INF, 1.0), attained=frozenset({0.0}), free=True)
    return of_pairs(left, right) or distances_of_pairs(term)


def _is_variance(left: Term, right: Term) -> bool:
    """Whether a difference is mean(x**2) - mean(x)**2."""
    if left.operation is OPAQUE:
        return _is_variance_of_calls(left, right)
    if left.operation.name != "mean" or right.operation.name != "square":
        return False
    squares, mean = peel(left.operands[0]), peel(right.operands[0])
    return (
        squares.operation.name == "square"
        and mean.operation.name == "mean"
        and behind_shapes(squares.operands[0]).key == behind_shapes(mean.operands[0]).key
        and axis_key(left) == axis_key(mean)
    )


def _is_variance_of_calls(left: Term, right: Term) -> bool:
    """Whether a variance is by pooling or convolution: `pool(x * x) - pool(x) ** 2`."""
    if right.operation.name not in ("square", "mul") or not str(left.detail).startswith("call "):
        return False
    means = [peel(part) for part in right.operands]
    mean = means[0]
    if any(part.key != mean.key for part in means) or mean.detail != left.detail:
        return False
    pairs = list(zip(left.operands, mean.operands, strict=False))
    different = [pair for pair in pairs if pair[0].key != pair[1].key]
    if len(left.operands) != len(mean.operands) or len(different) != 1:
        return False
    squares, averaged = map(peel, different[0])
    return squares.operation.name == "square" and peel(squares.operands[0]).key == averaged.key


def _may_be_cosine(term: Term) -> bool:
    """Whether a term may be a cosine: no decay, and no call's result without a fitting name."""
    inner = peel(term)
    while inner.operation.kind == "view" and inner.operands:
        inner = peel(inner.operands[0])
    if inner.operation is INPUT:
        return not DECAY_NAMES.search(str(inner.detail))
    return inner.operation is not OPAQUE


def _sum(term: Term, ask: Callable[[Term], Value]) -> Value | None:
    inner = peel(term.operands[0])
    while inner.operation.kind == "view" and inner.operation.name in ("collect", "identity"):
        inner = peel(inner.operands[0])
    if inner.operation.name == "exp":
        maximum = shift_of(inner.operands[0])
        if maximum is not None and axis_key(term) in (None, axis_key(maximum)):
            return Value(Interval(1.0, INF), nan=True, attained=frozenset({1.0}))
    if inner.operation.name == "softmax":
        if axis_key(term) is None:
            return Value(Interval(0.99, INF), nan=True)
        if axis_key(term) == axis_key(inner):
            return Value(Interval(0.99, 1.01), nan=True)
    if inner.operation.name == "mul":
        if are_cosines(term, ask):
            return UNIT
        return _picked(inner, ask) or _form(inner, ask)
    if is_chosen_by_total(inner, axis_key(term)) and ask(inner.operands[2]).lo > 0:
        return Value(Interval(_LEAST, INF), nan=True)
    if inner.operation is CHOICE and is_replaced_at_zero(inner, axis_key(term), ask):
        return Value(nan=True, nonzero=True)
    if axis_key(term) is None and _holds_first_power(inner, ask):
        return Value(Interval(1.0, INF), nan=True)
    extremum = met_by(inner)
    if extremum is not None and axis_key(term) in (None, axis_key(extremum)):
        return Value(Interval(1.0, INF), nan=True, attained=_ONE)
    return across_rows(term, ask)


def _form(product: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of Σ x (x A), summed along an axis: it is 0 where x is."""
    for x, image in (product.operands, product.operands[::-1]):
        inner = behind_views(image)
        if inner.operation.name in ("matmul", "dot") and any(
            behind_views(part).key == behind_views(x).key for part in inner.operands
        ):
            known = ask(x)
            is_any = known.free and peel(x).operation is not ATTRIBUTE
            return Value(known.interval, nan=True, attained=frozenset({0.0})) if is_any else None
    return None


def _picked(product: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of Σ p·h for a one-hot h, an element of p: 0 where that is."""
    for picked, selector in (product.operands, product.operands[::-1]):
        if is_one_hot(selector) and 0.0 in ask(picked).attained:
            return Value(EVERYTHING.interval, nan=True, attained=_ZEROS)
    return None


def is_one_hot(term: Term) -> bool:
    """Whether a term is an array of zeros in which ones were set at given places.

    They may be set by any means, and the array may have been reshaped.
    """
    inner = behind_views(term)
    if inner.operation.name in ("one_hot", "eye"):
        return True
    if inner.operation is not OPAQUE or len(inner.operands) < 2:
        return False
    if inner.detail == "update":
        container, *written = inner.operands
        return len(written) == 1 and _is_filled(container, 0.0) and _is_filled(written[0], 1.0)
    return str(inner.detail) in _SCATTERED and _is_filled(inner.operands[2], 1.0)


def _is_filled(term: Term, number: float) -> bool:
    """Whether each element is this number; for 0, ones may have been set in the array before."""
    inner = behind_views(term)
    if number == 0.0 and is_one_hot(inner):
        return True
    if inner.operation.name in ("full", "full_like"):
        return number_of(inner.settings.get("value")) == number
    return number_of(inner) == number or FILLED.get(inner.operation.name) == number


def _is_divided_by_length(numerator: Term, parts: list[Term], ask: Callable[[Term], Value]) -> bool:
    """Whether a quotient is x / (norm(x) + c) or x / (abs(x) + c), for a c never below 0."""
    lengths = [
        part
        for part in map(behind_views, parts)
        if part.operation.name in ("norm", "abs")
        and part.operands[0].key == numerator.key
        and _is_euclidean(part)
    ]
    return bool(lengths) and all(ask(part).lo >= 0 for part in parts)


def _is_euclidean(norm: Term) -> bool:
    order = norm.settings.get("ord")
    return order is None or number_of(order) == 2


def _mean(term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of a mean: that of the sum, divided by the number of elements."""
    summed = _sum(term, ask)
    if summed is None or dtype_of(term) == "float16":
        return None
    if summed.lo == 0.0:
        return summed
    return Value(Interval(summed.lo / COUNT, INF), nan=True)


def _norm(term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the norm of a sum or mean of unit vectors: if never below 0, they do not cancel."""
    unit, axis = _summed(term.operands[0]), term.settings.get("axis")
    if unit is None or unit.operation.name != "div" or not _is_euclidean(term):
        return None
    numerator, divisor = unit.operands
    length = behind_shapes(divisor)
    is_whole = axis is None or (number_of(axis) == -1 and axis_key(length) == axis.key)
    if not is_whole or not _is_divided_by_length(numerator, [length], ask):
        return None
    if ask(numerator).lo < 0 or dtype_of(term) == "float16":
        return None
    return Value(Interval(0.5 / COUNT, INF), nan=True)


def _quotient(term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of a quotient: a / (a + b) for a, b ≥ 0 is in [0, 1], and 1 where b is 0.

    Of others, the sign may be known. A zero divisor is taken for +0: sums of squares and counts
    have no other.
    """
    numerator, denominator = term.operands
    above, below = ask(numerator), ask(denominator)
    parts = summands_of(denominator)
    rest = _left_over(parts, summands_of(numerator))
    attained = scattered = frozenset[float]()
    if is_saturated_softmax(term, ask):
        attained = scattered = _BOTH
    elif is_logistic(term):
        attained = _BOTH if ask(_exponent_of(term)).free else attained
    elif rest is None:
        attained = _ONE if _is_overlap(numerator, parts, ask) else attained
    elif rest and all(0.0 in ask(part).attained for part in rest):
        attained = _ONE
    # With more summands, another order of addition may round the part above the whole.
    is_share = above.lo >= 0 and rest is not None and len(parts) - len(rest) <= 2
    is_share = is_share or (above.lo >= 0 and any(_has_part(part, numerator) for part in parts))
    if is_share and all(ask(part).lo >= 0 for part in parts):
        return Value(Interval(0.0, 1.0), nan=True, attained=attained, scattered=scattered)
    if _is_divided_by_length(numerator, parts, ask):
        return UNIT
    if below.lo >= 0 and above.hi <= 0:
        return Value(Interval(-INF, 0.0), nan=True)
    if below.lo >= 0 and above.lo >= 0:
        return Value(Interval(0.0, INF), nan=True, attained=attained)
    return Value(EVERYTHING.interval, nan=True, attained=attained) if attained else None


def _left_over(whole: list[Term], parts: list[Term]) -> list[Term] | None:
    """Return the summands of `whole` without `parts`; None unless these are all among them."""
    rest = list(whole)
    for part in parts:
        number = number_of(part)
        for place, summand in enumerate(rest):
            same = behind_shapes(summand).key == behind_shapes(part).key
            if same or (number is not None and number == number_of(summand)):
                del rest[place]
                break
        else:
            return None
    return rest


def is_logistic(term: Term) -> bool:
    """Whether a term is 1 / (1 + exp(x)), a sigmoid by its formula."""
    inner = peel(term)
    if inner.operation.name != "div" or number_of(inner.operands[0]) != 1:
        return False
    parts = summands_of(inner.operands[1])
    exponentials = [part for part in parts if part.operation.name == "exp"]
    return len(parts) == 2 and len(exponentials) == 1 and 1 in map(number_of, parts)


def _exponent_of(logistic: Term) -> Term:
    parts = summands_of(peel(logistic).operands[1])
    return next(part.operands[0] for part in parts if part.operation.name == "exp")


def _is_overlap(numerator: Term, parts: list[Term], ask: Callable[[Term], Value]) -> bool:
    """Whether a quotient is 2 Σ p·t / (Σ p + Σ t), smoothed or not, which is 1 for t = p = 1."""
    above = [part for part in summands_of(numerator) if number_of(part) is None]
    if len(above) != 1 or above[0].operation.name != "mul":
        return False
    if 2 not in map(number_of, above[0].operands):
        return False
    products = [_summed(part) for part in above[0].operands if number_of(part) is None]
    if len(products) != 1 or products[0] is None or products[0].operation.name != "mul":
        return False
    compared = {behind_shapes(operand).key for operand in products[0].operands}
    below = set[int]()
    for part in parts:
        if number_of(part) is not None or is_epsilon_name(str(part.detail)):
            continue
        summed = _summed(part)
        if summed is None:
            return False
        for summand in summands_of(summed):
            base = summand.operands[0] if summand.operation.name == "square" else summand
            below.add(behind_shapes(base).key)
    saturated = any(1.0 in ask(operand).attained for operand in products[0].operands)
    return below == compared and saturated


def _holds_first_power(term: Term, ask: Callable[[Term], Value]) -> bool:
    """Whether a term is `abs(a ** arange(n))`: never below 0, and first 1, whatever a is."""
    inner = behind_shapes(term)
    power = behind_shapes(inner.operands[0]) if inner.operation.name == "abs" else inner
    if power.operation.name != "pow":
        return False
    exponents = behind_shapes(power.operands[1])
    start = exponents.settings.get("start")
    counts = exponents.operation.name == "arange" and (start is None or number_of(start) == 0)
    return counts and (power is not inner or ask(power).lo >= 0.0)


def _summed(term: Term) -> Term | None:
    """The operand of a sum or a mean, else `None`."""
    inner = behind_shapes(term)
    return behind_shapes(inner.operands[0]) if inner.operation.name in ("sum", "mean") else None


def _has_part(whole: Term, part: Term) -> bool:
    """Whether `whole` is `part`, or the sum or maximum of its elements, in any shape."""
    inner = behind_shapes(whole)
    if inner.operation.name in ("sum", "max"):
        inner = behind_shapes(inner.operands[0])
    return _once(part).key in (behind_shapes(whole).key, inner.key)


def _once(term: Term) -> Term:
    """The term without a factor of 1."""
    inner = behind_shapes(term)
    if inner.operation.name == "mul" and 1 in map(number_of, inner.operands):
        first, second = inner.operands
        return behind_shapes(second if number_of(first) == 1 else first)
    return inner


def _sum_of_two(term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of a sum of two terms: x**2 + y**2 attains 0 where both parts do."""
    if _is_union_so_far(term, ask):
        return Value(Interval(1.0, INF), nan=True)
    known = of_label(term, ask) or of_distributions(term, ask) or distances_of_pairs(term)
    if known is not None:
        return known
    for operand in term.operands:
        for part in (operand, *peel(operand).operands):
            inner = peel(part)
            # A square of a setting, a scale or a quotient is no evidence of a 0.
            is_kept = inner.operation is ATTRIBUTE and inner.detail not in ("real", "imag")
            if is_kept or inner.operation.name == "div":
                return None
            if part.operation is REFERENCE and SCALE_NAMES.search(str(part.detail)):
                return None
    parts = [ask(operand) for operand in term.operands]
    if all(part.lo >= 0 and 0.0 in part.attained for part in parts):
        return Value(Interval(0.0, INF), attained=frozenset({0.0}), nan=True)
    return None


def _is_union_so_far(term: Term, ask: Callable[[Term], Value]) -> bool:
    """Whether a sum is sum(y) + cumsum(1 - y): after k elements, k plus the later ones of y."""
    for total, running in (term.operands, term.operands[::-1]):
        summed, added = behind_views(total), behind_views(running)
        if summed.operation.name != "sum" or added.operation.name != "cumsum":
            continue
        if "axis" in summed.settings and axis_key(summed) != axis_key(added):
            continue
        rest = elements_of(added.operands[0])
        if rest.operation.name != "sub" or number_of(rest.operands[0]) != 1:
            continue
        counted = elements_of(summed.operands[0])
        if elements_of(rest.operands[1]).key == counted.key and ask(counted).lo >= 0:
            return True
    return False


def _magnitude(term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of abs(x + c) or (x + c)**2: only exact cancellation, not shown, makes 0."""
    inner = peel(term.operands[0])
    if inner.operation.name not in ("add", "sub") or all(
        not ask(operand).is_constant and not is_epsilon_name(str(peel(operand).detail))
        for operand in inner.operands
    ):
        return None
    result = transfer(term.operation, [ask(inner)], {}, dtype_of(term))
    return replace(result, attained=_NOWHERE, scattered=_NOWHERE, free=False)


def _selected(part: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of some elements.

    Of a grid without its ends, of pairs of different rows, or of the largest eigenvalues.
    """
    known = on_diagonal(part) or off_diagonal(part, ask) or of_some_part(part, ask)
    return known or without_ends(part, ask) or largest(part, ask)


def _diagonal(part: Term, ask: Callable[[Term], Value]) -> Value | None:
    return on_diagonal(part)


def _even_product(term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of c · x · x · y · y: it has the sign of c."""
    sign, factors = signed_factors(term)
    if any(count % 2 for count in Counter(factor.key for factor in factors).values()):
        return None
    return Value(Interval(0.0, INF) if sign > 0 else Interval(-INF, 0.0), nan=True)


EXACT_RELATIONS: Final = frozenset(
    ("where", "boolean_mask", "subscript", "gather", "element", "abs", "square", "size", "shape")
)
"""The operations whose relation replaces the transfer function, instead of meeting its result."""
RELATIONS: Final[Mapping[str, Callable[[Term, Callable[[Term], Value]], Value | None]]] = {
    "sub": _difference,
    "sum": _sum,
    "cumsum": share_so_far,
    "subscript": _selected,
    "boolean_mask": off_diagonal,
    "diagonal": _diagonal,
    "mean": _mean,
    "norm": _norm,
    "div": _quotient,
    "add": _sum_of_two,
    "abs": _magnitude,
    "square": _magnitude,
    "matmul": product,
    "dot": product,
    "einsum": product,
    "mul": _even_product,
}
