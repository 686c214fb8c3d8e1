"""Layers that return 0 where they are given 0: pooling, resampling, windows, and dropout."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.ir.term import OPAQUE, Term, peel
from mllint_nan.rulebook.predicates.context import Context, is_self, stored_in

_POOLS: Final = re.compile(
    r"(^|\.)(global|adaptive)?_?(max|avg|average)_?pool(ing)?_?[1-3]?d?$", re.IGNORECASE
)
_RESAMPLES: Final = re.compile(
    r"(^|\.)(interpolate|Upsample|Upsampling\w*|UpSampling[1-3]D|([Uu]nf|[Ff])old|image\.resize"
    r"|extract_patches|extract_image_patches)$"
)
"""Functions and layers whose results are means, copies or sums of what they are given."""
_DROPOUTS: Final = re.compile(r"(^|\.)dropout[1-3]?d?$", re.IGNORECASE)
_CALL: Final = "call "


def passed_on(context: Context, term: Term) -> Term | None:
    """The input of such a layer or function, if `term` is its output."""
    return (
        pooled(context, term)
        or _given(context, term, _RESAMPLES)
        or _given(context, term, _DROPOUTS)
    )


def pooled(context: Context, term: Term) -> Term | None:
    """The input of a pool, if `term` is its output; its gradient is that of the elements pooled."""
    return _given(context, term, _POOLS)


def _given(context: Context, term: Term, layers: re.Pattern[str]) -> Term | None:
    if term.operation is not OPAQUE or len(term.operands) < 2:
        return None
    called = str(term.detail).removeprefix(_CALL)
    made = [called]
    if is_self(peel(term.operands[0])):
        made = [str(peel(layer).detail).removeprefix(_CALL) for layer in stored_in(context, called)]
    return term.operands[1] if made and all(map(layers.search, made)) else None
