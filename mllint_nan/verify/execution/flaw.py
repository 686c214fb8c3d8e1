"""Whether an input shows the flaw, and a fix repairs it there and in similar places."""

from __future__ import annotations

import math
from typing import Final

from mllint_nan.verify.execution.adapters import Seen
from mllint_nan.verify.execution.inputs import Point
from mllint_nan.verify.execution.magnitudes import are_within, is_moderate
from mllint_nan.verify.execution.results import distance, example_of, place
from mllint_nan.verify.execution.sampling import Sampler
from mllint_nan.verify.execution.task import Task

LARGE: Final = (10.0, 1e4)
_COMES_BACK: Final = 1e-2
"""A gradient that is not a rounding error."""
_FURTHEST: Final = 1e6
_CENTRES: Final = (0.0, 0.5)
"""The centres of domains with two ends: from -1 to 1, and probabilities."""
_NOISE: Final = 1e-2
"""A change of a continuous result larger than a last digit of an input causes."""
_REFLECTED_MOST: Final = 12
"""The most inputs of each shape for which the other end, or larger inputs, are tried."""


class Flaw:
    """Where the original fails, and what the fix returns there."""

    def __init__(self, task: Task, sampler: Sampler) -> None:
        self.task, self.sampler = task, sampler
        self.form, self.outcome = task.form, task.outcome
        self.seen: dict[tuple[int, ...], Point] = {}
        """By shape: where the original was first seen to fail."""
        self._reflected: dict[tuple[int, ...], int] = {}
        """By shape: at how many inputs the other end was tried."""
        self._far_out: dict[tuple[int, ...], int] = {}
        """By shape: at how many inputs larger ones were tried."""

    def is_hazard(self, seen: Seen) -> bool:
        """Whether a result alone shows the flaw; lost digits show only beside the fix."""
        match self.task.hazard:
            case "gradient":
                return seen.has_value and not seen.has_gradient
            case "value":
                return not seen.has_value
            case _:
                return False

    def judge(self, point: Point, before: Seen, after: Seen) -> None:
        """Record the results of both sides at an input where the original may fail."""
        outcome = self.outcome
        if not (
            self.is_hazard(before)
            or self._is_cut_off(before, after)
            or self._loses_digits(before, after)
        ):
            if before.has_value and not before.has_gradient and after.is_finite:
                self._judge_other_end(point, before)
            return
        example = example_of(self.task, point, before, after)
        outcome.is_flaw_large |= any(abs(one) > LARGE[0] for part in point.values() for one in part)
        outcome.is_flaw_at_large |= are_within(point, LARGE)
        outcome.is_flaw_usual |= are_within(point, (0.0, LARGE[0]))
        self.seen.setdefault(self.task.layout.shape, point)
        if after.is_finite:
            outcome.witnesses += 1
            outcome.repaired += 1
            outcome.witness = outcome.witness or example
            self._judge_other_end(point, before)
            self._judge_further_out(point, before)
        elif is_moderate(point, self.form) and before.value != after.value:
            outcome.witnesses += 1
            outcome.unrepaired = outcome.unrepaired or example
        elif is_moderate(point, self.form):
            outcome.idle = outcome.idle or example

    def _judge_other_end(self, point: Point, before: Seen) -> None:
        """Refute a fix that repairs a flaw at one end of the domain and not at the other.

        The same elements must fail in the same way there, and so in exact arithmetic. Beyond an
        end nothing has a value, so with several inputs each may have a flaw of its own there;
        the end itself is next to inputs where the original is finite.
        """
        task, shape = self.task, self.task.layout.shape
        if self._reflected.get(shape, 0) >= _REFLECTED_MOST or not is_moderate(point, self.form):
            return
        self._reflected[shape] = self._reflected.get(shape, 0) + 1
        exact: Seen | None = None
        for centre in _CENTRES:
            other = self.sampler.reflected(point, centre)
            if other is None:
                continue
            failing = task.run("before", other)
            if failing.is_finite or not self._fail_alike(before, failing):
                continue
            after = task.run("after", other)
            exact = exact or task.truth(point)
            is_left = after.has_value == failing.has_value and not after.is_finite
            if not (is_left and self._fail_alike(exact, task.truth(other))):
                continue
            if not failing.has_value and self._loses_its_value(point, other, failing):
                continue
            is_simple = centre == 0 and len(task.variables) == 1
            if is_simple or self._is_finite_beside(other):
                example = example_of(self.task, other, failing, after)
                what = f"{example['what']}, although it repairs {place(point)}"
                self.outcome.counterexample = {**example, "what": what}
                return

    def _loses_its_value(self, point: Point, other: Point, failing: Seen) -> bool:
        """Whether failing elements have a value in exact arithmetic here, but not there."""
        if not self.task.has("precise"):
            return False
        broken = [at for at, one in enumerate(failing.value) if not math.isfinite(one)]
        here, there = (
            [math.isnan(self.task.precise(one, at, None, ())) for at in broken]
            for one in (point, other)
        )
        return any(there) and not any(here)

    def _judge_further_out(self, point: Point, before: Seen) -> None:
        """Refute a fix that repairs a value but returns NaN for larger inputs: NaN is no overflow.

        Values made by rounding alone are exempt, as of the determinant of a singular matrix,
        whose sign differs by processor.
        """
        task, shape = self.task, self.task.layout.shape
        if before.has_value or self._far_out.get(shape, 0) >= _REFLECTED_MOST:
            return
        if self._is_noise(point):
            return
        further = self.sampler.scaled(point, _FURTHEST)
        if further is None:
            return
        self._far_out[shape] = self._far_out.get(shape, 0) + 1
        failing = task.run("before", further)
        if not self._fail_alike(before, failing):
            return
        after = task.run("after", further)
        if any(map(math.isnan, after.value)):
            example = example_of(self.task, further, failing, after)
            what = f"{example['what']}, although it repairs {place(point)}"
            self.outcome.counterexample = {**example, "what": what}

    def _is_noise(self, point: Point) -> bool:
        """Whether a finer format has no value here, or a very different one a last digit away."""
        exact = self.task.truth(point)
        if not exact.has_value:
            return self.task.finest < self.form.eps
        near = (self.sampler.beside(point, "value", parity, is_relative=True) for parity in (0, 1))
        most = _NOISE * max(1.0, *map(abs, exact.value), 0.0)
        return any(
            len(beside.value) != len(exact.value) or not distance(beside.value, exact.value) <= most
            for beside in map(self.task.truth, near)
        )

    def _is_finite_beside(self, point: Point) -> bool:
        nearby = originals_beside(self.task, self.sampler, point, "gradient")
        return any(near.is_finite for near in nearby)

    def _fail_alike(self, first: Seen, second: Seen) -> bool:
        """Whether the same elements are NaN, and the same ones infinite."""
        kinds = [
            [(math.isnan(one), math.isinf(one)) for one in side]
            for seen in (first, second)
            for side in (seen.gradient if first.has_value else seen.value,)
        ]
        return first.has_value == second.has_value and kinds[0] == kinds[1]

    def _is_cut_off(self, before: Seen, after: Seen) -> bool:
        """Whether the fix restores a gradient that is 0."""
        if self.task.hazard != "gradient" or not (before.is_finite and after.is_finite):
            return False
        return not any(before.gradient) and max(map(abs, after.gradient), default=0) > _COMES_BACK

    def _loses_digits(self, before: Seen, after: Seen) -> bool:
        """Whether a value has less than half of the digits of the fix's value."""
        if self.task.hazard != "accuracy" or not (before.is_finite and after.is_finite):
            return False
        most = math.sqrt(self.form.eps)
        return len(before.value) == len(after.value) and any(
            abs(old - new) > most * abs(new)
            for old, new in zip(before.value, after.value, strict=True)
        )


def originals_beside(
    task: Task, sampler: Sampler, point: Point, side: str, *, is_relative: bool = False
) -> list[Seen]:
    """Return the results of the original on both sides of an input."""
    points = (sampler.beside(point, side, parity, is_relative=is_relative) for parity in (0, 1))
    return [task.run("before", near) for near in points]
