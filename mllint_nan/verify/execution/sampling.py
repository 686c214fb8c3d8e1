"""Which inputs are tried: ordinary numbers, all decades of a format, and where functions break."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mllint_nan.verify.execution.inputs import Point
from mllint_nan.verify.execution.task import Task

AXES_APART: Final = (2, 3, 4)
"""Where axis 1 is not the last, and no axis is as long as another."""
_SCALES: Final = (1.0, 1.0, 0.1, 1.0, 10.0, 1.0, 1e-3, 100.0, 1e3)
_FAR: Final = (10.0, 100.0, 1e3, 30.0, 300.0, 3e3, 1.0, -1.0)
"""Where inputs lie close together, and differences of what is made of them cancel."""
_DIGITS: Final = (1.0, 2.3, 4.1)
_MORE_DIGITS: Final = (5.2, 6.4, 7.9)
_USUAL_EXPONENT: Final = 2
_APART: Final = (50.0, 60.0, 40.0, 70.0, 1e3, 2e3)
"""Of two rows: exp of less is a result beside 1, and of more an overflow."""
_BESIDE_CONSTANT: Final = (0.8, 1.25)
"""On both sides of what a program or its fix writes: a floor may be seen nowhere else."""
_CENTRES: Final = (1.0, 2.0, 5.0)
"""Of each decade: inputs lie around them as they do around 0."""


class Sampler:
    """Draws the inputs of a task, in the shape that it has at the time."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.form, self.chance = task.form, task.chance

    def points(self) -> Iterator[Point]:
        """The sweep at one shape, ordinary numbers first; few where only axes are in question."""
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
        yield from (self.drawn(form.tiny**0.4) for _ in range(6))  # whose cubes underflow
        yield from (self.filled((number,)) for number in extreme)
        for constant, part in itertools.product(constants, _BESIDE_CONSTANT):
            yield self.filled((constant * part,))
        yield self.filled((form.max, -form.max))

    def rows_apart(self) -> Iterator[Point]:
        """Every other row much larger: what belongs to one row alone is another number there."""
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
        """Few inputs, of many elements."""
        yield from (self.filled((number,)) for number in (1.0, 0.0, -1.0, 200.0))
        yield from (self.drawn(scale) for scale in (1.0, 1.0, 0.1, 10.0))

    def decades(self) -> Iterator[Point]:
        """All inputs in one decade, of either sign, then each one alone in every third."""
        form, variables = self.form, self.task.variables
        least = math.ceil(math.log10(form.tiny))  # below, some frameworks compute with 0
        most = math.floor(math.log10(form.max) / 2)
        exponents = range(most, least - 1, -1)
        for exponent, sign in itertools.product(exponents, (1.0, -1.0)):
            yield self.filled([sign * digit * 10.0**exponent for digit in _DIGITS])
            if abs(exponent) <= _USUAL_EXPONENT:
                yield self.filled([sign * digit * 10.0**exponent for digit in _MORE_DIGITS])
        finest = min(most, math.ceil(-math.log10(form.eps)))  # further on 1 is absorbed
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
        """One input in every decade, of either sign, beside others that are 0 or 1 by turns.

        Beside both of them where it is neither small nor large: there functions saturate.
        """
        for variable, exponent in itertools.product(self.task.variables[:3], exponents):
            for place, sign in enumerate((1.0, -1.0)):
                row = self.filled([sign * digit * 10.0**exponent for digit in _DIGITS])
                usual = abs(exponent) <= _USUAL_EXPONENT
                for special in (0.0, 1.0) if usual else (float((exponent + place) % 2),):
                    yield {**self.filled((special,)), variable.name: row[variable.name]}

    def around(self, point: Point) -> Iterator[Point]:
        """Beside an input, in every decade of distances on both sides."""
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
        """The same where masks select all elements, all but one, and one alone."""
        masks = [variable.name for variable in self.task.variables if variable.is_boolean]
        if not masks:
            return
        for single, others in ((True, True), (False, True), (True, False)):
            point = dict(self.filled(row))
            for name in masks:
                point[name] = [single, *[others] * (len(point[name]) - 1)]
            yield point

    def filled(self, cycle: Sequence[float], stagger: int = 0) -> Point:
        """Every input filled with a cycle; with `stagger` each one begins further on in it."""
        layout = self.task.layout
        return {
            variable.name: [
                variable.admit(cycle[(index + stagger * place) % len(cycle)], self.form)
                for index in range(layout.size_of(variable.name))
            ]
            for place, variable in enumerate(layout.variables)
        }

    def drawn(self, scale: float, *, is_shared: bool = False, around: float = 0.0) -> Point:
        """Normal deviates of one scale, the same for all inputs if shared."""
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
        """All numbers on the other side of a centre; None if that is no other input, or none."""
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
        """All numbers larger by one factor, the largest of them as large; None if not admitted."""
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
        """A part of the way from one input to another."""
        return {
            variable.name: [
                a if variable.is_boolean else variable.admit(a + part * (b - a), self.form)
                for a, b in zip(first[variable.name], second[variable.name], strict=True)
            ]
            for variable in self.task.variables
        }

    def mutated(self, point: Point) -> Point:
        """One element exchanged for one that is near it, or that matters."""
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
        """A few units in the last place of 1 away, in alternating directions; or of the number.

        A value at 0 stands for itself: what jumps there, does so on both sides. Where an input is
        so large that what is taken for exact absorbs 1 in it, that is no truth, and all elements
        move, in one direction, lest they cancel.
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
