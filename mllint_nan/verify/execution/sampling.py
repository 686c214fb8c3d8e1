"""The inputs that are tried: ordinary numbers, all decades of a format, and special points.

Inputs from all magnitudes, as in Panchekha and others, "Automatically improving accuracy
for floating point expressions" (PLDI 2015).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mllint_nan.verify.execution.inputs import Point
from mllint_nan.verify.execution.task import Task

AXES_APART: Final = (2, 3, 4)
"""A shape where axis 1 is not the last, and all axes have different lengths."""
_SCALES: Final = (1.0, 1.0, 0.1, 1.0, 10.0, 1.0, 1e-3, 100.0, 1e3)
_FAR: Final = (10.0, 100.0, 1e3, 30.0, 300.0, 3e3, 1.0, -1.0)
"""Centres around which inputs lie close together, so that differences of results cancel."""
_DIGITS: Final = (1.0, 2.3, 4.1)
_MORE_DIGITS: Final = (5.2, 6.4, 7.9)
_USUAL_EXPONENT: Final = 2
_APART: Final = (50.0, 60.0, 40.0, 70.0, 1e3, 2e3)
"""The distances of two rows: exp of a smaller one is comparable to 1, of a larger one overflows."""
_BESIDE_CONSTANT: Final = (0.8, 1.25)
"""Factors on both sides of a constant in the program or fix: a floor may show nowhere else."""
_CENTRES: Final = (1.0, 2.0, 5.0)
"""Digits of centres in each decade: inputs lie around them as they do around 0."""


class Sampler:
    """Draws the inputs of a task, in its current shape."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.form, self.chance = task.form, task.chance

    def points(self) -> Iterator[Point]:
        """Yield the sweep at one shape, ordinary numbers first; few points if only axes matter."""
        layout = self.task.layout
        if layout.shape == AXES_APART or layout.narrow:
            yield from (self.drawn(scale) for scale in _SCALES)
            return
        form, variables, constants = self.form, layout.variables, self.task.constants
        log_max = math.log(form.max)
        usual = [0.0, 1.0, -1.0, *constants, 0.5, 2.0, -2.0, 10.0, -10.0, 50.0, 1e-3]
        usual += [form.eps, -form.eps, log_max * 0.9, log_max * 1.2, -log_max * 1.2]
        usual += [200.0, 1e3, -1e3]
        first = 3 + len(constants)
        extreme = [form.tiny, -form.tiny, form.tiny * form.eps, math.sqrt(form.max)]
        extreme += [-math.sqrt(form.max), form.max / 4, form.max, -form.max]
        rows = ((0.0, 200.0), (0.0, 1e3, 1.0), (0.0, 0.0, 0.0, 3.0, -4.0, 5.0), (1.0, -1.0))
        yield from (self.filled((number,)) for number in usual[:first])
        for row in rows:
            yield self.filled(row)
            yield self.filled(row, stagger=1)
            yield from self._selected(row)
        yield from (self.drawn(scale) for scale in _SCALES)
        yield from (self.filled((number,)) for number in usual[first:])
        yield from (self.drawn(scale, is_shared=True) for scale in (1.0, 100.0))
        if len(variables) > 1:
            for zeroed in variables:
                yield {**self.drawn(1.0), zeroed.name: self.filled((0.0,))[zeroed.name]}
                yield {**self.filled((0.0,)), zeroed.name: self.filled((1.0,))[zeroed.name]}
            for _ in range(16):
                parts = [self.filled((self.chance.choice(usual),)) for _ in variables]
                yield {
                    variable.name: part[variable.name]
                    for variable, part in zip(variables, parts, strict=True)
                }
        yield from (self.drawn(self.chance.choice(_SCALES)) for _ in range(16))
        yield from (self.drawn(math.sqrt(form.eps) * abs(far), around=far) for far in _FAR)
        yield from (self.drawn(form.tiny**0.4) for _ in range(6))  # their cubes underflow
        yield from (self.filled((number,)) for number in extreme)
        for constant, part in itertools.product(constants, _BESIDE_CONSTANT):
            yield self.filled((constant * part,))
        yield self.filled((form.max, -form.max))

    def rows_apart(self) -> Iterator[Point]:
        """Yield points where every other row is much larger, to tell values of one row apart."""
        width = self.task.layout.shape[-1]
        for apart in _APART:
            point = self.drawn(1.0)
            yield {
                variable.name: [
                    variable.admit(one + apart * (index // width % 2), self.form)
                    for index, one in enumerate(point[variable.name])
                ]
                if variable.is_differentiable and not variable.is_number
                else point[variable.name]
                for variable in self.task.variables
            }

    def many(self) -> Iterator[Point]:
        """Yield a few inputs of many elements."""
        yield from (self.filled((number,)) for number in (1.0, 0.0, -1.0, 200.0))
        yield from (self.drawn(scale) for scale in (1.0, 1.0, 0.1, 10.0))

    def decades(self) -> Iterator[Point]:
        """Yield all inputs in one decade, of either sign, then each one alone in every third."""
        form, variables = self.form, self.task.variables
        least = math.ceil(math.log10(form.tiny))  # below, some frameworks flush to 0
        most = math.floor(math.log10(form.max) / 2)
        exponents = range(most, least - 1, -1)
        for exponent, sign in itertools.product(exponents, (1.0, -1.0)):
            yield self.filled([sign * digit * 10.0**exponent for digit in _DIGITS])
            if abs(exponent) <= _USUAL_EXPONENT:
                yield self.filled([sign * digit * 10.0**exponent for digit in _MORE_DIGITS])
        finest = min(most, math.ceil(-math.log10(form.eps)))  # further on, 1 is absorbed
        for exponent, sign in itertools.product(range(1, finest + 1), (1.0, -1.0)):
            yield from (self.drawn(1.0, around=sign * n * 10.0**exponent) for n in _CENTRES)
        if len(variables) < 2:
            return
        for variable, exponent in itertools.product(variables[:3], exponents[::3]):
            sign = self.chance.choice((1.0, -1.0))
            row = self.filled([sign * digit * 10.0**exponent for digit in _DIGITS])
            yield {**self.drawn(1.0), variable.name: row[variable.name]}
            yield {**self.filled((0.0,)), variable.name: row[variable.name]}
        yield from self._beside_special(exponents)

    def _beside_special(self, exponents: Iterable[int]) -> Iterator[Point]:
        """Yield one input in every decade, of either sign, with the others 0 or 1 in turn.

        In the usual decades, where functions do not saturate, both are tried.
        """
        for variable, exponent in itertools.product(self.task.variables[:3], exponents):
            for place, sign in enumerate((1.0, -1.0)):
                row = self.filled([sign * digit * 10.0**exponent for digit in _DIGITS])
                usual = abs(exponent) <= _USUAL_EXPONENT
                for special in (0.0, 1.0) if usual else (float((exponent + place) % 2),):
                    yield {**self.filled((special,)), variable.name: row[variable.name]}

    def around(self, point: Point) -> Iterator[Point]:
        """Yield points next to an input, at every decade of distances on both sides."""
        form = self.form
        finest = math.ceil(-math.log10(form.eps))
        for exponent, sign in itertools.product(range(1, finest), (1.0, -1.0)):
            step = sign * 10.0**-exponent
            yield {
                variable.name: [
                    one if variable.is_boolean else variable.admit(one + step, form)
                    for one in point[variable.name]
                ]
                for variable in self.task.variables
            }

    def _selected(self, row: Sequence[float]) -> Iterator[Point]:
        """Yield the filled point with masks that select all elements, all but one, and only one."""
        masks = [variable.name for variable in self.task.variables if variable.is_boolean]
        if not masks:
            return
        for single, others in ((True, True), (False, True), (True, False)):
            point = dict(self.filled(row))
            for name in masks:
                point[name] = [single, *[others] * (len(point[name]) - 1)]
            yield point

    def filled(self, cycle: Sequence[float], stagger: int = 0) -> Point:
        """Return every input filled with a cycle; with `stagger`, each starts further on in it."""
        layout = self.task.layout
        return {
            variable.name: [
                variable.admit(cycle[(index + stagger * place) % len(cycle)], self.form)
                for index in range(layout.size_of(variable.name))
            ]
            for place, variable in enumerate(layout.variables)
        }

    def drawn(self, scale: float, *, is_shared: bool = False, around: float = 0.0) -> Point:
        """Return normal deviates of one scale, the same for all inputs if shared."""
        layout, chance = self.task.layout, self.chance
        shared = [chance.gauss(around, scale) for _ in range(math.prod(layout.shape))]
        return {
            variable.name: [
                variable.admit(
                    shared[index] if is_shared else chance.gauss(around, scale), self.form
                )
                for index in range(layout.size_of(variable.name))
            ]
            for variable in layout.variables
        }

    def reflected(self, point: Point, centre: float) -> Point | None:
        """Return all numbers reflected at a centre; None if they are unchanged or not admitted."""
        form = self.form
        reflected: dict[str, Sequence[float]] = {}
        for variable in self.task.variables:
            numbers = [*point[variable.name]]
            if not variable.is_boolean:
                wanted = [2 * centre - one for one in numbers]
                within = [min(max(one, variable.lo), variable.hi) for one in wanted]
                numbers = [variable.admit(one, form) for one in within]
                far = (abs(a - b) > form.eps * abs(b) for a, b in zip(numbers, wanted, strict=True))
                if any(far):
                    return None
            reflected[variable.name] = numbers
        return None if reflected == {name: [*part] for name, part in point.items()} else reflected

    def scaled(self, point: Point, largest: float) -> Point | None:
        """Return all numbers scaled to at most `largest`; None if that is not admitted."""
        form = self.form
        numbers = [abs(one) for part in point.values() for one in part]
        factor = min(largest, math.sqrt(form.max)) / max(*numbers, form.tiny, 1.0)
        if factor <= 1:
            return None
        scaled: dict[str, Sequence[float]] = {}
        for variable in self.task.variables:
            scaled[variable.name] = point[variable.name]
            if not variable.is_boolean:
                wanted = [one * factor for one in point[variable.name]]
                scaled[variable.name] = [variable.admit(one, form) for one in wanted]
                far = (
                    abs(a - b) > form.eps * abs(b)
                    for a, b in zip(scaled[variable.name], wanted, strict=True)
                )
                if any(far):
                    return None
        return scaled

    def between(self, first: Point, second: Point, part: float) -> Point:
        """Return the point at a fraction of the way from one input to another."""
        return {
            variable.name: [
                a if variable.is_boolean else variable.admit(a + part * (b - a), self.form)
                for a, b in zip(first[variable.name], second[variable.name], strict=True)
            ]
            for variable in self.task.variables
        }

    def mutated(self, point: Point) -> Point:
        """Return an input with one element changed to a nearby or special number."""
        chance = self.chance
        variable = chance.choice(self.task.variables)
        numbers = list(point[variable.name])
        index = chance.randrange(len(numbers))
        number = float(numbers[index])
        others = [float(one) for part in point.values() for one in part]
        number = chance.choice(
            [
                *(0.0, -number, number * 2, number / 2, number * 16, number / 16, 1.0 - number),
                *(number + chance.gauss(0.0, 1.0), chance.choice(others)),
            ]
        )
        numbers[index] = variable.admit(number, self.form)
        if chance.random() < 0.2:
            numbers = [numbers[index]] * len(numbers)
        return {**point, variable.name: numbers}

    def beside(self, point: Point, side: str, parity: int, *, is_relative: bool = False) -> Point:
        """Return a point a few last places of 1 (or of the number) away, in alternating directions.

        A value at 0 is not moved: what jumps there, does so on both sides. If an input is so
        large that even the exact format absorbs 1, all elements move, in one direction, lest
        they cancel.
        """
        form, finest = self.form, self.task.finest
        absorbs = any(abs(one) * finest > 1 for part in point.values() for one in part)
        moved: dict[str, list[float]] = {}
        for place, variable in enumerate(self.task.variables):
            moved[variable.name] = list(point[variable.name])
            for index, number in enumerate(point[variable.name]):
                if variable.is_differentiable and (number or absorbs or side == "gradient"):
                    sign = 1 if (index * (not absorbs) + place) % 2 == parity else -1
                    least = abs(number) if is_relative and number else 1.0
                    step = max(least, abs(number)) * form.eps * 2
                    moved[variable.name][index] = variable.admit(number + sign * step, form)
        return moved
