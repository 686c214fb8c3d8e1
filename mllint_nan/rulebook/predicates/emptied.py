"""Masks that can select nothing: of a centre, of a bin, or of the examples that have a label."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views, peel

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
