"""Whose object a value is: a framework's, another library's, or one of a class in sight."""

from __future__ import annotations

from enum import IntEnum


class Origin(IntEnum):
    """Whose object a value is; the higher, the less it can be a tensor."""

    TENSOR = 0
    """A framework's, shown by an annotation or a test, or by what made it."""
    OPEN = 1
    """Nothing shows it: a parameter, an attribute."""
    STRANGE = 2
    """What a function of another library gave, which may be a tensor."""
    MIXED = 3
    """Either a tensor or an object of another class, by its annotation."""
    FOREIGN = 4
    """An object of a class of another library."""
    OWN = 5
    """An object of a class in sight, which is derived from no tensor."""
