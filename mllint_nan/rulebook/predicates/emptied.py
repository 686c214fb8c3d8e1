"""Masks that can select nothing: of a centre, of a bin, of labelled examples, of wrong guesses."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.masks import mask_of
from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.selections import is_mask

_FINDS_BINS: Final = re.compile(r"(^|[. ])(digitize|bucketize|searchsorted)$")
_SHIFTS: Final = ("add", "sub")


def is_of_nearest(mask: Term) -> bool:
    """Whether a mask is `argmin(distances) == k`: no point may be nearest to centre k."""
    return mask.operation.name == "eq" and any(
        behind_views(operand).operation.name in ("argmin", "argmax") for operand in mask.operands
    )


def is_of_bin(mask: Term) -> bool:
    """Whether a mask is `digitize(x, edges) == k` for each k of a `range`: a bin may be empty."""
    return mask.operation.name == "eq" and any(
        _finds_bin(one) and _is_counted_up(other)
        for one, other in (mask.operands, mask.operands[::-1])
    )


def _finds_bin(term: Term) -> bool:
    inner = behind_views(term)
    while inner.operation.name in _SHIFTS:
        inner = behind_views(inner.operands[0])
    return inner.operation is OPAQUE and _FINDS_BINS.search(str(inner.detail)) is not None


def _is_counted_up(term: Term) -> bool:
    inner = behind_views(term)
    return inner.operation is OPAQUE and inner.detail == "call builtins.range"


def is_of_labelled(selected: Term, mask: Term) -> bool:
    """Whether elements are selected where a label is present, which may be nowhere.

    `loss[~isnan(target)]` is such a selection. `x[~isnan(x)]` is not: it involves no labels.
    """
    asked = mask
    if mask.operation.name == "logical_not":
        asked = behind_views(mask.operands[0])
    is_present = asked.operation.name == ("isfinite" if asked is mask else "isnan")
    chosen = peel(selected)
    if not is_present or chosen.operation.name != "boolean_mask":
        return False
    labels, source = behind_views(asked.operands[0]), behind_views(chosen.operands[0])
    return labels.operation is INPUT and source.key != labels.key


def is_sum_of_errors(context: Context, total: Term) -> bool:
    """Whether weights are summed where two values differ, as in `w[guess != y].sum()`.

    That is 0 where all guesses are right. Classes and other groups are seldom empty.
    """
    if total.operation.name == "dot":
        return any(_is_of_errors(context, one) for one in total.operands)
    if total.operation.name != "sum":
        return False
    chosen = peel(total.operands[0])
    if chosen.operation.name not in ("boolean_mask", "subscript"):
        return False
    index = chosen.operands[1]
    mask = index if chosen.operation.name == "boolean_mask" else mask_of(index)
    return mask is not None and _is_of_errors(context, mask)


def _is_of_errors(context: Context, mask: Term) -> bool:
    inner = behind_views(mask)
    if inner.operation.name != "ne" or any(number_of(one) is not None for one in inner.operands):
        return False
    return is_mask(context, inner) is Truth.YES
