"""Ranges of exponents under the assumption that scales such as widths are positive.

The exponent of a Gaussian kernel is minus a square over a width. Nothing excludes a negative width,
except that no one sets one. So these ranges are evidence, and no proof: computed and trained values
keep their ranges, and a value that is set once and only scales a magnitude is taken to be positive.
"""

from __future__ import annotations

import re
from functools import reduce
from math import inf
from typing import Final

from mllint_nan.domains.interval import NON_NEGATIVE, TOP, Interval, corners, point
from mllint_nan.flow.containers import is_none
from mllint_nan.flow.unit_vectors import are_cosines, may_be_cosines, unit_of
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
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
    passed_for,
    through_views,
)
from mllint_nan.rulebook.predicates.notebook_calls import passed_in_notebook
from mllint_nan.rulebook.predicates.powers_of_shares import logarithm_range
from mllint_nan.rulebook.predicates.spacings import is_between_neighbours, joined

_SIGN_BIT: Final = re.compile(r"(^|[._ ])signbit$")
_RANK_CALLS: Final = re.compile(r"^call (\S+\.)?argsort$")
_EINSUM_CALLS: Final = re.compile(r"^call (\S+\.)?einsum$")
_PRODUCT_CALLS: Final = re.compile(r"^call (\S+\.)?matmul$")
_NORMAL_DRAWS: Final = re.compile(r"^call (\S+\.)?(standard_normal|randn)$")
_DEEPEST: Final = 10
_SCALES_DEEPEST: Final = 6
_UNIT: Final = Interval(-1.01, 1.01)
"""The range of rounded cosines."""
_DRAWN: Final = Interval(-16.0, 16.0)
"""The range of standard normal draws, however many there are."""
_KEEPS_RANGE: Final = frozenset(("mean", "max", "min", "median", "sort", "collect"))
_KEEPS_SIGN: Final = frozenset(("sum", "cumsum", "sqrt", "prod", "cumprod"))
_MEASURES: Final = frozenset(
    ("square", "abs", "norm", "distance", "relu", "clip", "maximum", "arange", "linspace", "einsum")
)
_COSINES: Final = frozenset(("sin", "cos", "cosine_similarity"))
_RANKS: Final = frozenset(("argmax", "argmin"))
_TAKES_AXES: Final = frozenset(("squeeze", "reshape", "flatten", "subscript"))
_COUNTS: Final = frozenset(("size", "count_nonzero"))
_NUMBERS_OF_ELEMENTS: Final = ("num", "shape", "size")


def meant_range(context: Context, term: Term, depth: int = _DEEPEST) -> Interval:
    """The range of a term, assuming that every scale in it is positive."""
    inner = behind_views(term)
    proved = context.value(inner).interval
    if depth == 0 or proved.is_point:
        return proved
    if _is_quadratic_by_matmul(term):
        return proved.meet(NON_NEGATIVE)
    found = _computed(context, inner, depth - 1)
    return proved.meet(found)


def _computed(context: Context, inner: Term, depth: int) -> Interval:
    name, operands = inner.operation.name, inner.operands
    if inner.operation is ATTRIBUTE:
        operands = tuple([one for one in kept(context, inner) if not is_none(behind_views(one))])
    passed = passed_in_notebook(context, inner)
    if passed:
        return reduce(Interval.join, [meant_range(context, one, depth) for one in passed])
    if inner.operation in (ATTRIBUTE, CHOICE) or name == "where":
        options = operands[1:] if name == "where" else operands
        ranges = [meant_range(context, option, depth) for option in options]
        return reduce(Interval.join, ranges) if ranges else TOP
    if name == "neg":
        return meant_range(context, operands[0], depth).negated
    if name in ("mul", "div"):
        return _product(context, inner, depth)
    if name in ("add", "sub"):
        return _sum(context, inner, depth)
    if name in _KEEPS_RANGE:
        return meant_range(context, operands[0], depth)
    if name == "concat":
        ranges = [meant_range(context, one, depth) for part in operands for one in joined(part)]
        return reduce(Interval.join, ranges) if ranges else TOP
    if name in _KEEPS_SIGN:
        return _signs(meant_range(context, operands[0], depth))
    if (
        name in _RANKS
        or name in _COUNTS
        or _is_quadratic(inner)
        or _RANK_CALLS.search(str(inner.detail))
    ):
        return NON_NEGATIVE
    if _NORMAL_DRAWS.search(str(inner.detail)):
        return _DRAWN
    if name in _COSINES or _is_similarity(context, inner) or _is_label_of_sign(context, inner):
        return _UNIT
    return logarithm_range(inner)


