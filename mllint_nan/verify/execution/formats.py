"""Binary floating-point formats that Python alone can round to."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from functools import cached_property
from typing import Final

DOUBLE: Final = 2.0**-52
"""The epsilon of double precision."""
_PACKED: Final = {"float16": "<e", "float32": "<f", "float64": "<d"}
_BITS: Final = {
    "float16": (10, 15, -14),
    "bfloat16": (7, 127, -126),
    "float32": (23, 127, -126),
    "float64": (52, 1023, -1022),
}
"""For each format: fraction bits, greatest and least exponent of a normal number."""


@dataclass(frozen=True)
class Format:
    """A format, by its name in the frameworks."""

    name: str

    @cached_property
    def eps(self) -> float:
        """The distance from 1 to the next larger number."""
        return math.ldexp(1.0, -_BITS[self.name][0])

    @cached_property
    def max(self) -> float:
        """The largest finite number."""
        return math.ldexp(2.0 - self.eps, _BITS[self.name][1])

    @cached_property
    def tiny(self) -> float:
        """The least positive normal number."""
        return math.ldexp(1.0, _BITS[self.name][2])

    def round(self, number: float) -> float:
        """Round to the format, at most to its largest number; bfloat16 is truncated."""
        number = max(-self.max, min(self.max, number))
        if self.name == "bfloat16":
            bits: int = struct.unpack("<I", struct.pack("<f", number))[0]
            rounded: float = struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]
            return rounded
        rounded = struct.unpack(_PACKED[self.name], struct.pack(_PACKED[self.name], number))[0]
        return rounded

    def above(self, number: float) -> float:
        """Return the next normal number above a number."""
        step = max(abs(number) * self.eps, self.tiny)
        return self.round(number + step)
