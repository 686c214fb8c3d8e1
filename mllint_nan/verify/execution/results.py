"""Results of several elements: how far apart they are, and how they are described."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from mllint_nan.verify.execution.adapters import Seen
from mllint_nan.verify.execution.inputs import Point
from mllint_nan.verify.execution.task import Shown, Task

UNSAFE_TOLERANCE: Final = 1e-2
_GROWTH: Final = 1 + 1e-3


def distance(first: Sequence[float], second: Sequence[float]) -> float:
    apart = [abs(a - b) for a, b in zip(first, second, strict=True)]
    return math.inf if any(map(math.isnan, apart)) else max(apart, default=0.0)


def finite_alone(*seen: Seen) -> tuple[int, ...] | None:
    """The finite elements of an original that lacks others; None if it has all or none."""
    before, _, exact = seen
    if before.has_value or len({len(each.value) for each in seen}) > 1:
        return None
    sides = enumerate(zip(before.value, exact.value, strict=True))
    return tuple(i for i, pair in sides if all(map(math.isfinite, pair))) or None


def is_jump(new: Sequence[float], sides: Iterable[Sequence[float]]) -> bool:
    """Whether each element equals the original's on one of the sides of a jump."""
    return all(
        any(abs(one - other) <= UNSAFE_TOLERANCE * abs(other) for other in others)
        for one, *others in zip(new, *sides, strict=True)
    )


def grows(new: Sequence[float], true: Sequence[float], shift: float) -> bool:
    """Whether some element grows beyond itself and 1, or changes its sign by more than `shift`."""
    return any(
        abs(after) > (shift if after * exact < 0 else _GROWTH * max(1.0, abs(exact)))
        for after, exact in zip(new, true, strict=True)
    )


def example_of(task: Task, point: Point, before: Seen, after: Seen) -> Shown:
    """Return both results at an input: the values, or the gradients if those are the flaw."""
    is_gradient = task.hazard == "gradient" and before.has_value
    side = "gradient" if is_gradient else "value"
    old, new = ((seen.value if side == "value" else seen.gradient) for seen in (before, after))
    return task.shown(point, f"{side} {text(old)}, after the fix {text(new)}")


def difference_of(
    task: Task, point: Point, side: str, true: Sequence[float], new: Sequence[float]
) -> Shown:
    return task.shown(point, f"the {side} {text(true)} becomes {text(new)}")


def place(point: Point) -> str:
    return ", ".join(f"{name} = {text(numbers)}" for name, numbers in point.items())


def text(numbers: Sequence[float]) -> str:
    some = ", ".join(f"{number:.6g}" for number in numbers[:6])
    return f"[{some}{', ...' if len(numbers) > 6 else ''}]" if len(numbers) != 1 else some
