"""Binary float formats: every number produced here is a member of its format.

float16, float32 and float64 are the interchange formats of IEEE 754-2019, section 3.6.

>>> round_to(1e-8, "float16")
0.0
>>> absorbs("float32", 1.0, -1e-10)
True
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import copysign, frexp, inf, isfinite, ldexp
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeGuard


@dataclass(frozen=True, slots=True)
class Format:
    """A binary format: `precision` significant bits, exponents from `lowest` to `highest`."""

    name: str
    precision: int
    lowest: int
    highest: int
    unpacked: str  # struct codes: the carrier, and an integer of the same width
    packed: str
    dropped: int = 0  # low bits of the carrier that the format lacks

    @property
    def eps(self) -> float:
        """The distance from 1 to the next larger number."""
        return ldexp(1.0, 1 - self.precision)

    @property
    def max(self) -> float:
        """The largest finite number."""
        return ldexp(2.0 - self.eps, self.highest)

    @property
    def tiny(self) -> float:
        """The smallest normal number."""
        return ldexp(1.0, self.lowest)

    @property
    def smallest(self) -> float:
        """The smallest positive number, a subnormal."""
        return ldexp(1.0, self.lowest - self.precision + 1)


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "float16": Format("float16", 11, -14, 15, "<e", "<h"),
        "bfloat16": Format("bfloat16", 8, -126, 127, "<f", "<i", dropped=16),
        "float32": Format("float32", 24, -126, 127, "<f", "<i"),
        "float64": Format("float64", 53, -1022, 1023, "<d", "<q"),
    }
)

# torch's short names. A bare `float` is float32 in torch but float64 in NumPy, so it is left out.
_ALIASES: Final[Mapping[str, str]] = MappingProxyType({"half": "float16", "double": "float64"})

# Bits and signedness of the integer types; `bool` is not one of them.
INTEGERS: Final[Mapping[str, tuple[int, bool]]] = MappingProxyType(
    {
        "int8": (8, True),
        "int16": (16, True),
        "int32": (32, True),
        "int64": (64, True),
        "uint8": (8, False),
        "uint16": (16, False),
        "uint32": (32, False),
        "uint64": (64, False),
        "short": (16, True),
        "int": (64, True),
        "long": (64, True),
    }
)


def is_float(name: str | None) -> TypeGuard[str]:
    """Whether `name` is one of `FORMATS`"""
    return name in FORMATS


def is_integer(name: str | None) -> TypeGuard[str]:
    """Whether `name` is one of `INTEGERS`"""
    return name in INTEGERS


def canonical_name(spelling: str) -> str:
    """`torch.half` → `float16`; an unknown name is returned without its module."""
    name = spelling.rpartition(".")[2]
    return _ALIASES.get(name, name)


def promote(first: str, second: str) -> str:
    """The narrowest format that holds both."""
    if first == second:
        return first
    if {first, second} == {"float16", "bfloat16"}:
        return "float32"
    return max(first, second, key=lambda name: FORMATS[name].precision * FORMATS[name].highest)


def round_to(value: float, dtype: str) -> float:
    """The member of `dtype` nearest to `value`, ties to even; overflow is ±inf."""
    if dtype == "float64" or value == 0.0 or not isfinite(value):
        return value
    form = FORMATS[dtype]
    if form.dropped:
        return _round(value, form)
    try:
        (rounded,) = struct.unpack(form.unpacked, struct.pack(form.unpacked, value))
    except OverflowError:
        return copysign(inf, value)
    return float(rounded)


def _round(value: float, form: Format) -> float:
    """`round_to` for a format that `struct` does not know."""
    leading = frexp(value)[1] - 1
    if leading > form.highest:
        return copysign(inf, value)
    exponent = max(leading, form.lowest) - form.precision + 1
    rounded = ldexp(round(ldexp(value, -exponent)), exponent)
    return rounded if abs(rounded) <= form.max else copysign(inf, value)


def step(value: float, dtype: str, count: int) -> float:
    """The member of `dtype` that is `count` members above `value` (also a member), at most ±inf."""
    form = FORMATS[dtype]
    sign = -1 << (8 * struct.calcsize(form.packed) - 1)

    def ordinal(number: float) -> int:
        bits: int = struct.unpack(form.packed, struct.pack(form.unpacked, number))[0]
        return (bits if bits >= 0 else sign - bits) >> form.dropped

    largest = ordinal(inf)
    moved = max(-largest, min(largest, ordinal(value) + count))
    bits = abs(moved) << form.dropped
    (neighbour,) = struct.unpack(form.unpacked, struct.pack(form.packed, bits))
    return float(neighbour) if moved >= 0 else -float(neighbour)


def absorbs(dtype: str, big: float, small: float) -> bool:
    """Whether big + small == big, computed in `dtype`"""
    kept = round_to(big, dtype)
    return round_to(kept + round_to(small, dtype), dtype) == kept
