"""The inputs of a cut, and why something cannot be cut out of a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MINUS_INFINITY: Final = "minus infinity"
"""The variable for the minus infinity that a mask puts into scores."""
FORMAT: Final = "float format"
"""The variable for the float format in which a term is executed."""


class Uncuttable(Exception):
    """The match cannot be executed by itself; the message is a short reason."""


@dataclass(frozen=True, slots=True)
class Variable:
    """An input: the finite numbers from `lo` to `hi`, or only integers or booleans among them."""

    name: str
    lo: float
    hi: float
    is_integer: bool = False
    is_boolean: bool = False
    is_derived: bool = False
    """Whether the program computes it, so that it may not take every value of its range."""
    is_number: bool = False
    """Whether it is a single Python number, whatever the shape of the other inputs."""
    holes: tuple[float, ...] = ()
    """Values between `lo` and `hi` that it never has."""

    @property
    def is_differentiable(self) -> bool:
        """Whether it has a gradient; counts and masks have none."""
        return not (self.is_integer or self.is_boolean or self.is_number)
