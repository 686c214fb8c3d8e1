"""A call of a transfer function, and the type of these functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final

from mllint_nan.domains import reals
from mllint_nan.domains.dtype import FORMATS, Format, canonical_name, round_to
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.value import TOP, Value, constant

ULPS: Final = 4  # error of a library function
TAIL: Final = 2048  # error in a Gaussian tail: the argument is squared
COUNT: Final = 2.0**48  # no tensor has more elements
SIGNED_UNIT: Final = Interval(-1.0, 1.0)
BOTH: Final = frozenset({0.0, 1.0})
ZERO: Final = frozenset({0.0})
Row = Callable[["Call"], Value]


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a transfer function: operands, settings, and the format it computes in."""

    operands: tuple[Value, ...]
    settings: Mapping[str, object]
    dtype: str

    @property
    def form(self) -> Format:
        """The numbers of `dtype`."""
        return FORMATS[self.dtype]

    @property
    def x(self) -> Value:
        """The first operand."""
        return self.operands[0]

    @property
    def y(self) -> Value:
        """The second operand."""
        return self.operands[1]

    @property
    def nan(self) -> bool:
        """Whether some operand may be NaN."""
        return any(value.nan for value in self.operands)

    @property
    def free(self) -> bool:
        """Whether the operands fill their intervals independently, as far as the program shows."""
        values = self.operands
        return any(value.free for value in values) and all(map(_admits_all, values))

    def round(self, number: float) -> float:
        """`number` as a member of the format; NaN stays"""
        return round_to(number, self.dtype)

    def on(self, *operands: Value) -> Call:
        """The same call with other operands."""
        return Call(operands, self.settings, self.dtype)

    def hull(self, value: Value) -> Interval:
        """γ of `value`, whether or not it was rounded to the format before the operation"""
        lo, hi = value.lo, value.hi
        if lo > hi:
            return value.interval
        if value.free:
            largest = self.form.max
            lo = max(lo, -largest) if lo > -inf else lo
            hi = min(hi, largest) if hi < inf else hi
        return Interval(min(lo, self.round(lo)), max(hi, self.round(hi)))

    def setting(self, name: str) -> Value | None:
        """A setting as an abstract value: None if absent, ⊤ if it is not a number."""
        match self.settings.get(name):
            case None:
                return None
            case Value() as value:
                return value
            case bool() | int() | float() as number:
                return constant(reals.as_float(number))
            case _:
                return TOP


def _admits_all(value: Value) -> bool:
    return value.free or value.is_constant


def truth_values(value: Value) -> frozenset[bool]:
    """The truth values that it may have; NaN is true"""
    truths = set()
    if value.interval.contains(0.0):
        truths.add(False)
    if value.nan or not (value.interval.is_point and value.lo == 0.0):
        truths.add(True)
    return frozenset(truths)


def requested_format(call: Call) -> str | None:
    """The format that the setting `dtype` names"""
    name = call.settings.get("dtype")
    return canonical_name(name) if isinstance(name, str) else None
