"""Which operations are 0 because their operands are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Final

from mllint_nan.ir.term import (
    OPAQUE,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
    walk_into,
)

_SINGULAR: Final = frozenset(
    (
        *("log", "log2", "log10", "log1p", "div", "rsqrt", "pow", "atanh", "acosh"),
        *("logit", "xlogy", "log_softmax", "logsumexp", "tan", "inv", "solve"),
    )
)
"""Operations that are infinite for ordinary operands; a power with a negative exponent is one."""
_PARTS_MOST: Final = 48
DRAWS: Final = frozenset(("normal", "uniform"))
"""Operations that draw random numbers."""


def is_zero_by_operands(
    inner: Term, operations: Collection[str], is_zero: Callable[[Term], bool]
) -> bool:
    """Whether an operation, if it is one of these, attains 0 because its operands do.

    A product or a minimum needs one such operand; a sum or a maximum needs all. Of other
    operations, the first operand counts: the numerator of a quotient, the base of a power.
    """
    if inner.operation.name not in operations:
        return False
    match inner.operation.name:
        case "mul" | "minimum" | "matmul" | "dot":
            return any(map(is_zero, inner.operands))
        case "add" | "sub" | "maximum":
            return all(map(is_zero, inner.operands))
        case _:
            return is_zero(inner.operands[0])


def is_undone_elsewhere(inner: Term, zero: Term) -> bool:
    """Whether a product may not be 0 where this factor is, or a quotient where its numerator is.

    The other operand may be infinite there, as in x * (1 / x), or be 0 itself, as in x / (x * y).
    What a layer is given does not decide where its output is 0.
    """
    vanishing = {part.key for part in walk_into(behind_views(zero), _understood)}
    for other in inner.operands:
        beside = behind_views(other)
        if beside.key == behind_views(zero).key:
            continue
        if inner.operation.name == "div" and _has_factor(beside, behind_views(zero)):
            return True
        parts = list(islice(walk(beside), _PARTS_MOST))
        if any(part.operation.name in _SINGULAR for part in parts):
            return len(parts) == _PARTS_MOST or any(part.key in vanishing for part in parts)
    return False


def _understood(inner: Term) -> tuple[Term, ...]:
    return () if inner.operation is OPAQUE else inner.operands


def _has_factor(product: Term, factor: Term) -> bool:
    """Whether a product contains a factor, or is it."""
    if product.key == factor.key:
        return True
    return product.operation.name == "mul" and any(
        _has_factor(behind_views(part), factor) for part in product.operands
    )


def row_joined(term: Term) -> Term | None:
    """The `concat` or `stack` of which a term has all elements, or those that data select."""
    inner, is_part = peel(term), False
    while inner.operation.name not in ("concat", "stack"):
        if inner.operation.kind != "view" or not inner.operands:
            return None
        if inner.operation.name in ("subscript", "gather"):
            is_part = inner.operation.name == "subscript"
        inner = peel(inner.operands[0])
    return inner if not is_part else None


def parts_joined(term: Term) -> list[Term]:
    """What is put together in such a row; empty if the term is made otherwise."""
    row = row_joined(term)
    return [behind_views(one) for one in joined(row)] if row is not None else []


def is_all_ones(term: Term) -> bool:
    """Whether a term is an array of ones."""
    return term.operation.name in ("ones", "ones_like")


def is_all_zeros(term: Term) -> bool:
    """Whether a term is an array of zeros."""
    return term.operation.name in ("zeros", "zeros_like")


def is_spread_over_classes(product: Term) -> bool:
    """Whether a product with one-hot rows keeps their classes: one that no row names gets 0.

    A matrix product with such rows on its left selects rows of the other matrix, in contrast.
    """
    if product.operation.name != "einsum":
        left, right = product.operands
        return _has_classes_last(right) or (
            peel(left).operation.name == "transpose" and _has_classes_last(peel(left).operands[0])
        )
    equation, *factors = product.operands
    subscripts, _, result = str(constant_of(equation)).replace(" ", "").partition("->")
    return any(
        _has_classes_last(factor) and indices[-1:] in result
        for factor, indices in zip(factors, subscripts.split(","), strict=False)
        if indices
    )


def _has_classes_last(rows: Term) -> bool:
    inner = peel(rows)
    while inner.operation.name in ("cast", "identity"):
        inner = peel(inner.operands[0])
    return inner.operation.name == "one_hot" and inner.settings.get("axis") is None


def passed_straight(total: Term) -> tuple[Term, ...]:
    """The value y of `x + (y - x).detach()`, which has the gradient of x, if a sum is one."""
    sides = (total.operands, total.operands[::-1]) if total.operation.name == "add" else ()
    rests = ((own, behind_views(other)) for own, other in sides)
    return tuple(
        rest.operands[0]
        for own, rest in rests
        if rest.operation.name == "sub" and peel(rest.operands[1]).key == peel(own).key
    )


def are_apart(first: Term, second: Term) -> bool:
    """Whether two terms share no operand, or are different elements of one term.

    The larger one of relu(x) and relu(-x) is a magnitude, which is 0 at one point only.
    """
    if behind_views(first).key == behind_views(second).key:
        return peel(first).key != peel(second).key
    own = {part.key for part in walk(first) if not part.operands}
    return all(part.operands or part.key not in own for part in walk(second))


def joined(whole: Term) -> Iterator[Term]:
    """Yield what `concat` or `stack` puts together."""
    for operand in whole.operands:
        inner = peel(operand)
        if inner.operation is SEQUENCE:
            yield from inner.operands
        else:
            yield inner


def is_of_draw(term: Term) -> bool:
    """Whether a term is made of a uniform draw alone: another rule knows which ends it has."""
    inner = behind_views(term)
    while inner.operation.name in ("neg", "log", "sub", "add", "clip"):
        parts = [part for part in inner.operands if number_of(part) is None]
        if len(parts) != 1:
            return False
        inner = behind_views(parts[0])
    return inner.operation.name == "uniform"


def is_kept_from_one(term: Term) -> bool:
    """Whether a term is 1 - p for a p whose bound is meant to be below 1, which NAN501 checks."""
    inner = behind_views(term)
    if inner.operation.name != "sub" or number_of(inner.operands[0]) != 1:
        return False
    right = behind_views(inner.operands[1])
    if right.operation.name == "clip":
        return right.settings.get("max") is not None and number_of(right.settings["max"]) != 1
    return right.operation.name == "minimum" and all(
        number_of(operand) != 1 for operand in right.operands
    )
