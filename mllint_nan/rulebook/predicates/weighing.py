"""Masks and weights, recognised by their use: they multiply what is divided by their sum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import CHOICE, INPUT, OPAQUE, Term, behind_views, constant_of, peel, walk
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import (
    Context,
    is_self,
    made_from,
    name_of,
    passed_for,
    passes_through,
)
from mllint_nan.rulebook.predicates.roles import options_of

_WEIGHTS: Final = names("weights")
MADE_MASKS: Final = names("made_mask")
_TOTALS: Final = frozenset(("sum", "mean", "count_nonzero"))
_NONZERO: Final = frozenset(("ne", "gt"))
_PRODUCTS: Final = frozenset(("mul", "einsum"))
_OF_TOTALS: Final = frozenset(("sum", "mean", "neg", "add", "sub", "mul", "div"))
_EXPONENTIALS: Final = frozenset(("exp", "exp2"))
_PARTS_MOST: Final = 24
_CALLS_DEEPEST: Final = 2
_VIEWS_DEEPEST: Final = 3
_VIEWS: Final = passes_through()


def weighs_mean(context: Context, m: Term) -> Truth:
    """Whether an input m multiplies what is added up, and its own sum divides that: it selects.

    UNKNOWN if it is called a weight: weights are seldom all 0.
    """
    keys = {part.key for part in _itself(m)}
    if not _can_select(context, m, _CALLS_DEEPEST):
        return Truth.NO
    if not _divides_what_it_weighs(context, keys) and not _weighs_by_share(context, m, keys):
        return Truth.NO
    return Truth.UNKNOWN if _is_called_weight(m) else Truth.YES


def weighs_exponential(context: Context, product: Term) -> bool:
    """Whether an exponential is multiplied by an input, which can hardly be anything but a mask."""
    if product.operation.name != "mul":
        return False
    return any(
        behind_views(one).operation.name in _EXPONENTIALS
        and _can_select(context, other, _CALLS_DEEPEST)
        and not _is_called_weight(other)
        for one, other in (product.operands, product.operands[::-1])
    )


def _itself(term: Term) -> Iterator[Term]:
    """Yield a term and what it is a view of, but not the dictionary that holds it."""
    inner = peel(term)
    yield inner
    while inner.operation.kind == "view" and inner.operands:
        if inner.operation.name == "subscript" and isinstance(constant_of(inner.operands[1]), str):
            return
        inner = peel(inner.operands[0])
        yield inner


def _is_called_weight(term: Term) -> bool:
    """Whether a term, or what it is a view of, is called a weight, and was not made of a mask."""
    own = [name for name in (name_of(term), *map(name_of, _itself(term))) if name]
    return any(map(_WEIGHTS.search, own)) and not MADE_MASKS.search(own[-1])


def _can_select(context: Context, term: Term, depth: int) -> bool:
    """Whether a term is an input or part of one, and what visible calls pass, if any, can be 0."""
    inner = behind_views(term)
    if inner.operation is CHOICE:
        options = options_of(inner)
        return any(_can_select(context, one, depth) for one in options)
    if inner.operation is OPAQUE and str(inner.detail).startswith("part ") and inner.operands:
        inner = peel(inner.operands[0])
    if inner.operation is not INPUT or is_self(inner):
        return False
    passed = passed_for(context, inner) if depth > 0 else []
    return not passed or any(context.value(one).can_be(0.0) is not Truth.NO for one in passed)


def _divides_what_it_weighs(context: Context, keys: set[int]) -> bool:
    """Whether this is `(x * m).sum() / m.sum()`, in one expression or several.

    The divisor may also be `(m != 0).sum()`, and have a factor, as the number of features.
    """
    return any(
        quotient.operation.name == "div"
        and behind_views(quotient.operands[1]).key == divisor.key
        and any(_multiplies(part, keys) for part in _added_up(quotient.operands[0]))
        for key in keys
        for total in _totals_of(context, key)
        for divisor in _scaled(context, total)
        for _, quotient in made_from(context, divisor, _VIEWS)
    )


def _scaled(context: Context, total: Term) -> Iterator[Term]:
    """Yield a total, and what is 0 because it is: its products, its shares and its root."""
    yield total
    for key, made in made_from(context, total, _VIEWS):
        is_share = made.operation.name == "div" and made.operands[0].key == key
        if is_share or made.operation.name in ("mul", "sqrt"):
            yield made


def _weighs_by_share(context: Context, m: Term, keys: set[int]) -> bool:
    """Whether this is `m / m.mean()` for the cast m of an input, by which a loss is multiplied.

    A share of a sum says less: the counts of a histogram are divided by their sum as well.
    """
    if not any(part.operation.name == "cast" for part in _itself(m)):
        return False
    return any(
        quotient.operation.name == "div"
        and behind_views(quotient.operands[1]).key == total.key
        and any(part.key in keys for part in _itself(quotient.operands[0]))
        and _weighs_others(context, quotient, keys)
        for key in keys
        for total in _totals_of(context, key)
        if total.operation.name == "mean"
        for _, quotient in made_from(context, total, _VIEWS)
    )


def _weighs_others(context: Context, share: Term, keys: set[int]) -> bool:
    """Whether a share multiplies something else, and the products are added up."""
    own = keys | {share.key}
    return any(
        product.operation.name == "mul"
        and any(own.isdisjoint(part.key for part in walk(one)) for one in product.operands)
        and any(_is_total(end) for _, end in made_from(context, product, _VIEWS))
        for _, product in made_from(context, share, _VIEWS)
    )


def _is_total(term: Term) -> bool:
    return term.operation.name in ("sum", "mean")


def _totals_of(context: Context, key: int, deepest: int = _VIEWS_DEEPEST) -> Iterator[Term]:
    """Yield the sums of a value and of its views, and the counts of what is not 0 in them."""
    for consumer in context.analysis.consumers.get(key, ()):
        name = consumer.operation.name
        if name in _TOTALS:
            yield consumer
        elif consumer.operation.kind == "view" and deepest > 0:
            yield from _totals_of(context, consumer.key, deepest - 1)
        elif name in _NONZERO and any(constant_of(one) == 0 for one in consumer.operands):
            counted = made_from(context, consumer, _VIEWS)
            yield from (one for _, one in counted if one.operation.name in _TOTALS)


def _multiplies(product: Term, keys: set[int]) -> bool:
    return product.operation.name in _PRODUCTS and any(
        part.key in keys for operand in product.operands for part in _itself(operand)
    )


def _added_up(total: Term) -> Iterator[Term]:
    """Yield the terms that a total is computed from by arithmetic alone."""
    pending, seen = [total], set[int]()
    while pending and len(seen) < _PARTS_MOST:
        inner = behind_views(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        yield inner
        if inner.operation is CHOICE or inner.operation.name in _OF_TOTALS:
            pending.extend(inner.operands)
