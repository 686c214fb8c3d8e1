"""How large the numbers of an input are."""

from __future__ import annotations

import math
from typing import Final

from mllint_nan.verify.execution.formats import Format
from mllint_nan.verify.execution.inputs import Point

_MODERATE: Final = 1e4
"""Larger numbers may overflow although nothing is wrong."""
_USUAL: Final = (1e-3, 1e3)
"""Products of a few such numbers do not underflow."""


def are_within(point: Point, bounds: tuple[float, float]) -> bool:
    numbers = (abs(one) for part in point.values() for one in part)
    return all(bounds[0] <= one <= bounds[1] for one in numbers)


def is_usual(point: Point) -> bool:
    numbers = (abs(one) for part in point.values() for one in part)
    return all(one == 0 or _USUAL[0] <= one <= _USUAL[1] for one in numbers)


def is_moderate(point: Point, form: Format) -> bool:
    least = math.sqrt(form.tiny)
    numbers = (abs(one) for part in point.values() for one in part)
    return all(one == 0 or least <= one <= _MODERATE for one in numbers)


def may_underflow(point: Point, form: Format) -> bool:
    """Whether some input is so small that its square has few digits left, or none."""
    least = 8 * math.sqrt(form.tiny)
    return any(0 < abs(one) < least for part in point.values() for one in part)
