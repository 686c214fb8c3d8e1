"""The kinds of objects that an expression yields: a Python number, a tensor, an array."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import reduce
from typing import Final


class Kind(Enum):
    """`NUMBER`, `ARRAY` and `TENSOR` are certain; the others say what is missing.

    A NumPy scalar that is computed from numbers is a `NUMBER`: no function of PyTorch takes it.
    """

    NOTHING = "nothing"
    """No value gets here: the `None` of an optional number, a loop before its first round."""
    NUMBER = "number"
    ARRAY = "array"
    """An array of NumPy."""
    TENSOR = "tensor"
    """A tensor of PyTorch, TensorFlow, Keras or JAX, or anything that has a tensor's methods."""
    EITHER = "either"
    """A number on one path or by default, or an attribute of unknown origin."""
    UNKNOWN = "unknown"
    """Nothing visible suggests a number."""

    def joined(self, other: Kind) -> Kind:
        """The kind of a value that comes from one path or the other."""
        if self is other or other is Kind.NOTHING:
            return self
        if self is Kind.NOTHING:
            return other
        is_certain = not {self, other} & {Kind.NUMBER, Kind.EITHER}
        return Kind.UNKNOWN if is_certain else Kind.EITHER

    def combined(self, other: Kind) -> Kind:
        """The kind that an operator makes of both: a number times a tensor is a tensor."""
        if Kind.NOTHING in (self, other):
            return Kind.NOTHING
        return max(self, other, key=_STRENGTHS.index)


def of_paths(kinds: Iterable[Kind]) -> Kind:
    """The kind of a value that comes from one of several paths."""
    return reduce(Kind.joined, kinds, Kind.NOTHING)


def of_operands(kinds: Iterable[Kind]) -> Kind:
    """The kind of the result of an operation on several operands."""
    found = list(kinds)
    return reduce(Kind.combined, found) if found else Kind.UNKNOWN


_STRENGTHS: Final = (Kind.NUMBER, Kind.EITHER, Kind.UNKNOWN, Kind.ARRAY, Kind.TENSOR)
