"""Judging one input: the flaw, its repair, and whether both sides agree within rounding.

Errors in units in the last place: Goldberg, "What every computer scientist should know about
floating-point arithmetic" (1991).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Final

from mllint_nan.verify.execution.adapters import Seen, weights
from mllint_nan.verify.execution.decimals import LARGEST
from mllint_nan.verify.execution.flaw import LARGE, Flaw, originals_beside
from mllint_nan.verify.execution.formats import DOUBLE
from mllint_nan.verify.execution.inputs import Point
from mllint_nan.verify.execution.magnitudes import are_within, is_moderate, is_usual, may_underflow
from mllint_nan.verify.execution.results import (
    UNSAFE_TOLERANCE,
    difference_of,
    distance,
    example_of,
    finite_alone,
    grows,
    is_jump,
    text,
)
from mllint_nan.verify.execution.sampling import Sampler
from mllint_nan.verify.execution.task import Task

_ULPS_USUAL: Final = 32.0
_ULPS_COARSE: Final = 8.0
"""For half precision, where 32 ulps are some per cent."""
_COARSE: Final = 1e-4
_ULPS_UNKNOWN: Final = 2.0**32
"""About 1e-6 in double precision; used when the error of the original is unknown."""
_SMALL_TOLERANCE: Final = 2e-3
"""Relative to a value much smaller than 1, which rounding of larger values may have disturbed."""
_KNOWN_MOST: Final = 2.0**20
_CHANGED_LEAST: Final = 1e-4
"""A smaller change of a fix that may change results does not count."""
_UNDERFLOW_TOLERANCE: Final = 0.5
"""Where squares underflow, neither side has many digits: only gross errors count."""
_ORDINARY: Final = (1e-3, 10.0)
_JUMP_LEAST: Final = 1e-3
"""The least jump of a value between neighbouring inputs."""
_HALVED_MOST: Final = 64
_STEPS: Final = 8
_PRECISE_MOST: Final = 64
"""How many exact results are computed, which takes long."""
_REGAINED_TOLERANCE: Final = 1e-2
"""For results that were lost: a fix that regains them needs few digits."""


class Judge:
    """Executes both sides of a task at one input after another, and records what they show."""

    def __init__(self, task: Task, sampler: Sampler) -> None:
        self.task, self.sampler = task, sampler
        self.form, self.outcome = task.form, task.outcome
        self.is_counted = True
        """Whether inputs count towards the share of changed results."""
        self.is_apart = False
        """Whether the rows of the inputs have two magnitudes."""
        self.worst_point: Point | None = None
        """Where the fix takes the largest share of the allowed deviation, and that share."""
        self.worst_share = 0.0
        self.flaw = Flaw(task, sampler)
        self.precise: dict[tuple[Any, ...], float] = {}
        """Exact results by inputs and position of an element."""
        self.unchanged: list[Point] = []
        self.changed: list[Point] = []
        """Ordinary inputs of one shape whose value the fix does not change, and others."""
        self.spread = 1.0
        """The factor by which the rounding error of a result of many elements may be larger."""
        self._truth_eps = task.finest
        """The epsilon of exact results; some functions do not support the finest format."""
        self._kept: tuple[int, ...] | None = None
        """The indices of the elements that are compared if the original lacks some."""

    def judge(self, point: Point) -> None:
        """Execute both sides at an input."""
        task, outcome = self.task, self.outcome
        before, after = task.run("before", point), task.run("after", point)
        self.flaw.judge(point, before, after)
        has_overflown = not before.has_value and any(map(math.isinf, before.value))
        limit = math.sqrt(self.form.max)
        is_far = any(abs(n) > limit for part in point.values() for n in part)
        if is_far and not has_overflown:
            return
        exact = task.truth(point)
        self._truth_eps = DOUBLE if exact.kind.startswith("float64") else task.finest
        if has_overflown:
            self._judge_overflow(point, before, after, exact)
        if is_far:
            return
        self._judge_regained(point, before, after, exact)
        if outcome.counterexample is not None:
            return
        self._kept = finite_alone(before, after, exact)
        if not before.has_value and self._kept is None:
            return
        self._judge_underflow(point, before, after, exact)
        old, new, true = map(self._values, (before, after, exact))
        sides = [("value", old, new, true)]
        if before.is_finite:
            sides.append(("gradient", before.gradient, after.gradient, exact.gradient))
        is_compared, changed = False, outcome.changed
        for side, old, new, true in sides:
            if not true or len(true) != len(old):
                continue
            if len(new) != len(old):
                self._judge_lost(point, side, old)
                return
            largest = max(map(abs, true))
            if not all(map(math.isfinite, true)) or largest > self.form.max / 100:
                continue
            is_compared |= self._compare(point, side, old, new, true)
            if outcome.counterexample is not None:
                return
        if is_compared:
            self._count(point, changed)

    def _count(self, point: Point, changed: int) -> None:
        """Count a compared input; `changed` is the number of changed inputs before it."""
        task, outcome = self.task, self.outcome
        outcome.compared += 1
        if self.spread > 1:
            tried, differing = outcome.many
            outcome.many = tried + 1, differing + outcome.changed - changed
        if self.is_apart:
            tried, differing = outcome.apart
            outcome.apart = tried + 1, differing + outcome.changed - changed
        if are_within(point, _ORDINARY):
            (self.unchanged if outcome.changed == changed else self.changed).append(point)
        outcome.changed = min(outcome.changed, changed + 1)
        if not self.is_counted and are_within(point, LARGE):
            is_positive = next(iter(point.values()))[0] > 0
            tried, differing = outcome.large.get(is_positive, (0, 0))
            outcome.large[is_positive] = tried + 1, differing + outcome.changed - changed
        if self.is_counted and self._is_distinct(point):
            group = outcome.ordinary if are_within(point, _ORDINARY) else outcome.unusual
            shape = task.layout.shape
            tried, differing = group.get(shape, (0, 0))
            group[shape] = tried + 1, differing + outcome.changed - changed

    # Lost and regained values

    def _judge_regained(self, point: Point, before: Seen, after: Seen, exact: Seen) -> None:
        """Compare results that only the fix has, in any format, with exact results.

        Fixes with an epsilon are exempt: they give another number there.
        """
        task, eps = self.task, self.form.eps
        if not task.has("precise") or task.has("shrunk") or len(task.layout.shape) > 1:
            return
        count = len(before.value)
        watched = [variable.name for variable in task.variables if variable.is_differentiable]
        entries = [(name, index) for name in watched for index in range(len(point[name]))]
        values: list[tuple[str | None, int]] = [(None, index) for index in range(count)]
        for side, places in (("value", values), ("gradient", entries)):
            of_all = [getattr(seen, side) for seen in (before, after, exact)]
            if {*map(len, of_all)} != {len(places)}:
                continue
            if side == "gradient" and not self._is_distinct(point):
                continue
            for (name, index), old, new, known in zip(places, *of_all, strict=True):
                if not math.isfinite(new) or math.isfinite(old) or math.isfinite(known):
                    continue
                precise = self._exactly(point, index, name, count)
                if not abs(precise) < self.form.max / 100:
                    continue
                share = max(_REGAINED_TOLERANCE, 64 * eps)
                allowed = share * max(abs(precise), 1.0 if name else 0.0)
                allowed += (_ULPS_USUAL + task.slack) * eps
                if name is None and abs(new - precise) > allowed:
                    allowed += self._rounding(point, index, count)
                if abs(new - precise) > allowed:
                    self._refute(point, f"exact {side}", [precise], [new])
                    return

    def _exactly(self, point: Point, index: int, name: str | None, count: int) -> float:
        """Return an exact element, or a derivative by one; NaN if it cannot be decided."""
        place = (*map(tuple, point.values()), index, name)
        if place not in self.precise:
            is_large = any(abs(one) > LARGEST for row in point.values() for one in row)
            if is_large or len(self.precise) >= _PRECISE_MOST:
                return math.nan
            self.precise[place] = self.task.precise(point, index, name, weights(count))
        return self.precise[place]

    def _rounding(self, point: Point, index: int, count: int) -> float:
        """Return by how much the rounding of inputs can move an element of the exact result."""
        alone = [float(place == index) for place in range(count)]
        moved = 0.0
        for variable in self.task.variables:
            for place, number in enumerate(point[variable.name]):
                if not variable.is_boolean:
                    slope = self.task.precise(point, place, variable.name, alone)
                    moved += abs(slope * max(1.0, abs(number))) if math.isfinite(slope) else 0.0
        return 8 * self.form.eps * moved

    def _judge_underflow(self, point: Point, before: Seen, after: Seen, exact: Seen) -> None:
        """Record whether the fix regains a value that underflows to 0, or loses it too.

        This is the flaw if there is no other, as for a scale that is divided by.
        """
        if self.task.is_safe or self.task.hazard != "value" or not is_usual(point):
            return
        sides = (before.value, after.value, exact.value)
        if len(set(map(len, sides))) > 1 or not (before.is_finite and after.is_finite):
            return
        tiny = self.form.tiny
        of_lost = [
            new * math.copysign(1.0, true)
            for old, new, true in zip(*sides, strict=True)
            if 0 < abs(true) < tiny and not old
        ]
        if not of_lost:
            return
        outcome, example = self.outcome, example_of(self.task, point, before, after)
        if all(new > 0 for new in of_lost):
            outcome.regained = outcome.regained or example
        else:
            outcome.lost = outcome.lost or example

    def _judge_lost(self, point: Point, side: str, old: Sequence[float]) -> None:
        """Refute a fix that raises an exception where the original has a result."""
        if is_moderate(point, self.form):
            what = f"the {side} {text(old)} is lost: the fix raises an exception"
            self.outcome.counterexample = self.task.shown(point, what)

    def _judge_overflow(self, point: Point, before: Seen, after: Seen, exact: Seen) -> None:
        """Refute the fix if an overflowing result changes its sign, or becomes 0."""
        sides = (before.value, after.value, exact.value)
        if len(set(map(len, sides))) > 1:
            return
        for old, new, true in zip(*sides, strict=True):
            if math.isinf(old) and self.form.max < abs(true) < math.inf and new * true <= 0:
                self._refute(point, "value", exact.value, after.value)

    def judge_jump(self, kept: Point, changed: Point) -> None:
        """Refute the fix if it jumps between two inputs where the original is continuous."""
        near, far = kept, kept
        for step in range(1, _STEPS + 1):
            near, far = far, self.sampler.between(kept, changed, step / _STEPS)
            if self._apart(far) > _JUMP_LEAST / 2:
                break
        else:
            return
        for _ in range(_HALVED_MOST):
            middle = self.sampler.between(near, far, 0.5)
            if middle in (near, far):
                break
            near, far = (near, middle) if self._apart(middle) > _JUMP_LEAST / 2 else (middle, far)
        task = self.task
        old = [task.truth(point).value for point in (near, far)]
        new = [task.run("after", point).value for point in (near, far)]
        if len({*map(len, old), *map(len, new)}) > 1:
            return
        moved = distance(*new)
        if _JUMP_LEAST < moved < math.inf and distance(*old) < moved * _JUMP_LEAST:
            self._refute(far, "value", old[1], new[1])

    def _apart(self, point: Point) -> float:
        """Return by how much the fix changes a value; 0 if that cannot be decided."""
        old, new = self.task.truth(point).value, self.task.run("after", point).value
        apart = distance(old, new) if len(old) == len(new) else 0.0
        return apart if math.isfinite(apart) else 0.0

    # The comparison

    def _compare(
        self,
        point: Point,
        side: str,
        old: Sequence[float],
        new: Sequence[float],
        true: Sequence[float],
    ) -> bool:
        """Whether one side of the results could be compared; refutes the fix if it differs."""
        task, outcome, eps = self.task, self.outcome, self.form.eps
        unit = eps * max(1.0, *map(abs, true), 0.0)
        deviation, error = distance(new, true), distance(old, true)
        if math.isinf(deviation) and not is_moderate(point, self.form):
            return False  # an intermediate result overflows
        if math.isinf(deviation) and self.spread > 1 and error > max(map(abs, true)) / 2:
            return False  # a rest of many elements that cancel: no digit is known
        usual = _ULPS_COARSE if eps > _COARSE else _ULPS_USUAL
        ulps = usual * self.spread if task.finest < eps else _ULPS_UNKNOWN
        allowed = 4 * error + ulps * unit
        if self.worst_share < deviation / allowed < math.inf:
            self.worst_share, self.worst_point = deviation / allowed, point
        if deviation <= allowed:
            if error <= _ULPS_USUAL * unit:
                outcome.worst = max(outcome.worst, (deviation - error) / unit)
            return self._compare_small(point, side, old, new, true)
        is_gross = deviation > UNSAFE_TOLERANCE * max(map(abs, true)) and error <= allowed / 8
        nearby = originals_beside(self.task, self.sampler, point, side)
        sides = [true, *(self._side(near, side) for near in nearby)]
        is_whole = len(set(map(len, sides))) == 1
        if is_gross and is_whole and not is_jump(new, sides):
            nearby = originals_beside(self.task, self.sampler, point, side, is_relative=True)
        if task.has("rough") and task.finest >= eps:
            nearby.append(task.run("rough", point, "float32"))  # where this errs, the fix may too
        for near in nearby:
            beside = self._side(near, side)
            if len(beside) != len(old) or not all(map(math.isfinite, beside)):
                return False  # at the edge of a singularity
            allowed += 8 * distance(beside, old)
        if may_underflow(point, self.form):
            allowed = max(allowed, _UNDERFLOW_TOLERANCE * max(map(abs, true)))
        if deviation <= allowed or self._is_shift(point, side, deviation, new, true, allowed):
            return True
        if not task.is_safe and math.isfinite(deviation):
            if deviation > max(_CHANGED_LEAST, 8 * eps) * unit / eps:
                outcome.changed += 1
                is_ordinary = are_within(point, _ORDINARY) and self._is_distinct(point)
                if is_ordinary and task.has("shrunk"):  # an epsilon cannot be the reason
                    self._refute(point, side, true, new)
                outcome.change = outcome.change or difference_of(task, point, side, true, new)
            return True
        self._refute(point, side, true, new)
        return True

    def _is_shift(
        self,
        point: Point,
        side: str,
        deviation: float,
        new: Sequence[float],
        true: Sequence[float],
        allowed: float,
    ) -> bool:
        """Whether an epsilon of the fix moves the result towards 0, by no more than it may."""
        task, offset = self.task, self.task.offset
        if not task.has("shrunk") or not math.isfinite(deviation):
            return False
        without = self._side(task.run("shrunk", point, "float64"), side)
        scale = max(1.0, *map(abs, true), 0.0)
        is_bounded = (
            side == "gradient"
            or deviation <= 4 * math.sqrt(offset) * scale
            or any(0 < abs(one) <= offset for part in point.values() for one in part)
        )
        if len(without) != len(true) or distance(without, true) > allowed:
            return False
        if not is_bounded and task.is_safe:
            return False
        if side == "value" and grows(new, true, 4 * math.sqrt(offset)):
            self._refute(point, side, true, new)
        if side == "value":
            self.outcome.moved = max(self.outcome.moved, deviation)
        return True

    def _compare_small(
        self,
        point: Point,
        side: str,
        old: Sequence[float],
        new: Sequence[float],
        true: Sequence[float],
    ) -> bool:
        """Whether values much smaller than 1 could be compared, each by its own digits.

        Only if the original has these digits, or their loss is the flaw to repair: otherwise the
        result in double precision is not reliable either.
        """
        task, form, truth = self.task, self.form, self._truth_eps
        if side != "value" or not task.is_safe or task.offset:
            return True
        share = max(_SMALL_TOLERANCE, 64 * form.eps)
        slack = task.slack * form.eps * max(1.0, *map(abs, true), 0.0)
        allowed = [share * abs(exact) + slack for exact in true]
        wrong = []
        for index, (before, after, exact) in enumerate(zip(old, new, true, strict=True)):
            is_known = abs(exact) > _KNOWN_MOST * truth
            if truth < form.eps and task.hazard != "accuracy":
                is_known = abs(before - exact) <= _ULPS_USUAL * form.eps * abs(exact)
            if is_known and abs(exact) > 16 * form.tiny and abs(after - exact) > allowed[index]:
                wrong.append(index)
        if not wrong:
            return True
        for parity, is_relative in itertools.product((0, 1), (False, True)):
            near = self.sampler.beside(point, side, parity, is_relative=is_relative)
            beside = self._values(task.run("before", near))
            if len(beside) != len(old) or not all(map(math.isfinite, beside)):
                return False  # at the edge of a singularity
            for index in wrong:
                allowed[index] += 8 * abs(beside[index] - old[index])
        if any(abs(new[index] - true[index]) > allowed[index] for index in wrong):
            self._refute(point, side, true, new)
        return True

    def _values(self, seen: Seen) -> Sequence[float]:
        """Return the elements of a value that are compared."""
        if self._kept is None or len(seen.value) <= self._kept[-1]:
            return seen.value
        return [seen.value[index] for index in self._kept]

    def _side(self, seen: Seen, side: str) -> Sequence[float]:
        return self._values(seen) if side == "value" else seen.gradient

    def _refute(self, point: Point, side: str, true: Sequence[float], new: Sequence[float]) -> None:
        self.outcome.counterexample = difference_of(self.task, point, side, true, new)

    # Properties of an input

    def _is_distinct(self, point: Point) -> bool:
        """Whether the input is at no kink, where inputs are equal and the gradient is ambiguous."""
        watched = [variable for variable in self.task.variables if variable.is_differentiable]
        numbers = [abs(one) for variable in watched for one in point[variable.name]]
        return len(set(numbers)) == len(numbers)
