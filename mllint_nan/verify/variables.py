"""The inputs of what is cut out of a program, and why something cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MINUS_INFINITY: Final = "minus infinity"
"""The variable of a term that stands for what a mask puts into scores."""
FORMAT: Final = "float format"
"""The variable of a term that stands for the float format in which it is executed."""


class Uncuttable(Exception):
    """The match cannot be executed by itself; the message says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Variable:
    """An input: the finite numbers from `lo` to `hi`, integers or booleans alone where it says."""

    name: str
    lo: float
    hi: float
    is_integer: bool = False
    is_boolean: bool = False
    is_derived: bool = False
    """Whether the program computes it from what may keep it from being all that it is here."""
    is_number: bool = False
    """One number of Python's own, whatever the shape of the others."""
    holes: tuple[float, ...] = ()
    """Between `lo` and `hi`: what it never is."""

    @property
    def is_differentiable(self) -> bool:
        """Whether a gradient flows into it; counts and masks have none."""
        return not (self.is_integer or self.is_boolean or self.is_number)
