"""How large a logarithm in an exponent is meant to be: `exp(xlogy(a, a / (a + b)) - log(a))`."""

from __future__ import annotations

from math import log

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.interval import NON_NEGATIVE, TOP, Interval
from mllint_nan.flow.formats import dtype_of
from mllint_nan.ir.term import Term, behind_views


def logarithm_range(inner: Term) -> Interval:
    """The range of the log of a normal finite number, or of a share's `xlogy`; else all numbers."""
    name, operands = inner.operation.name, inner.operands
    if name == "xlogy" and _is_share_of(*operands):
        return NON_NEGATIVE.negated
    if name != "log":
        return TOP
    format_ = FORMATS.get(dtype_of(inner), FORMATS["float16"])
    return Interval(format_.lowest * log(2.0), (format_.highest + 1) * log(2.0))


def _is_share_of(part: Term, quotient: Term) -> bool:
    """Whether these are `a` and its share `a / (a + b)` of a whole, which are both positive."""
    inner, own = behind_views(quotient), behind_views(part)
    if inner.operation.name != "div" or behind_views(inner.operands[0]).key != own.key:
        return False
    whole = behind_views(inner.operands[1])
    summands = {behind_views(summand).key for summand in whole.operands}
    return whole.operation.name == "add" and own.key in summands
