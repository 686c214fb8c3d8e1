"""Arrays whose columns scikit-learn has scaled: a column of equal elements stays one."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.ir.term import OPAQUE, Term, peel

_FUNCTIONS: Final = re.compile(r"^call sklearn\.preprocessing\.((minmax_|maxabs_|robust_)?scale)$")
_SCALERS: Final = re.compile(
    r"^call sklearn\.preprocessing\.(Standard|MinMax|MaxAbs|Robust)Scaler$"
)
_METHODS: Final = ("call fit_transform", "call transform")


def before_scaling(scaled: Term) -> Term | None:
    """The array whose columns a call shifts and scales; `None` for any other term.

    Such a call divides by 1 where a column is constant, so its own division is safe.
    """
    if scaled.operation is not OPAQUE or len(scaled.operands) < 2:
        return None
    maker, array = peel(scaled.operands[0]), scaled.operands[1]
    if _FUNCTIONS.search(str(scaled.detail)):
        return array
    is_method = scaled.detail in _METHODS and maker.operation is OPAQUE
    return array if is_method and _SCALERS.search(str(maker.detail)) else None
