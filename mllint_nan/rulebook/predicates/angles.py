"""Predicates about cosines and their inverse functions: which operands attain -1 or 1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    name_of,
    predicate,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.members import Guard, Role
from mllint_nan.rulebook.predicates.siblings import is_edge_guarded

_AXES: Final = 3
_DIAGONAL: Final = re.compile(r"(^|[._ ])(diagonal|diag_part)$")
_NEAR: Final = 0.05
_CANCELS: Final = 1e-6
"""From this size on, an epsilon in a divisor outweighs the rounding of a quotient near 1."""
_CANCELS_IN_DOUBLE: Final = 1e-14


@predicate
def can_be_unit(context: Context, x: Term) -> Truth:
    """1 or -1 ∈ γ(x): YES if it is attained, as by a component of a unit vector or by 1 + d**2.

    An inner product of two input arrays attains it where they are equal, and so does Lorentz's
    product. YES also for an operand that nearby code keeps away from it: log(1 - x**2 + 1e-6).
    """
    if any(
        part.operation.name in ("subscript", "gather") and _is_unit(context, part.operands[0])
        for part in through_views(x)
    ):
        return Truth.YES
    inner = behind_views(x)
    if inner.operation.name == "add" and 1 in map(number_of, inner.operands):
        offset = next(part for part in inner.operands if number_of(part) != 1)
        if any(context.value(part).can_be(0.0) is Truth.YES for part in _scaled(offset)):
            return Truth.YES
    if _is_product_of_given(context, inner):
        return Truth.YES
    value = context.value(x)
    above, below = value.can_be(1.0), value.can_be(-1.0)
    answer = above if below is Truth.NO else above.or_(below)
    return known(is_edge_guarded(context, x)).or_(answer) if answer is Truth.UNKNOWN else answer


def _is_product_of_given(context: Context, term: Term) -> bool:
    """Whether a term is a sum of products of the same two input arrays, as an inner product is."""
    products = list(_summed_products(term))
    pairs = [frozenset(_given(context, factor) for factor in one) for one in products]
    is_of_two = bool(pairs) and len(pairs[0]) == 2 and None not in pairs[0]
    return (
        is_of_two
        and all(pair == pairs[0] for pair in pairs)
        and any(len(one) == 2 for one in products)
    )


def _summed_products(term: Term) -> Iterator[tuple[Term, ...]]:
    """Yield the factors of each summand; an empty tuple for a summand that is no product."""
    inner = behind_views(term)
    match inner.operation.name:
        case "neg":
            yield from _summed_products(inner.operands[0])
        case "add" | "sub":
            for operand in inner.operands:
                yield from _summed_products(operand)
        case "mul":
            yield tuple(_variable_factors(inner))
        case _:
            yield _factors(inner)


def _variable_factors(product: Term) -> Iterator[Term]:
    inner = behind_views(product)
    if inner.operation.name in ("mul", "neg"):
        for operand in inner.operands:
            yield from _variable_factors(operand)
    elif number_of(inner) is None:
        yield inner


def _given(context: Context, factor: Term) -> int | None:
    """The key of the input array or unit vector that a factor is, or is an entry of."""
    inner = behind_views(factor)
    return inner.key if inner.operation is INPUT or _is_unit(context, inner) else None


def _scaled(term: Term) -> Iterator[Term]:
    """Yield the factors of a product, or of the numerator of a quotient."""
    inner = behind_views(term)
    if inner.operation.name == "mul":
        for operand in inner.operands:
            yield from _scaled(operand)
    elif inner.operation.name == "div":
        yield from _scaled(inner.operands[0])
    else:
        yield inner


@tells(Guard.MARGIN)
def has_margin(context: Context, x: Term) -> Truth:
    """x has a bound other than the ends of the domain, where the inverse is singular.

    Another rule asks whether the margin is wide enough for the dtype.
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


@tells(Guard.COMPARISON)
def is_compared_with_edge(context: Context, x: Term) -> Truth:
    """The code compares x with 1, -1 or a number just inside them: the author handles the edge."""
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
    """Whether a term is a number near 1 or -1, or `1 - eps` with any epsilon."""
    value = context.value(term)
    if value.is_constant:
        return abs(abs(value.lo) - 1.0) <= _NEAR
    inner = peel(term)
    return inner.operation.name in ("add", "sub") and any(
        number_of(part) in (1, -1) for part in inner.operands
    )


def _is_made_of_number(term: Term) -> bool:
    """Whether a term is a number, or a sum or difference with one."""
    inner = peel(term)
    is_shifted = inner.operation.name in ("add", "sub")
    parts = inner.operands if is_shifted else (inner,)
    return any(number_of(part) is not None for part in parts)


def _outweighs(divisor: Term) -> bool:
    """Whether a divisor has an epsilon added that keeps a quotient of equals below 1."""
    inner = behind_views(divisor)
    return inner.operation.name == "add" and any(
        (number is not None and number >= _CANCELS) or is_epsilon_name(name_of(part))
        for part, number in ((part, number_of(part)) for part in inner.operands)
    )


def _is_inside(bound: Term) -> bool:
    """Whether a bound is `1 - eps`, `0.999`, or a name that must stand for such a number."""
    number = number_of(bound)
    if number is not None:
        return number not in (-1, 0, 1)
    inner = peel(bound)
    return inner.operation.name in ("add", "sub", "neg", "mul") or inner.operation in (
        INPUT,
        ATTRIBUTE,
    )