def _is_label_of_sign(context: Context, inner: Term) -> bool:
    """Whether a parameter is compared with computed -1, 0 and 1 for equality: it is one of them."""
    if inner.operation is not INPUT:
        return False
    for consumer in context.analysis.consumers.get(inner.key, ()):
        if consumer.operation.name in ("eq", "ne"):
            others = [one for one in consumer.operands if behind_views(one).key != inner.key]
            values = [context.value(one) for one in others if number_of(one) is None]
            if any(value.integer and value.interval.magnitude <= 1 for value in values):
                return True
    return False


def _sum(context: Context, inner: Term, depth: int) -> Interval:
    left, right = inner.operands
    if inner.operation.name == "add":
        one, other = (meant_range(context, part, depth) for part in (left, right))
        return corners(lambda p, q: p + q, one, other)
    if _is_above_minimum(inner) or is_between_neighbours(inner):
        return NON_NEGATIVE
    one, other = (meant_range(context, part, depth) for part in (left, right))
    return corners(lambda p, q: p - q, one, other)


def _is_above_minimum(inner: Term) -> bool:
    """Whether a term is `x - min(x)`."""
    if inner.operation.name != "sub":
        return False
    whole, lowest = (behind_views(part) for part in inner.operands)
    return lowest.operation.name == "min" and _whole(lowest) == whole.key


def _whole(reduction: Term) -> int:
    return behind_views(reduction.operands[0]).key


def _product(context: Context, inner: Term, depth: int) -> Interval:
    if _is_share(inner):
        return Interval(-inf, 1.0)
    if _is_vector_over_norm(inner):
        return _UNIT
    sign, factors = _factors(inner)
    magnitude = _own_sign(factors)
    ranges = [
        NON_NEGATIVE if factor in magnitude else meant_range(context, factor, depth)
        for factor, _ in factors
    ]
    measures = any(
        not is_below
        and (_is_relative(context, factor) or (found.lo >= 0 and _is_measure(factor, depth)))
        for (factor, is_below), found in zip(factors, ranges, strict=True)
    )
    result = point(sign)
    for (factor, is_below), found in zip(factors, ranges, strict=True):
        kept_in = _set_range(context, factor, found) if measures else found
        result = corners(_times, result, _reciprocal(kept_in) if is_below else kept_in)
    return result


def _set_range(context: Context, factor: Term, found: Interval) -> Interval:
    """The range of what scales a magnitude: its default, if no visible call passes another."""
    if found.lo >= 0 or _is_relative(context, factor) or not is_scale(context, factor):
        return found
    default = number_of(factor.operands[0]) if factor.operation is INPUT and factor.operands else 0
    is_default = default and not passed_for(context, factor)
    return point(float(default)) if default and is_default else NON_NEGATIVE


def _is_measure(term: Term, depth: int) -> bool:
    """Whether a term is a distance, magnitude or rank: no exponential, softplus or size."""
    inner = behind_views(term)
    name = inner.operation.name
    if name in _MEASURES or name in _RANKS or _is_above_minimum(inner):
        return True
    if _RANK_CALLS.search(str(inner.detail)):
        return True
    is_through = name == "add" or name in _KEEPS_RANGE or name in _KEEPS_SIGN
    return is_through and depth > 0 and _is_measure(inner.operands[0], depth - 1)


