"""From known inputs to others: around the flaw, to larger deviations, and to a witness.

A guided search, as in Chiang and others, "Efficient search for inputs causing high floating-point
errors" (PPoPP 2014).
"""

from __future__ import annotations

import itertools
import math
from typing import Final

from mllint_nan.verify.execution.adapters import Seen, weights
from mllint_nan.verify.execution.comparison import Judge
from mllint_nan.verify.execution.inputs import Point
from mllint_nan.verify.execution.sampling import Sampler
from mllint_nan.verify.execution.task import Task

_SEARCHED_MOST: Final = 400
_REFINED_MOST: Final = 60
_SPREAD: Final = 64.0
_BISECTED_MOST: Final = 8
_AROUND_ROOTS: Final = (-10.0, -4.1, -1.3, -0.7, -0.2, 0.2, 0.7, 1.3, 4.1, 10.0)
_ROOTS_MOST: Final = 2
_ROOT_HALVED: Final = 30


def sweep(task: Task, sampler: Sampler, judge: Judge) -> None:
    """Judge all points at one shape, until something is wrong or the time is over."""
    judge.unchanged, judge.changed = [], []
    for point in sampler.points():
        if task.is_over:
            break
        judge.judge(point)
    if len(task.layout.shape) == 2 and not task.layout.narrow:
        judge.is_apart = True
        for point in sampler.rows_apart():
            if not task.is_over:
                judge.judge(point)
        judge.is_apart = False
    _bisect(task, judge)


def sweep_many(task: Task, sampler: Sampler, judge: Judge) -> None:
    """Judge inputs of many elements, where sums and counts are larger."""
    judge.is_counted, judge.spread = False, _SPREAD
    for point in sampler.many():
        if task.is_over:
            break
        judge.judge(point)
    judge.is_counted, judge.spread = True, 1.0


def refine(task: Task, sampler: Sampler, judge: Judge) -> None:
    """Judge all decades of the format and around the flaw, then mutations of the worst point."""
    judge.is_counted = False
    judge.worst_point, judge.worst_share = None, 0.0  # the old ones may have another shape
    judge.unchanged, judge.changed = [], []
    judge.precise.clear()
    flawed = judge.flaw.seen.get(task.layout.shape)
    beside = () if flawed is None else sampler.around(flawed)
    for point in itertools.chain(sampler.decades(), beside):
        if task.is_over:
            break
        judge.judge(point)
    _judge_roots(task, sampler, judge)
    for _ in range(_REFINED_MOST):
        if judge.worst_point is None or task.is_over:
            break
        judge.judge(sampler.mutated(judge.worst_point))
    judge.is_counted = True
    _bisect(task, judge)


def _judge_roots(task: Task, sampler: Sampler, judge: Judge) -> None:
    """Judge inputs around the original's zeros: its values are small on both sides of them."""
    signs: dict[bool, Point] = {}
    found = 0
    for number in _AROUND_ROOTS:
        if task.is_over or found == _ROOTS_MOST:
            return
        point = sampler.filled((number,))
        value = task.run("before", point).value
        if not all(map(math.isfinite, value)) or not value[0]:
            continue
        signs[value[0] > 0] = point
        if len(signs) > 1:
            found += 1
            for near in sampler.around(_root(task, sampler, signs[False], signs[True])):
                if not task.is_over:
                    judge.judge(near)
            signs = {value[0] > 0: point}


def _root(task: Task, sampler: Sampler, negative: Point, positive: Point) -> Point:
    """Find where the first element of a value changes its sign."""
    for _ in range(_ROOT_HALVED):
        middle = sampler.between(negative, positive, 0.5)
        value = task.run("before", middle).value[0]
        negative, positive = (middle, positive) if value < 0 else (negative, middle)
    return positive


def _bisect(task: Task, judge: Judge) -> None:
    """Judge jumps between inputs that the fix leaves unchanged and those that it changes."""
    for number, changed in enumerate(judge.changed[:_BISECTED_MOST]):
        if judge.unchanged and not task.is_over:
            judge.judge_jump(judge.unchanged[number % len(judge.unchanged)], changed)


def search(task: Task, sampler: Sampler, judge: Judge) -> None:
    """Climb towards larger results and gradients if the sweep found no witness."""
    best = sampler.drawn(1.0)
    known = task.run("before", best)
    height = -math.inf
    for count in range(_SEARCHED_MOST):
        if task.outcome.witnesses or task.is_over:
            return
        point = sampler.drawn(1.0) if count % 50 == 0 else sampler.mutated(best)
        if count % 3 == 1:
            point = _followed(task, sampler, best, known)
        seen = task.run("before", point)
        if judge.flaw.is_hazard(seen):
            judge.judge(point)
            return
        reached = seen.value if task.hazard == "value" else seen.gradient
        steepest = max((*map(abs, reached), *map(abs, seen.gradient)), default=0.0)
        if count % 50 == 0 or steepest >= height:
            best, known, height = point, seen, steepest


def _followed(task: Task, sampler: Sampler, point: Point, seen: Seen) -> Point:
    """Step along one input's gradient to a zero below a log, quotient or root.

    For an f that is log(u), 1/u or sqrt(u), Newton's step towards the root of u is -1/f', f/f'
    or -f/(2f'): one such step is enough where u is linear.
    """
    watched = [variable for variable in task.variables if variable.is_differentiable]
    count = math.prod(task.layout.shape)
    if not watched or len(seen.gradient) != len(watched) * count or not seen.is_finite:
        return sampler.mutated(point)
    place = task.chance.randrange(len(watched))
    kind = task.chance.randrange(3)
    seeds = weights(len(seen.value))
    moved: list[float] = []
    for index, number in enumerate(point[watched[place].name]):
        entry = index if len(seen.value) == count else 0
        slope = seen.gradient[place * count + index] / seeds[entry]
        if slope:
            value = seen.value[entry]
            step = (-1 / slope, value / slope, -value / (2 * slope))[kind]
            number = watched[place].admit(number + step, task.form)
        moved.append(number)
    return {**point, watched[place].name: moved}