@tells(Role.COSINE)
def is_cosine(context: Context, x: Term) -> Truth:
    """x is computed by a formula for a cosine, which rounding takes past 1 for parallel vectors.

    Such formulas are an inner product of unit vectors, an inner product divided by the product of
    both norms, `(trace(R) - 1) / 2` of a rotation R, the magnitude of a cosine, and the cosine of
    the doubled angle, `2 * c**2 - 1`.
    """
    inner = behind_views(x)
    if inner.operation.name == "abs":
        return is_cosine(context, inner.operands[0])
    halved = _cosine_doubled(inner)
    if halved is not None:
        return is_cosine(context, halved)
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


def _cosine_doubled(term: Term) -> Term | None:
    """The c of `2 * c**2 - 1`."""
    if term.operation.name != "sub" or number_of(term.operands[1]) != 1:
        return None
    product = behind_views(term.operands[0])
    squares = [
        behind_views(part)
        for part, other in zip(product.operands, product.operands[::-1], strict=True)
        if product.operation.name == "mul" and number_of(other) == 2
    ]
    is_square = bool(squares) and squares[0].operation.name == "square"
    return squares[0].operands[0] if is_square else None


def _is_angle_of_rotation(term: Term) -> bool:
    """Whether a term is `(trace(R) - 1) / 2`."""
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
        and _is_trace(peel(shifted.operands[0]))
    )


def _is_trace(term: Term) -> bool:
    """Whether a term is trace(R), or adds up the diagonal of R, or all of P * Q for R = P Qᵀ."""
    if term.operation.name == "trace":
        return True
    if term.operation.name == "add":
        return sorted(_places_on_diagonal(term)) == [0, 1, 2]
    if term.operation.name != "sum":
        return False
    added = behind_views(term.operands[0])
    if added.operation is OPAQUE:
        return _DIAGONAL.search(str(added.detail)) is not None
    axis = term.settings.get("axis")
    is_of_both_axes = axis is not None and len(peel(axis).operands) == 2
    return added.operation.name == "mul" and is_of_both_axes


def _places_on_diagonal(total: Term) -> list[int]:
    """The places i of a sum of elements R[..., i, i] of one matrix; empty for any other sum."""
    pending, matrices, places = [*total.operands], set[int](), list[int]()
    while pending:
        inner = peel(pending.pop())
        if inner.operation.name == "add":
            pending.extend(inner.operands)
            continue
        indices = peel(inner.operands[1]).operands if inner.operation.name == "subscript" else ()
        row, column = map(number_of, indices[-2:]) if len(indices) >= 2 else (None, None)
        if row is None or row != column or len(places) == _AXES:
            return []
        matrices.add(peel(inner.operands[0]).key)
        places.append(int(row))
    return places if len(matrices) == 1 else []


def _factors(term: Term) -> tuple[Term, ...]:
    """The two vectors of an inner product; empty for any other term."""
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
    """Yield the factors of a divisor, also of a product that is kept from 0."""
    inner = behind_views(term)
    kept = _kept_from_zero(inner)
    if inner.operation.name == "mul" or inner.operation.name == "matmul":
        for operand in inner.operands:
            yield from _divisors(operand)
    elif kept is not None and behind_views(kept).operation.name in ("mul", "matmul"):
        yield from _divisors(kept)
    else:
        yield inner


def _kept_from_zero(inner: Term) -> Term | None:
    """The x of `x + 1e-8`, `maximum(x, 1e-8)` or `clip(x, 1e-8)`, with a bound near 0."""
    if inner.operation.name == "clip":
        bounds = [inner.settings.get("min")]
        others = inner.operands if "max" not in inner.settings else inner.operands[:0]
    elif inner.operation.name in ("add", "maximum"):
        bounds = [one for one in inner.operands if number_of(one) is not None]
        others = tuple(one for one in inner.operands if number_of(one) is None)
    else:
        return None
    most = _cancelling(inner) if inner.operation.name == "add" else _CANCELS
    numbers = [number_of(one) for one in bounds]
    is_near = any(number is not None and 0 <= number < most for number in numbers)
    return others[0] if is_near and len(others) == 1 else None


def _cancelling(divisor: Term) -> float:
    """The size from which on an epsilon outweighs the rounding in the divisor's format."""
    return _CANCELS_IN_DOUBLE if dtype_of(divisor) == "float64" else _CANCELS


def _is_norm(context: Context, term: Term) -> bool:
    """Whether a term is ‖v‖, possibly kept from 0: for longer vectors, the quotient remains 1."""
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
        most = _cancelling(inner)
        return any(n is not None and n < most for n in numbers) and any(
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
    """Whether a term is v / ‖v‖ on at least one path: the angle is computed on all of them."""
    inner = behind_views(term)
    if inner.operation is CHOICE:
        return any(_is_unit(context, option) for option in inner.operands)
    if inner.operation.name == "normalize":
        return True
    if inner.operation.name != "div":
        return False
    over, under = inner.operands
    keys = {part.key for part in walk(under)}
    return _is_norm(context, under) and any(part.key in keys for part in (over, behind_views(over)))
