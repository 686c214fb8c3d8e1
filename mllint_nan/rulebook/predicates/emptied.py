"""Masks that select nothing where nothing falls: a centre, a bin, an example without a label."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views, peel

_FINDS_BINS: Final = re.compile(r"(^|[. ])(digitize|bucketize|searchsorted)$")
_SHIFTS: Final = ("add", "sub")


def is_of_nearest(mask: Term) -> bool:
    """`argmin(distances) == k`: a centre to which nothing is nearest."""
    return mask.operation.name == "eq" and any(
        behind_views(operand).operation.name in ("argmin", "argmax") for operand in mask.operands
    )


def is_of_bin(mask: Term) -> bool:
    """`digitize(x, edges) == k` for each k of a `range`: a bin that nothing falls into."""
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
    """`loss[~isnan(target)]`: what is selected where a label came in, of which none may have.

    Not `x[~isnan(x)]`: that an array has no number at all is no matter of labels.
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
