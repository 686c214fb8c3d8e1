"""The inputs of an execution: which numbers each admits, and their shapes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mllint_nan.verify.execution.formats import Format

Point = Mapping[str, Sequence[float]]
"""The elements of each input, by its name."""


@dataclass(frozen=True)
class Variable:
    """An input: the finite numbers from `lo` to `hi`, or only integers or booleans among them."""

    name: str
    lo: float
    hi: float
    is_integer: bool
    is_boolean: bool
    is_differentiable: bool
    is_number: bool = False
    holes: Sequence[float] = ()
    """Values between `lo` and `hi` that it never has."""

    def number(self, point: Point) -> float:
        """Return the value of an input that is a Python number."""
        number = point[self.name][0]
        return int(number) if self.is_integer and math.isfinite(number) else number

    def admit(self, number: float, form: Format) -> float | bool:
        """Map a number to an admitted one: ranges fold, booleans are true for positive numbers."""
        if self.is_boolean:
            return number > 0
        if self.is_integer and abs(number) < 2.0**52:
            number = float(round(number))
        if not self.lo <= number <= self.hi:
            width = self.hi - self.lo
            if abs(number) < width < form.max:
                number = self.lo + math.fmod(abs(number), width)
            elif self.lo <= -number <= self.hi:
                number = -number
            else:
                number = self.lo if number < self.lo else self.hi
            if self.is_integer:
                number = float(math.floor(number))
        number = form.round(number)
        while number in self.holes:
            number = number + 1.0 if self.is_integer else form.above(number)
        return number


@dataclass(frozen=True)
class Layout:
    """The shape of all inputs but numbers; `narrow` is broadcast along the last axis."""

    variables: Sequence[Variable]
    shape: tuple[int, ...] = ()
    narrow: str = ""

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of one input."""
        if any(variable.is_number and variable.name == name for variable in self.variables):
            return ()
        return (*self.shape[:-1], 1) if name == self.narrow else self.shape

    def size_of(self, name: str) -> int:
        """Return the number of elements of one input."""
        return math.prod(self.shape_of(name))

    def nested(self, point: Point) -> dict[str, Any]:
        """The inputs as nested lists."""
        return {
            name: _nested(list(numbers), self.shape_of(name)) for name, numbers in point.items()
        }


def _nested(numbers: list[Any], shape: Sequence[int]) -> Any:
    if not shape:
        return numbers[0]
    size = len(numbers) // shape[0]
    return [
        _nested(numbers[start : start + size], shape[1:]) for start in range(0, len(numbers), size)
    ]
