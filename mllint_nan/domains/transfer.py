"""The float operations on abstract values: v ∈ γ(a) ⇒ f(v) ∈ γ(f#(a)), rounding included.

Bounds are rounded to the dtype. Those of correctly rounded operations are exact; the others are
moved outwards by a few ulps, except where libraries agree (exp(0) is 1). Subnormal bounds reach 0
where frameworks flush. A tensor is assumed to have an element; zeros have either sign. An operation
without a row, or with a missing operand, yields ⊤.

Interval arithmetic with outward rounding: Moore, Kearfott and Cloud, "Introduction to Interval
Analysis" (2009).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from mllint_nan.domains import (
    arithmetic,
    comparison,
    conversion,
    convex,
    creation,
    losses,
    monotone,
    reduction,
    selection,
)
from mllint_nan.domains.call import Call, Row
from mllint_nan.domains.dtype import is_float, promote
from mllint_nan.domains.value import BOTTOM, TOP, Value
from mllint_nan.ir.ops import REQUIRED, Operation

# The first operand only selects or describes; its format does not matter.
_FIRST_IS_NO_TERM: Final = frozenset({"where", "einsum"})


def transfer(
    operation: Operation,
    operands: Sequence[Value],
    settings: Mapping[str, object],
    dtype: str = "float32",
) -> Value:
    """f#: the value of `operation`, computed in `dtype` unless the operands show another format"""
    row = TRANSFER.get(operation.name)
    if row is None or len(operands) < operation.operands:
        return TOP
    if any(value.is_bottom for value in operands):
        return BOTTOM
    shown = _shown(operands[1:] if operation.name in _FIRST_IS_NO_TERM else operands, dtype)
    call = Call(tuple(operands), {**operation.defaults, **settings}, shown or dtype)
    if any(call.settings[name] is REQUIRED for name in operation.defaults):
        return TOP
    value = row(call)
    if shown is not None and value.dtype is None:
        return replace(value, dtype=shown)
    return value


def _shown(operands: Iterable[Value], dtype: str) -> str | None:
    """The format of the result; None if no operand shows one. A bare constant adapts."""
    shown: str | None = None
    unknown = False
    for value in operands:
        if is_float(value.dtype):
            shown = value.dtype if shown is None else promote(shown, value.dtype)
        elif value.dtype is None and not value.is_constant:
            unknown = True
    return promote(shown, dtype) if shown is not None and unknown else shown


TRANSFER: Final[Mapping[str, Row]] = MappingProxyType(
    {
        **monotone.ROWS,
        **convex.ROWS,
        **arithmetic.ROWS,
        **selection.ROWS,
        **conversion.ROWS,
        **reduction.ROWS,
        **comparison.ROWS,
        **creation.ROWS,
        **losses.ROWS,
    }
)