def _is_relative(context: Context, term: Term) -> bool:
    """Whether a term is a cosine, or a share of a whole: its factors are rates or temperatures."""
    inner = behind_views(term)
    is_cosine = inner.operation.name in _COSINES or _is_similarity(context, inner)
    return is_cosine or _is_share(inner)


def _own_sign(factors: list[tuple[Term, bool]]) -> list[Term]:
    """A factor and another one that is its sign, which together are its magnitude; else empty."""
    for signed, _ in factors:
        for sign, _ in factors:
            if sign is not signed and _is_sign_of(sign, signed.key):
                return [signed, sign]
    return []


def _is_sign_of(term: Term, key: int) -> bool:
    """Whether a term is `sign(x)`, or `1 - 2 * signbit(x)`."""
    if term.operation.name == "sign":
        return behind_views(term.operands[0]).key == key
    if term.operation.name not in ("add", "sub"):
        return False
    bits = [part for part in walk(term) if _SIGN_BIT.search(str(part.detail))]
    return any(_real_part(bit.operands[-1]).key == key for bit in bits if bit.operands)


def _real_part(term: Term) -> Term:
    inner = behind_views(term)
    is_real = inner.operation is ATTRIBUTE and inner.detail == "real"
    return behind_views(inner.operands[0]) if is_real else inner


def _times(p: float, q: float) -> float:
    return 0.0 if p == 0 or q == 0 else p * q


def _reciprocal(x: Interval) -> Interval:
    if x.lo > 0 or x.hi < 0:
        return Interval(1.0 / x.hi, 1.0 / x.lo)
    if x.lo == 0:
        return NON_NEGATIVE
    return NON_NEGATIVE.negated if x.hi == 0 else TOP


def _factors(product: Term) -> tuple[float, list[tuple[Term, bool]]]:
    """The sign of a nested product or quotient; its factors, and whether each of them divides."""
    sign, found = 1.0, []
    pending = [(product, False)]
    while pending:
        term, is_below = pending.pop()
        inner = behind_views(term)
        if inner.operation.name == "mul":
            pending.extend((part, is_below) for part in inner.operands)
        elif inner.operation.name == "div" and not _is_share(inner):
            above, below = inner.operands
            pending.extend(((above, is_below), (below, not is_below)))
        elif inner.operation.name == "neg":
            sign = -sign
            pending.append((inner.operands[0], is_below))
        else:
            found.append((term if _is_quadratic_by_matmul(term) else inner, is_below))
    return sign, found


def _is_share(quotient: Term) -> bool:
    """Whether a quotient is `min(step, total) / total` or the like, with a bounded numerator."""
    if quotient.operation.name != "div":
        return False
    above, below = (behind_views(part) for part in quotient.operands)
    most = {below.key}
    if above.operation.name == "clip":
        bound = above.settings.get("max")
        return bound is not None and behind_views(bound).key in most
    if above.operation.name == "minimum":
        return any(behind_views(part).key in most for part in above.operands)
    if above.operation.name == "arange":
        stop = above.settings.get("stop", above.settings.get("start"))
        return stop is not None and behind_views(stop).key in most
    return False


def _is_unit(context: Context, inner: Term) -> bool:
    return _is_vector_over_norm(inner) or unit_of(inner, context.value) is not None


def _is_similarity(context: Context, inner: Term) -> bool:
    """Whether a term is a product of two matrices of unit vectors, by an operation or a call."""
    if are_cosines(inner, context.value):
        return True
    is_call = inner.operation is OPAQUE and _PRODUCT_CALLS.search(str(inner.detail)) is not None
    if inner.operation.name != "matmul" and not is_call:
        return False
    given = [part for part in inner.operands if part.operation not in (QUALIFIED, CONSTANT)]
    vectors = [behind_views(one) for one in given]
    if not is_call and all(unit_of(one, context.value) is not None for one in vectors):
        return may_be_cosines(inner, context.value)
    return len(given) == 2 and all(_is_unit(context, one) for one in vectors)


