"""What kind of object an expression gives: a number of Python's own, a tensor, an array."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import reduce
from typing import Final


class Kind(Enum):
    """`NUMBER`, `ARRAY` and `TENSOR` are certain; the others say what is missing.

    A NumPy scalar that is computed of numbers is a `NUMBER`: no function of PyTorch takes it.
    """

    NOTHING = "nothing"
    """No value gets here: the `None` of an optional number, a loop before its first round."""
    NUMBER = "number"
    ARRAY = "array"
    """NumPy's."""
    TENSOR = "tensor"
    """Of PyTorch, TensorFlow, Keras or JAX, or whatever has a tensor's methods."""
    EITHER = "either"
    """A number on one path or by default, or an attribute of unknown origin."""
    UNKNOWN = "unknown"
    """Nothing in sight speaks for a number."""

    def joined(self, other: Kind) -> Kind:
        """What comes out of one path or another."""
        if self is other or other is Kind.NOTHING:
            return self
        if self is Kind.NOTHING:
            return other
        is_certain = not {self, other} & {Kind.NUMBER, Kind.EITHER}
        return Kind.UNKNOWN if is_certain else Kind.EITHER

    def combined(self, other: Kind) -> Kind:
        """What an operator makes of both: a number times a tensor is a tensor."""
        if Kind.NOTHING in (self, other):
            return Kind.NOTHING
        return max(self, other, key=_STRENGTHS.index)


def of_paths(kinds: Iterable[Kind]) -> Kind:
    """What comes out where one of several is taken."""
    return reduce(Kind.joined, kinds, Kind.NOTHING)


def of_operands(kinds: Iterable[Kind]) -> Kind:
    """What an operation on several gives."""
    found = list(kinds)
    return reduce(Kind.combined, found) if found else Kind.UNKNOWN


_STRENGTHS: Final = (Kind.NUMBER, Kind.EITHER, Kind.UNKNOWN, Kind.ARRAY, Kind.TENSOR)
