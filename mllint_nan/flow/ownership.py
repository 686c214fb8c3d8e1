"""The origin of a value: a framework, another library, or a visible class."""

from __future__ import annotations

from enum import IntEnum


class Origin(IntEnum):
    """The origin of a value; the higher, the less likely it is a tensor."""

    TENSOR = 0
    """A framework's, as shown by an annotation, a test, or the operation that made it."""
    OPEN = 1
    """Not shown, as for most parameters and attributes."""
    STRANGE = 2
    """The result of a function of another library, which may be a tensor."""
    MIXED = 3
    """Either a tensor or an object of another class, by its annotation."""
    FOREIGN = 4
    """An object of a class of another library."""
    OWN = 5
    """An object of a visible class that is derived from no tensor."""
