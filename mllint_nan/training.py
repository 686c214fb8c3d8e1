"""What a project does with the gradients of what it defines, as a plain value."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple


class Training(Enum):
    """What a project does with the gradients of a definition."""

    THROUGH = "through"
    """Something is trained through it."""
    BESIDE = "beside"
    """Its uses are in sight, and nothing is trained through any of them."""
    UNKNOWN = "unknown"
    """Not all of its uses are in sight."""


class TrainingUse(NamedTuple):
    """What a project does with a definition, and the way on which it does."""

    training: Training
    path: tuple[str, ...]
    """From where a gradient is taken, or a value ends, down to the definition."""


NOT_IN_SIGHT: Final = TrainingUse(Training.UNKNOWN, ())
