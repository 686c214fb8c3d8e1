"""What one input shows: the flaw, its repair, and whether both sides agree within rounding."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

from mllint_nan.verify.execution.adapters import Seen, weights
from mllint_nan.verify.execution.decimals import LARGEST
from mllint_nan.verify.execution.formats import DOUBLE
from mllint_nan.verify.execution.inputs import Point
from mllint_nan.verify.execution.sampling import Sampler
from mllint_nan.verify.execution.task import Shown, Task

_ULPS_USUAL: Final = 32.0
_ULPS_COARSE: Final = 8.0
"""Of half precision, in which 32 of them are some per cent."""
_COARSE: Final = 1e-4
_ULPS_UNKNOWN: Final = 2.0**32
"""About 1e-6 in double precision, where nothing shows how far the original is from the truth."""
_SMALL_TOLERANCE: Final = 2e-3
"""Of a value beside which 1 is large, what the rounding of larger ones leaves."""
_KNOWN_MOST: Final = 2.0**20
_MODERATE: Final = 1e4
"""What is larger may overflow although nothing is wrong."""
_UNSAFE_TOLERANCE: Final = 1e-2
_CHANGED_LEAST: Final = 1e-4
"""What is less is no change of a fix that may change results."""
_UNDERFLOW_TOLERANCE: Final = 0.5
"""Where squares underflow, neither side has many digits: what is wrong there is grossly so."""
_ORDINARY: Final = (1e-3, 10.0)
_LARGE: Final = (10.0, 1e4)
_COMES_BACK: Final = 1e-2
"""A gradient that is no rounding error."""
_GROWTH: Final = 1 + 1e-3
_JUMP_LEAST: Final = 1e-3
"""Of a value, between inputs that are neighbours."""
_HALVED_MOST: Final = 64
_STEPS: Final = 8
_FURTHEST: Final = 1e6
_USUAL: Final = (1e-3, 1e3)
"""Products of a few such numbers do not underflow."""
_CENTRES: Final = (0.0, 0.5)
"""Of what has two ends: from -1 to 1, and probabilities."""
_PRECISE_MOST: Final = 64
"""Exact results, which take long."""
_REGAINED_TOLERANCE: Final = 1e-2
"""Of results that were lost: a fix that regains them owes few digits."""
_REFLECTED_MOST: Final = 12
"""Of the inputs at which a fix repairs the flaw, at each shape."""


class Judge:
    """Executes both sides of a task at one input after the other, and notes what shows."""

    def __init__(self, task: Task, sampler: Sampler) -> None:
        self.task, self.sampler = task, sampler
        self.form, self.outcome = task.form, task.outcome
        self.is_counted = True
        """Whether inputs tell how many of all are changed."""
        self.is_apart = False
        """Whether the rows of inputs are of two magnitudes."""
        self.worst_point: Point | None = None
        """Where the fix uses up most of the deviation that is allowed, and what part of it."""
        self.worst_share = 0.0
        self.flawed: dict[tuple[int, ...], Point] = {}
        """By shape: where the original was first seen to fail."""
        self._reflected: dict[tuple[int, ...], int] = {}
        """By shape: at how many inputs the other end was tried."""
        self.precise: dict[tuple[Any, ...], float] = {}
        """By inputs, and the place of an element: exact results."""
        self.unchanged: list[Point] = []
        self.changed: list[Point] = []
        """Ordinary inputs of one shape at which a fix leaves a value as it is, and others."""
        self._far_out: dict[tuple[int, ...], int] = {}
        """Likewise what is larger."""
        self.spread = 1.0
        """How many times as large the rounding of a result of many elements may be."""
        self._truth_eps = task.finest
        """Of what is taken for exact: not all functions of a framework have its finest format."""
        self._kept: tuple[int, ...] | None = None
        """Which elements of a value are compared, where the original lacks others."""

    def judge(self, point: Point) -> None:
        """Execute both sides at an input."""
        task, outcome = self.task, self.outcome
        before, after = task.run("before", point), task.run("after", point)
        self._judge_flaw(point, before, after)
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
        self._kept = _finite_alone(before, after, exact)
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
        outcome.compared += is_compared
        if is_compared and self.spread > 1:
            tried, differing = outcome.many
            outcome.many = tried + 1, differing + outcome.changed - changed
        if is_compared and self.is_apart:
            tried, differing = outcome.apart
            outcome.apart = tried + 1, differing + outcome.changed - changed
        if is_compared and _are_within(point, _ORDINARY):
            (self.unchanged if outcome.changed == changed else self.changed).append(point)
        outcome.changed = min(outcome.changed, changed + 1)
        if is_compared and not self.is_counted and _are_within(point, _LARGE):
            is_positive = next(iter(point.values()))[0] > 0
            tried, differing = outcome.large.get(is_positive, (0, 0))
            outcome.large[is_positive] = tried + 1, differing + outcome.changed - changed
        if is_compared and self.is_counted and self._is_distinct(point):
            group = outcome.ordinary if _are_within(point, _ORDINARY) else outcome.unusual
            shape = task.layout.shape
            tried, differing = group.get(shape, (0, 0))
            group[shape] = tried + 1, differing + outcome.changed - changed

    # The flaw

    def is_hazard(self, seen: Seen) -> bool:
        """Whether what was executed alone shows the flaw; lost digits show beside the fix."""
        match self.task.hazard:
            case "gradient":
                return seen.has_value and not seen.has_gradient
            case "value":
                return not seen.has_value
            case _:
                return False

    def _judge_flaw(self, point: Point, before: Seen, after: Seen) -> None:
        outcome = self.outcome
        if not (
            self.is_hazard(before)
            or self._is_cut_off(before, after)
            or self._loses_digits(before, after)
        ):
            if before.has_value and not before.has_gradient and after.is_finite:
                self._judge_other_end(point, before)
            return
        shown = self._shown(point, before, after)
        outcome.is_flaw_large |= any(
            abs(one) > _LARGE[0] for part in point.values() for one in part
        )
        outcome.is_flaw_at_large |= _are_within(point, _LARGE)
        outcome.is_flaw_usual |= _are_within(point, (0.0, _LARGE[0]))
        self.flawed.setdefault(self.task.layout.shape, point)
        if after.is_finite:
            outcome.witnesses += 1
            outcome.repaired += 1
            outcome.witness = outcome.witness or shown
            self._judge_other_end(point, before)
            self._judge_further_out(point, before)
        elif self._is_moderate(point) and before.value != after.value:
            outcome.witnesses += 1
            outcome.unrepaired = outcome.unrepaired or shown
        elif self._is_moderate(point):
            outcome.idle = outcome.idle or shown

    def _judge_other_end(self, point: Point, before: Seen) -> None:
        """Where a fix repairs a flaw, it has to do so on the other side of the domain too.

        That is where the same elements fail in the same way, and in exact arithmetic as they do
        here. Beyond an end nothing has a value, so that with several inputs each may have a flaw
        of its own there; the end itself is beside where the original is finite.
        """
        task, shape = self.task, self.task.layout.shape
        if self._reflected.get(shape, 0) >= _REFLECTED_MOST or not self._is_moderate(point):
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
            is_simple = centre == 0 and len(task.variables) == 1
            if is_simple or any(near.is_finite for near in self._beside(other, "gradient")):
                shown = self._shown(other, failing, after)
                what = f"{shown['what']}; it repairs {_place(point)}"
                self.outcome.counterexample = {**shown, "what": what}
                return

    def _judge_further_out(self, point: Point, before: Seen) -> None:
        """Where a fix repairs a value, it has to do so of larger inputs too: NaN is no overflow."""
        task, shape = self.task, self.task.layout.shape
        if before.has_value or self._far_out.get(shape, 0) >= _REFLECTED_MOST:
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
            shown = self._shown(further, failing, after)
            what = f"{shown['what']}; it repairs {_place(point)}"
            self.outcome.counterexample = {**shown, "what": what}

    def _fail_alike(self, first: Seen, second: Seen) -> bool:
        """Whether the same elements are NaN, and the same ones infinite."""
        kinds = [
            [(math.isnan(one), math.isinf(one)) for one in side]
            for seen in (first, second)
            for side in (seen.gradient if first.has_value else seen.value,)
        ]
        return first.has_value == second.has_value and kinds[0] == kinds[1]

    def _judge_regained(self, point: Point, before: Seen, after: Seen, exact: Seen) -> None:
        """What a fix makes of what no format of the framework has, beside exact results.

        Where an epsilon is the fix, it is another number there.
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
        """An exact result of one element, or the derivative by it; NaN if it cannot be told."""
        place = (*map(tuple, point.values()), index, name)
        if place not in self.precise:
            is_large = any(abs(one) > LARGEST for row in point.values() for one in row)
            if is_large or len(self.precise) >= _PRECISE_MOST:
                return math.nan
            self.precise[place] = self.task.precise(point, index, name, weights(count))
        return self.precise[place]

    def _rounding(self, point: Point, index: int, count: int) -> float:
        """How far the rounding of inputs moves an element of the exact result."""
        alone = [float(place == index) for place in range(count)]
        moved = 0.0
        for variable in self.task.variables:
            for place, number in enumerate(point[variable.name]):
                if not variable.is_boolean:
                    slope = self.task.precise(point, place, variable.name, alone)
                    moved += abs(slope * max(1.0, abs(number))) if math.isfinite(slope) else 0.0
        return 8 * self.form.eps * moved

    def _judge_underflow(self, point: Point, before: Seen, after: Seen, exact: Seen) -> None:
        """Whether a value underflows to 0, and what a fix that may change it makes of it.

        That is the flaw where nothing else is: a scale that is divided by.
        """
        if self.task.is_safe or self.task.hazard != "value" or not _is_usual(point):
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
        if of_lost and all(new > 0 for new in of_lost):
            self.outcome.regained = self.outcome.regained or self._shown(point, before, after)
        elif of_lost:
            self.outcome.lost = self.outcome.lost or self._shown(point, before, after)

    def _is_cut_off(self, before: Seen, after: Seen) -> bool:
        """Whether a gradient that is 0 comes back."""
        if self.task.hazard != "gradient" or not (before.is_finite and after.is_finite):
            return False
        return not any(before.gradient) and max(map(abs, after.gradient), default=0) > _COMES_BACK

    def _loses_digits(self, before: Seen, after: Seen) -> bool:
        """Whether a value has less than half the digits of what the fix makes of it."""
        if self.task.hazard != "accuracy" or not (before.is_finite and after.is_finite):
            return False
        most = math.sqrt(self.form.eps)
        return len(before.value) == len(after.value) and any(
            abs(old - new) > most * abs(new)
            for old, new in zip(before.value, after.value, strict=True)
        )

    def _judge_lost(self, point: Point, side: str, old: Sequence[float]) -> None:
        """Where the original has a result, the fix needs one of as many elements."""
        if self._is_moderate(point):
            what = f"the {side} {_text(old)} is no more: the fix raises an exception"
            self.outcome.counterexample = self.task.shown(point, what)

    def _judge_overflow(self, point: Point, before: Seen, after: Seen, exact: Seen) -> None:
        """Where a result is too large for the format, another large one has to have its sign."""
        sides = (before.value, after.value, exact.value)
        if len(set(map(len, sides))) > 1:
            return
        for old, new, true in zip(*sides, strict=True):
            if math.isinf(old) and self.form.max < abs(true) < math.inf and new * true <= 0:
                self._refute(point, "value", exact.value, after.value)

    def judge_jump(self, kept: Point, changed: Point) -> None:
        """Between two inputs: whether the fix jumps where the original is continuous."""
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
        moved = _distance(*new)
        if _JUMP_LEAST < moved < math.inf and _distance(*old) < moved * _JUMP_LEAST:
            self._refute(far, "value", old[1], new[1])

    def _apart(self, point: Point) -> float:
        """By how much the fix changes a value; 0 where that cannot be told."""
        old, new = self.task.truth(point).value, self.task.run("after", point).value
        apart = _distance(old, new) if len(old) == len(new) else 0.0
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
        """Whether one side of the results could be compared; refutes where it differs."""
        task, outcome, eps = self.task, self.outcome, self.form.eps
        unit = eps * max(1.0, *map(abs, true), 0.0)
        deviation, error = _distance(new, true), _distance(old, true)
        if math.isinf(deviation) and not self._is_moderate(point):
            return False  # an intermediate result overflows
        if math.isinf(deviation) and self.spread > 1 and error > max(map(abs, true)) / 2:
            return False  # what is left of many elements that cancel: no digit is known
        usual = _ULPS_COARSE if eps > _COARSE else _ULPS_USUAL
        ulps = usual * self.spread if task.finest < eps else _ULPS_UNKNOWN
        allowed = 4 * error + ulps * unit
        if self.worst_share < deviation / allowed < math.inf:
            self.worst_share, self.worst_point = deviation / allowed, point
        if deviation <= allowed:
            if error <= _ULPS_USUAL * unit:
                outcome.worst = max(outcome.worst, (deviation - error) / unit)
            return self._compare_small(point, side, old, new, true)
        is_gross = deviation > _UNSAFE_TOLERANCE * max(map(abs, true)) and error <= allowed / 8
        nearby = self._beside(point, side)
        sides = [true, *(self._side(near, side) for near in nearby)]
        is_whole = len(set(map(len, sides))) == 1
        if is_gross and is_whole and not _is_jump(new, sides):
            nearby = self._beside(point, side, is_relative=True)
        if task.has("rough") and task.finest >= eps:
            nearby.append(task.run("rough", point, "float32"))  # where that errs, so may this
        for near in nearby:
            beside = self._side(near, side)
            if len(beside) != len(old) or not all(map(math.isfinite, beside)):
                return False  # at the edge of a singularity
            allowed += 8 * _distance(beside, old)
        if self._may_underflow(point):
            allowed = max(allowed, _UNDERFLOW_TOLERANCE * max(map(abs, true)))
        if deviation <= allowed or self._is_shift(point, side, deviation, new, true, allowed):
            return True
        if not task.is_safe and math.isfinite(deviation):
            if deviation > max(_CHANGED_LEAST, 8 * eps) * unit / eps:
                outcome.changed += 1
                is_ordinary = _are_within(point, _ORDINARY) and self._is_distinct(point)
                if is_ordinary and task.has("shrunk"):  # no epsilon is the reason
                    self._refute(point, side, true, new)
                outcome.change = outcome.change or _changed(task, point, side, true, new)
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
        """Whether an epsilon of the fix moves the result, by no more than it may: towards 0."""
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
        if len(without) != len(true) or _distance(without, true) > allowed:
            return False
        if not is_bounded and task.is_safe:
            return False
        if side == "value" and _grows(new, true, 4 * math.sqrt(offset)):
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
        """The same of values beside which 1 is large, each held to digits of its own.

        Only where the original has them, or lost digits are the flaw that is to be repaired:
        elsewhere what double precision makes of it is no truth either.
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

    def _beside(self, point: Point, side: str, *, is_relative: bool = False) -> list[Seen]:
        """The original on both sides of an input."""
        points = (
            self.sampler.beside(point, side, parity, is_relative=is_relative) for parity in (0, 1)
        )
        return [self.task.run("before", near) for near in points]

    def _values(self, seen: Seen) -> Sequence[float]:
        """Those elements of a value that are compared."""
        if self._kept is None or len(seen.value) <= self._kept[-1]:
            return seen.value
        return [seen.value[index] for index in self._kept]

    def _side(self, seen: Seen, side: str) -> Sequence[float]:
        return self._values(seen) if side == "value" else seen.gradient

    def _refute(self, point: Point, side: str, true: Sequence[float], new: Sequence[float]) -> None:
        self.outcome.counterexample = _changed(self.task, point, side, true, new)

    def _shown(self, point: Point, before: Seen, after: Seen) -> Shown:
        is_gradient = self.task.hazard == "gradient" and before.has_value
        side = "gradient" if is_gradient else "value"
        old, new = ((seen.value if side == "value" else seen.gradient) for seen in (before, after))
        return self.task.shown(point, f"{side} {_text(old)}, after the fix {_text(new)}")

    # Which input it is

    def _is_distinct(self, point: Point) -> bool:
        """Not at a kink, where inputs are equal and a gradient is any of several."""
        watched = [variable for variable in self.task.variables if variable.is_differentiable]
        numbers = [abs(one) for variable in watched for one in point[variable.name]]
        return len(set(numbers)) == len(numbers)

    def _is_moderate(self, point: Point) -> bool:
        least = math.sqrt(self.form.tiny)
        numbers = (abs(one) for part in point.values() for one in part)
        return all(one == 0 or least <= one <= _MODERATE for one in numbers)

    def _may_underflow(self, point: Point) -> bool:
        """Whether some input is so small that few digits are left of its square, or none."""
        least = 8 * math.sqrt(self.form.tiny)
        return any(0 < abs(one) < least for part in point.values() for one in part)


def _are_within(point: Point, bounds: tuple[float, float]) -> bool:
    numbers = (abs(one) for part in point.values() for one in part)
    return all(bounds[0] <= one <= bounds[1] for one in numbers)


def _is_usual(point: Point) -> bool:
    numbers = (abs(one) for part in point.values() for one in part)
    return all(one == 0 or _USUAL[0] <= one <= _USUAL[1] for one in numbers)


def _place(point: Point) -> str:
    return ", ".join(f"{name} = {_text(numbers)}" for name, numbers in point.items())


def _finite_alone(*seen: Seen) -> tuple[int, ...] | None:
    """Which elements the original has, where it lacks others; None where it has all or none."""
    before, _, exact = seen
    if before.has_value or len({len(each.value) for each in seen}) > 1:
        return None
    sides = enumerate(zip(before.value, exact.value, strict=True))
    return tuple(i for i, pair in sides if all(map(math.isfinite, pair))) or None


def _is_jump(new: Sequence[float], sides: Iterable[Sequence[float]]) -> bool:
    """Whether each element is that of the original on one of the sides of a jump."""
    return all(
        any(abs(one - other) <= _UNSAFE_TOLERANCE * abs(other) for other in others)
        for one, *others in zip(new, *sides, strict=True)
    )


def _grows(new: Sequence[float], true: Sequence[float], shift: float) -> bool:
    """Whether some element becomes larger than it is and 1, or has the other sign."""
    return any(
        abs(after) > (shift if after * exact < 0 else _GROWTH * max(1.0, abs(exact)))
        for after, exact in zip(new, true, strict=True)
    )


def _distance(first: Sequence[float], second: Sequence[float]) -> float:
    apart = [abs(a - b) for a, b in zip(first, second, strict=True)]
    return math.inf if any(map(math.isnan, apart)) else max(apart, default=0.0)


def _changed(
    task: Task, point: Point, side: str, true: Sequence[float], new: Sequence[float]
) -> Shown:
    return task.shown(point, f"the {side} {_text(true)} becomes {_text(new)}")


def _text(numbers: Sequence[float]) -> str:
    shown = ", ".join(f"{number:.6g}" for number in numbers[:6])
    return f"[{shown}{', ...' if len(numbers) > 6 else ''}]" if len(numbers) != 1 else shown