def _is_vector_over_norm(inner: Term) -> bool:
    if inner.operation.name != "div":
        return False
    above, below = (behind_views(part) for part in inner.operands)
    if below.operation.name in ("clip", "add", "maximum"):
        below = behind_views(below.operands[0])
    return below.operation.name == "norm" and _whole(below) == above.key


def _is_quadratic(inner: Term) -> bool:
    """Whether a term is vᵀAv by `einsum`, of any A: in a Gaussian exponent, A is the precision."""
    if inner.operation is not OPAQUE or not _EINSUM_CALLS.search(str(inner.detail)):
        return False
    given = [part for part in inner.operands if part.operation is not QUALIFIED][1:]
    return len(given) == 3 and behind_views(given[0]).key == behind_views(given[-1]).key


def _is_quadratic_by_matmul(term: Term) -> bool:
    """Whether a term is vᵀAv by `matmul`, one number of each vector, without axes of length 1."""
    if not any(view.operation.name in _TAKES_AXES for view in through_views(term)):
        return False
    outer = behind_views(term)
    if outer.operation.name != "matmul":
        return False
    left, right = outer.operands
    if behind_views(left).operation.name == "matmul":
        first, last = behind_views(left).operands[0], right
    elif behind_views(right).operation.name == "matmul":
        first, last = left, behind_views(right).operands[1]
    else:
        return False
    return _turned(first) == _turned(last) and _is_turned(first) is not _is_turned(last)


def _is_turned(term: Term) -> bool:
    return any(view.operation.name == "transpose" for view in through_views(term))


def _turned(term: Term) -> int:
    """The key of a matrix, or of the matrix of which it is the transpose."""
    views = through_views(term)
    turns = [place for place, view in enumerate(views) if view.operation.name == "transpose"]
    return peel(views[turns[-1]].operands[0]).key if turns else views[0].key


def _signs(x: Interval) -> Interval:
    if x.lo >= 0:
        return NON_NEGATIVE
    return NON_NEGATIVE.negated if x.hi <= 0 else TOP


# Values that are set, and not computed


def is_scale(context: Context, term: Term, depth: int = _SCALES_DEEPEST) -> bool:
    """Whether a term is a width, rate or temperature: set by callers or a constructor, not below 0.

    Trained values can become negative, and so can data and outputs of networks.
    """
    inner = behind_views(term)
    if context.value(inner).lo >= 0:
        return True
    if depth == 0 or context.value(inner).hi < 0:
        return False
    if inner.operation is INPUT:
        return _is_set_by_callers(context, inner, depth)
    if inner.operation is ATTRIBUTE:
        stored = [part for part in kept(context, inner) if not is_none(behind_views(part))]
        return bool(stored) and all(is_scale(context, part, depth - 1) for part in stored)
    if inner.operation is CHOICE or inner.operation.name in ("mul", "div", "add"):
        return all(is_scale(context, part, depth - 1) for part in inner.operands)
    if inner.operation.name == "sub" and number_of(inner.operands[1]) == 1:
        return _is_count(context, inner.operands[0])
    if inner.operation.name in ("mean", "max", "min", "median", "sum", "sqrt"):
        return meant_range(context, inner.operands[0], depth - 1).lo >= 0
    return False


def _is_count(context: Context, term: Term) -> bool:
    """Whether an array of as many elements is made nearby: the term is an integer of at least 1."""
    key = behind_views(term).key
    return any(
        number is not None and behind_views(number).key == key
        for consumer in context.analysis.consumers.get(key, ())
        for number in map(consumer.settings.get, _NUMBERS_OF_ELEMENTS)
    )


def _is_set_by_callers(context: Context, parameter: Term, depth: int) -> bool:
    if is_self(parameter) or context.kind(parameter) is Kind.TENSOR:
        return False
    given = [*parameter.operands, *passed_for(context, parameter)]
    return all(
        is_none(inner) or is_scale(context, inner, depth - 1) for inner in map(behind_views, given)
    )
