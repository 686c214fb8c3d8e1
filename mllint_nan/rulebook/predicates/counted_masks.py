"""Counts of what masks select, or leave out: whether they may be 0."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.elements import elements_of
from mllint_nan.flow.masks import mask_of
from mllint_nan.flow.occurring_values import is_of_occurring
from mllint_nan.ir.term import ATTRIBUTE, INPUT, OPAQUE, Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.computed_once import is_computed_once
from mllint_nan.rulebook.predicates.context import Context, known, passed_for, tells
from mllint_nan.rulebook.predicates.filled_masks import counts_batch, is_passed_filled
from mllint_nan.rulebook.predicates.indicators import counted_of, is_empty_along
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.own_scores import is_by_own_score
from mllint_nan.rulebook.predicates.roles import options_of, takes_everything
from mllint_nan.rulebook.predicates.selections import is_mask
from mllint_nan.rulebook.predicates.vanishing import is_rectified

_PLACES: Final = re.compile(r"^call ((numpy|jax\.numpy|torch)\.where|(numpy|jax\.numpy)\.nonzero)$")


@tells(Zero.COUNT)
def can_count_nothing(context: Context, n: Term, m: Term) -> Truth:
    """n counts what the mask m selects or leaves out, which may be nothing.

    Where something is trained through the dividend, also those whose own score passes a threshold.
    """
    if context.value(n).can_be(0.0) is Truth.NO:
        return Truth.NO
    count = counted_of(n)
    if count.operation.name == "size" and count.operands[0].key == m.key:
        places = mask_of(m)  # `len(np.where(mask)[0])`
        if places is None or places.key == m.key or _is_of_axes(m):
            return Truth.NO
        m = places
    if is_mask(context, m) is not Truth.YES:
        return known(_counts_own_scores(context, m)).or_(is_empty_along(context, n, m))
    if "axis" not in count.settings and is_of_occurring(m):
        return Truth.NO
    if _has_diagonal(m):
        return Truth.NO
    is_seen_to = _is_made_elsewhere(context, m) or is_passed_filled(context, n, m)
    is_seen_to = is_seen_to or (counts_batch(n) and is_computed_once(context))
    return Truth.UNKNOWN if is_seen_to else Truth.YES


def _is_of_axes(places: Term) -> bool:
    """Whether a call gives a tuple, with places along each axis: its length is not theirs."""
    inner = peel(places)
    if inner.operation is not OPAQUE:
        return False
    is_of_numpy = inner.detail == "call nonzero" and inner.framework in ("numpy", "jax")
    return is_of_numpy or _PLACES.search(str(inner.detail)) is not None


def _counts_own_scores(context: Context, mask: Term) -> bool:
    quotient = context.occurrence.term
    is_divided = quotient.operation.name == "div"
    return is_divided and is_by_own_score(context, quotient.operands[0], mask)


def _has_diagonal(mask: Term) -> bool:
    """Whether an identity matrix was joined to a mask: each row and each column has an element."""
    inner = elements_of(mask)
    name = inner.operation.name
    return name == "eye" or (
        name in ("logical_or", "maximum") and any(map(_has_diagonal, inner.operands))
    )


def _is_made_elsewhere(context: Context, mask: Term) -> bool:
    """Whether a mask is made elsewhere, where it may be certain that it selects something.

    A parameter that is called a mask is one that can be empty.
    """
    inner = behind_views(mask)
    if inner.operation is INPUT:
        return False
    options = options_of(mask)
    if options:
        return all(
            _is_made_elsewhere(context, option)
            for option in options
            if not takes_everything(option)
        )
    if inner.operation.name in ("mul", "sub", "logical_not", "logical_and"):
        return all(_is_made_elsewhere(context, operand) for operand in inner.operands)
    if number_of(inner) is not None:
        return True
    passed = [behind_views(argument) for argument in passed_for(context, inner)]
    if passed and all(
        argument.operation.kind == "comparison" and is_mask(context, argument) is Truth.YES
        for argument in passed
    ):
        return False
    return inner.operation in (INPUT, ATTRIBUTE)


@tells(Zero.SELECTED)
def can_add_up_to_zero(context: Context, w: Term) -> Truth:
    """w comes from a comparison or a relu: all of its elements can be 0 at once."""
    return known(_is_selected(context, w) or is_rectified(context, w))


def _is_selected(context: Context, w: Term) -> bool:
    """Whether w is a comparison, or a visible call passes one for it."""
    inner = behind_views(w)
    if inner.operation is INPUT:
        given = passed_for(context, inner)
        return any(
            behind_views(one).operation is not INPUT and _is_selected(context, one) for one in given
        )
    is_compared = inner.operation.kind == "comparison" and not is_of_occurring(w)
    return is_compared and is_mask(context, w) is Truth.YES
