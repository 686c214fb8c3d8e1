"""What masks select that cannot be 0; sums of both parts into which they divide a whole."""

from __future__ import annotations

from collections.abc import Iterator

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.elements import behind_shapes, elements_of
from mllint_nan.flow.extrema import axis_key
from mllint_nan.flow.masks import mask_of
from mllint_nan.ir.term import Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.context import Context


def is_selected_nonzero(context: Context, n: Term) -> bool:
    """Whether a mask has selected the elements of n, none of which can be 0."""
    return _is_selected(n) and context.value(n).can_be(0.0) is Truth.NO


def _is_selected(term: Term) -> bool:
    """Whether a mask has selected the elements of a term."""
    inner = peel(term)
    while inner.operation.kind == "view" and inner.operands:
        if len(inner.operands) > 1 and mask_of(inner.operands[1]) is not None:
            return True
        inner = peel(inner.operands[0])
    return False


def adds_complements(context: Context, n: Term) -> bool:
    """Whether n adds what a mask selects of something positive, and what the mask leaves out.

    Each element is in one of the two sums, or counted in one of them.
    """
    inner = behind_views(n)
    if inner.operation.name != "add":
        return False
    sums = [behind_shapes(part) for part in inner.operands]
    if any(one.operation.name != "sum" for one in sums) or axis_key(sums[0]) != axis_key(sums[1]):
        return False
    first, second = sums
    if _are_complements(*(elements_of(one.operands[0]) for one in sums)):
        return True
    return any(
        weighed.key == other.key and _are_complements(mask, rest) and _is_positive(context, weighed)
        for weighed, mask in _selections(first)
        for other, rest in _selections(second)
    )


def _selections(total: Term) -> Iterator[tuple[Term, Term]]:
    """Yield the factors of the product that is summed: what is selected, and by what."""
    product = behind_shapes(total.operands[0])
    if product.operation.name == "mul":
        first, second = map(elements_of, product.operands)
        yield first, second
        yield second, first


def _are_complements(mask: Term, rest: Term) -> bool:
    return _leaves_out(mask, rest) or _leaves_out(rest, mask)


def _leaves_out(mask: Term, rest: Term) -> bool:
    """Whether a term is `1 - mask`, or `~mask`."""
    if rest.operation.name == "logical_not":
        return elements_of(rest.operands[0]).key == mask.key
    if rest.operation.name != "sub" or number_of(rest.operands[0]) != 1:
        return False
    return elements_of(rest.operands[1]).key == mask.key


def _is_positive(context: Context, x: Term) -> bool:
    """Whether x is above 0, apart from an exponential that underflows."""
    inner = peel(x)
    return inner.operation.name == "exp" or context.value(inner).lo > 0
