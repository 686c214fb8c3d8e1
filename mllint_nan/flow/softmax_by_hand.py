"""A softmax written out: the exponentials of logits, divided by their sum."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from mllint_nan.domains.bounds import is_saturated
from mllint_nan.domains.value import Value
from mllint_nan.flow.elements import behind_shapes
from mllint_nan.flow.extrema import shift_of
from mllint_nan.ir.term import Term, peel

_FAR_APART: Final = 1e4
"""A difference whose negative exponential is 0 in every format."""


def logits_of(quotient: Term) -> Term | None:
    """The x whose softmax a term is: exp(x) / sum(exp(x)), shifted by a maximum or not."""
    inner = peel(quotient)
    if inner.operation.name != "div":
        return None
    raised, total = behind_shapes(inner.operands[0]), behind_shapes(inner.operands[1])
    if raised.operation.name != "exp" or total.operation.name != "sum":
        return None
    if behind_shapes(total.operands[0]).key != raised.key:
        return None
    exponent = peel(raised.operands[0])
    is_shifted = exponent.operation.name == "sub" and shift_of(exponent) is not None
    return exponent.operands[0] if is_shifted else exponent


def is_saturated_softmax(quotient: Term, ask: Callable[[Term], Value]) -> bool:
    """Whether a term is a softmax by hand, of logits so far apart that it attains 0 and 1."""
    logits = logits_of(quotient)
    if logits is None:
        return False
    value = ask(logits)
    return is_saturated(value) and math.exp(-min(value.hi - value.lo, _FAR_APART)) == 0
