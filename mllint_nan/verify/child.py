"""The process that executes: expressions and inputs come in as JSON, what was seen goes out.

It is started as a script of its own, isolated from the user's directories, and imports nothing of
this package: the standard library and one framework. The expressions are built by `render` from
the tables of that framework; nothing else is evaluated.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import math
import os
import random
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Final

_RESULTS: Final = (
    *("compared", "changed", "witnesses", "repaired", "worst", "moved"),
    "is_another_function",
)
_EXAMPLES: Final = ("witness", "unrepaired", "idle", "change", "counterexample")
_SHAPES: Final = ((), (3,), (2, 3), (3, 3), (3, 3, 3), (3, 3, 3, 3), (3, 3, 3, 3, 3))
_AXES_APART: Final = (2, 3, 4)
"""Where axis 1 is not the last, and no axis is as long as another."""
_BROADCAST_MOST: Final = 2
_SEARCHED_MOST: Final = 400
_ULPS_USUAL: Final = 32.0
_ULPS_UNKNOWN: Final = 2.0**32
"""About 1e-6 in double precision, where nothing shows how far the original is from the truth."""
_PACKED: Final = {"float16": "<e", "float32": "<f", "float64": "<d"}
_BITS: Final = {
    "float16": (10, 15, -14),
    "bfloat16": (7, 127, -126),
    "float32": (23, 127, -126),
    "float64": (52, 1023, -1022),
}
"""Of each format: fraction bits, greatest and least exponent of a normal number."""
_SCALES: Final = (1.0, 1.0, 0.1, 1.0, 10.0, 1.0, 1e-3, 100.0, 1e3)
_FAR: Final = (10.0, 100.0, 1e3, 30.0, 300.0, 3e3)
"""Where inputs lie close together, and differences of what is made of them cancel."""
_DOUBLE: Final = 2.0**-52
"""The epsilon of double precision."""
_SMALL_TOLERANCE: Final = 2e-3
"""Of a value beside which 1 is large, what the rounding of larger ones leaves."""
_KNOWN_MOST: Final = 2.0**20
_MODERATE: Final = 1e4
"""What is larger may overflow although nothing is wrong."""
_UNSAFE_TOLERANCE: Final = 1e-2
_CHANGED_LEAST: Final = 5e-4
"""What is less is no change of a fix that may change results."""
_UNDERFLOW_TOLERANCE: Final = 0.5
"""Where squares underflow, neither side has many digits: what is wrong there is grossly so."""
_ORDINARY: Final = (1e-3, 10.0)
_ORDINARY_LEAST: Final = 4
_ORDINARY_CHANGED: Final = 1 / 3
"""A fix that changes more of the ordinary inputs than so many is another function."""
_REFINED_MOST: Final = 60
_DIGITS: Final = (1.0, 2.3, 4.1)
_CENTRES: Final = (1.0, 2.0, 5.0)
"""Of each decade: inputs lie around them as they do around 0."""
_COMES_BACK: Final = 1e-2
"""A gradient that is no rounding error."""


@dataclass(frozen=True)
class _Format:
    name: str

    @property
    def eps(self) -> float:
        return math.ldexp(1.0, -_BITS[self.name][0])

    @property
    def max(self) -> float:
        return math.ldexp(2.0 - self.eps, _BITS[self.name][1])

    @property
    def tiny(self) -> float:
        return math.ldexp(1.0, _BITS[self.name][2])

    def round(self, number: float) -> float:
        """The member nearest to a number, at most the largest."""
        number = max(-self.max, min(self.max, number))
        if self.name == "bfloat16":
            bits: int = struct.unpack("<I", struct.pack("<f", number))[0]
            rounded: float = struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]
            return rounded
        rounded = struct.unpack(_PACKED[self.name], struct.pack(_PACKED[self.name], number))[0]
        return rounded


@dataclass(frozen=True)
class _Variable:
    name: str
    lo: float
    hi: float
    is_integer: bool
    is_boolean: bool
    is_differentiable: bool
    is_number: bool = False

    def number(self, point: _Point) -> float:
        """The number itself, where the input is one of Python's own."""
        number = point[self.name][0]
        return int(number) if self.is_integer and math.isfinite(number) else number

    def admit(self, number: float, form: _Format) -> float | bool:
        """The admitted member nearest in spirit: ranges fold, booleans are what is positive."""
        if self.is_boolean:
            return number > 0
        if self.is_integer and abs(number) < 2.0**52:
            number = float(round(number))
        if not self.lo <= number <= self.hi:
            width = self.hi - self.lo
            if abs(number) < width < form.max:
                number = self.lo + math.fmod(abs(number), width)
            elif self.lo <= -number <= self.hi:
                number = -number
            else:
                number = self.lo if number < self.lo else self.hi
            if self.is_integer:
                number = float(math.floor(number))
        return form.round(number)


_Point = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class _Seen:
    """What an expression returned: its elements, their kind, and the gradient of each input."""

    value: Sequence[float]
    kind: str
    gradient: Sequence[float]

    @property
    def has_value(self) -> bool:
        return all(map(math.isfinite, self.value))

    @property
    def has_gradient(self) -> bool:
        return all(map(math.isfinite, self.gradient))

    @property
    def is_finite(self) -> bool:
        return self.has_value and self.has_gradient


_FAILED: Final = _Seen((math.nan,), "", ())


def _weights(count: int) -> list[float]:
    """What each element of a result counts in the sum that is differentiated; all differ from 0."""
    return [1.0 + ((7 * index) % 5 - 2) / 8 for index in range(count)]


class _Torch:
    finest, eps = "float64", _DOUBLE

    def __init__(self) -> None:
        self.torch = importlib.import_module("torch")

    def run(
        self, code: CodeType, names: Mapping[str, Any], point: _Point, task: _Task, dtype: str
    ) -> _Seen:
        torch, watched = self.torch, []
        inputs: dict[str, Any] = {}
        for variable in task.variables:
            if variable.is_number:
                inputs[variable.name] = variable.number(point)
                continue
            kind = torch.bool if variable.is_boolean else getattr(torch, dtype)
            tensor = torch.tensor(list(point[variable.name]), dtype=kind)
            tensor = tensor.reshape(task.shape_of(variable.name))
            if variable.is_differentiable:
                watched.append(tensor.requires_grad_())
            inputs[variable.name] = tensor
        result = torch.as_tensor(eval(code, {**names, **inputs}))
        gradient: list[float] = []
        parts: Sequence[Any] = [None] * len(watched)
        if result.requires_grad and watched:
            weights = torch.tensor(_weights(result.numel()), dtype=result.dtype)
            parts = torch.autograd.grad(
                result, watched, weights.reshape(result.shape), allow_unused=True
            )
        for tensor, part in zip(watched, parts, strict=True):
            lost = torch.zeros_like(tensor)
            gradient += (lost if part is None else part).double().flatten().tolist()
        value = result.detach().double().flatten().tolist()
        return _Seen(value, f"{result.dtype} {tuple(result.shape)}", gradient)


class _TensorFlow:
    finest, eps = "float64", _DOUBLE

    def __init__(self) -> None:
        self.tf = importlib.import_module("tensorflow")

    def run(
        self, code: CodeType, names: Mapping[str, Any], point: _Point, task: _Task, dtype: str
    ) -> _Seen:
        tf, watched = self.tf, []
        inputs: dict[str, Any] = {}
        for variable in task.variables:
            if variable.is_number:
                inputs[variable.name] = variable.number(point)
                continue
            kind = tf.bool if variable.is_boolean else getattr(tf, dtype)
            tensor = tf.constant(list(point[variable.name]), dtype=kind)
            tensor = tf.reshape(tensor, task.shape_of(variable.name))
            if variable.is_differentiable:
                watched.append(tensor)
            inputs[variable.name] = tensor
        with tf.GradientTape() as tape:
            tape.watch(watched)
            result = tf.convert_to_tensor(eval(code, {**names, **inputs}))
        gradient: list[float] = []
        parts: Sequence[Any] = [None] * len(watched)
        if result.dtype.is_floating and watched:
            count = math.prod(result.shape.as_list())
            weights = tf.reshape(tf.constant(_weights(count), dtype=result.dtype), result.shape)
            parts = tape.gradient(result, watched, weights)
        for tensor, part in zip(watched, parts, strict=True):
            found = tf.zeros_like(tensor) if part is None else tf.convert_to_tensor(part)
            gradient += tf.cast(found, tf.float64).numpy().ravel().tolist()
        value = tf.cast(result, tf.float64).numpy().ravel().tolist()
        return _Seen(value, f"{result.dtype.name} {tuple(result.shape)}", gradient)


class _Jax:
    """Compiled, as `jax.jit` does: operation by operation it is a hundred times slower."""

    finest, eps = "float64", _DOUBLE

    def __init__(self) -> None:
        self.jax = importlib.import_module("jax")
        self.jnp = importlib.import_module("jax.numpy")
        self.compiled: dict[tuple[CodeType, tuple[int, ...], str, str], Any] = {}

    def run(
        self, code: CodeType, names: Mapping[str, Any], point: _Point, task: _Task, dtype: str
    ) -> _Seen:
        np = importlib.import_module("numpy")
        fixed: dict[str, Any] = {}
        watched: dict[str, Any] = {}
        for variable in task.variables:
            if variable.is_number:
                fixed[variable.name] = variable.number(point)
                continue
            kind = np.bool_ if variable.is_boolean else self.jnp.dtype(dtype)
            array = np.asarray(point[variable.name], dtype=kind)
            array = array.reshape(task.shape_of(variable.name))
            (watched if variable.is_differentiable else fixed)[variable.name] = array
        result, gradient = self._compiled(code, names, task, dtype)(watched, fixed)
        elements = [
            float(one)
            for name, array in watched.items()
            for one in np.ravel(gradient.get(name, np.zeros_like(array)))
        ]
        value = [float(one) for one in np.ravel(result)]
        return _Seen(value, f"{result.dtype} {tuple(result.shape)}", elements)

    def _compiled(
        self, code: CodeType, names: Mapping[str, Any], task: _Task, dtype: str
    ) -> Callable[..., tuple[Any, Mapping[str, Any]]]:
        """A number that is static in the program cannot be an input of a compiled function."""
        if any(variable.is_number for variable in task.variables):
            return lambda watched, fixed: self._evaluated(code, names, watched, fixed)
        place = (code, task.shape, task.narrow, dtype)
        if place not in self.compiled:
            self.compiled[place] = self.jax.jit(lambda w, f: self._evaluated(code, names, w, f))
        known: Callable[..., tuple[Any, Mapping[str, Any]]] = self.compiled[place]
        return known

    def _evaluated(
        self,
        code: CodeType,
        names: Mapping[str, Any],
        watched: Mapping[str, Any],
        fixed: Mapping[str, Any],
    ) -> tuple[Any, Mapping[str, Any]]:
        """The result, and the gradient by name."""
        jnp = self.jnp

        def function(inputs: Mapping[str, Any]) -> Any:
            return jnp.asarray(eval(code, {**names, **fixed, **inputs}))

        if not jnp.issubdtype(self.jax.eval_shape(function, watched).dtype, jnp.floating):
            return function(watched), {}
        result, pull = self.jax.vjp(function, watched)
        weights = jnp.asarray(_weights(result.size), dtype=result.dtype)
        return result, pull(weights.reshape(result.shape))[0]


class _NumPy:
    finest = "longdouble"

    def __init__(self) -> None:
        self.numpy = importlib.import_module("numpy")
        self.eps = float(self.numpy.finfo(self.finest).eps)

    def run(
        self, code: CodeType, names: Mapping[str, Any], point: _Point, task: _Task, dtype: str
    ) -> _Seen:
        np = self.numpy
        inputs: dict[str, Any] = {}
        for variable in task.variables:
            if variable.is_number:
                inputs[variable.name] = variable.number(point)
                continue
            kind = np.bool_ if variable.is_boolean else getattr(np, dtype)
            array = np.asarray(point[variable.name], kind)
            inputs[variable.name] = array.reshape(task.shape_of(variable.name))
        with np.errstate(all="ignore"):
            result = np.asarray(eval(code, {**names, **inputs}))
        value = result.astype(np.float64).ravel().tolist()
        return _Seen(value, f"{result.dtype} {tuple(result.shape)}", ())


class _Math:
    finest, eps = "float64", _DOUBLE

    def run(
        self, code: CodeType, names: Mapping[str, Any], point: _Point, task: _Task, dtype: str
    ) -> _Seen:
        if task.shape:
            raise TypeError("math takes single numbers")
        inputs = {name: numbers[0] for name, numbers in point.items()}
        try:
            result = eval(code, {**names, **inputs})
        except (ArithmeticError, ValueError):
            result = math.nan
        return _Seen((float(result),), type(result).__name__, ())


_ADAPTERS: Final[Mapping[str, Any]] = {
    "torch": _Torch,
    "tensorflow": _TensorFlow,
    "keras": _TensorFlow,
    "jax": _Jax,
    "numpy": _NumPy,
    "math": _Math,
}


@dataclass
class _Task:
    """One match and its rewrite."""

    adapter: Any
    names: Mapping[str, Any]
    variables: Sequence[_Variable]
    form: _Format
    before: CodeType
    after: CodeType
    exact: CodeType
    rough: CodeType | None
    """`before` in single precision, where the format is double precision."""
    shrunk: CodeType | None
    offset: float
    constants: Sequence[float]
    slack: float
    """What the rule allows the fix to be off, in epsilons of the format."""
    hazard: str
    is_safe: bool
    has_axis: bool
    deadline: float
    shape: tuple[int, ...] = ()
    narrow: str = ""
    """The input that is broadcast along the last axis, if one is."""
    is_counted: bool = True
    """Whether points tell how many of all are changed."""
    kept: tuple[int, ...] | None = None
    """Which elements of a value are compared, where the original lacks others."""
    worst_point: _Point | None = None
    """Where the fix uses up most of the deviation that is allowed, and what part of it."""
    worst_share: float = 0.0
    chance: random.Random = field(default_factory=lambda: random.Random(0))

    # Result
    compared: int = 0
    changed: int = 0
    witnesses: int = 0
    repaired: int = 0
    worst: float = 0.0
    moved: float = 0.0
    ordinary: dict[tuple[int, ...], tuple[int, int]] = field(default_factory=dict)
    """By shape: at how many ordinary inputs both were compared, and at how many changed."""
    unusual: dict[tuple[int, ...], tuple[int, int]] = field(default_factory=dict)
    """Likewise at the others."""
    witness: dict[str, Any] | None = None
    unrepaired: dict[str, Any] | None = None
    idle: dict[str, Any] | None = None
    """Where both sides fail alike: by a flaw of what is around them, or the fix does nothing."""
    change: dict[str, Any] | None = None
    counterexample: dict[str, Any] | None = None
    raised: dict[str, Any] | None = None
    """Where the fix cannot be executed, but the original can."""

    def run(self, code: CodeType, point: _Point, dtype: str | None = None) -> _Seen:
        try:
            return self._run(code, point, dtype or self.form.name)
        except Exception:  # whatever a framework raises, it has no result there
            return _FAILED

    def _run(self, code: CodeType, point: _Point, dtype: str) -> _Seen:
        seen = self.adapter.run(code, self.names, point, self, dtype)
        assert isinstance(seen, _Seen)
        return seen

    def _truth(self, point: _Point) -> _Seen:
        """The original in more digits than those of the format, where its framework has them."""
        if self.form.name == self.adapter.finest:
            return self.run(self.exact, point)
        seen = self.run(self.exact, point, self.adapter.finest)
        return seen if seen.kind else self.run(self.exact, point, "float64")

    @property
    def finest(self) -> float:
        """The epsilon of what is taken for exact."""
        return float(self.adapter.eps)

    @property
    def is_late(self) -> bool:
        return time.process_time() >= self.deadline

    def shape_of(self, name: str) -> tuple[int, ...]:
        if any(variable.is_number and variable.name == name for variable in self.variables):
            return ()
        return (*self.shape[:-1], 1) if name == self.narrow else self.shape

    # Which shapes

    def shapes(self) -> tuple[list[tuple[int, ...]], str]:
        """The shapes that both sides take, one of each rank, and why the last one was not."""
        found: list[tuple[int, ...]] = []
        reason = "no shape of its inputs fits"
        raised = None
        for shape in _SHAPES:
            if any(len(shape) == len(other) or len(other) >= 2 for other in found):
                continue
            if len(found) == 2 and not self.has_axis:
                break  # without an axis a matrix is no more than a row
            said = self._refused(shape)
            if said is None:
                found.append(shape)
            else:
                reason = said
                raised = raised or self.raised
        if not found:
            self.counterexample = self.counterexample or raised
        if self.has_axis and found and self._refused(_AXES_APART) is None:
            found.append(_AXES_APART)
        return found, reason

    def _refused(self, shape: tuple[int, ...]) -> str | None:
        """Why inputs of a shape cannot be; if they can, the results have to be of one kind."""
        self.shape = shape
        point = self._drawn(1.0)
        before = None
        reason = what = None
        try:
            before = self._run(self.before, point, self.form.name)
            after = self._run(self.after, point, self.form.name)
        except Exception as error:
            reason = f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
            if before is not None:
                what = f"the result was {before.kind}, and the fix raises {reason}"
                self.raised = {"point": self._nested(point), "what": what}
                if shape != _AXES_APART:
                    return reason
        else:
            if before.kind != after.kind:
                what = f"the result was {before.kind}, and is {after.kind}"
        if what is not None and self.counterexample is None:
            self.counterexample = {"point": self._nested(point), "what": what}
        return reason

    def broadcasts(self) -> Iterator[None]:
        """Each input in its turn broadcast along the last axis, where the original takes that."""
        if len(self.variables) < 2:
            return
        self.shape = _SHAPES[2]
        for variable in self.variables[:_BROADCAST_MOST]:
            self.narrow = variable.name
            if self._refused(self.shape) is None:
                yield
        self.narrow = ""

    # Which points

    def points(self) -> Iterator[_Point]:
        """The sweep at one shape, ordinary numbers first; few where only axes are in question."""
        if self.shape == _AXES_APART or self.narrow:
            yield from (self._drawn(scale) for scale in _SCALES)
            return
        form = self.form
        log_max = math.log(form.max)
        usual = [0.0, 1.0, -1.0, *self.constants, 0.5, 2.0, -2.0, 10.0, -10.0, 50.0, 1e-3]
        usual += [form.eps, -form.eps, log_max * 0.9, log_max * 1.2, -log_max * 1.2]
        usual += [200.0, 1e3, -1e3]
        first = 3 + len(self.constants)
        extreme = [form.tiny, -form.tiny, form.tiny * form.eps, math.sqrt(form.max)]
        extreme += [-math.sqrt(form.max), form.max / 4, form.max, -form.max]
        rows = ((0.0, 200.0), (0.0, 1e3, 1.0), (0.0, 0.0, 0.0, 3.0, -4.0, 5.0), (1.0, -1.0))
        yield from (self._filled((number,)) for number in usual[:first])
        for row in rows:
            yield self._filled(row)
            yield self._filled(row, stagger=1)
            yield from self._selected(row)
        yield from (self._drawn(scale) for scale in _SCALES)
        yield from (self._filled((number,)) for number in usual[first:])
        yield from (self._drawn(scale, is_shared=True) for scale in (1.0, 100.0))
        if len(self.variables) > 1:
            for zeroed in self.variables:
                yield {**self._drawn(1.0), zeroed.name: self._filled((0.0,))[zeroed.name]}
                yield {**self._filled((0.0,)), zeroed.name: self._filled((1.0,))[zeroed.name]}
            for _ in range(16):
                parts = [self._filled((self.chance.choice(usual),)) for _ in self.variables]
                yield {
                    variable.name: part[variable.name]
                    for variable, part in zip(self.variables, parts, strict=True)
                }
        yield from (self._drawn(self.chance.choice(_SCALES)) for _ in range(16))
        yield from (self._drawn(math.sqrt(form.eps) * far, around=far) for far in _FAR)
        yield from (self._drawn(form.tiny**0.4) for _ in range(6))  # whose cubes underflow
        yield from (self._filled((number,)) for number in extreme)
        yield self._filled((form.max, -form.max))

    def _selected(self, row: Sequence[float]) -> Iterator[_Point]:
        """The same where masks select all elements, all but one, and one alone."""
        masks = [variable.name for variable in self.variables if variable.is_boolean]
        if not masks:
            return
        for single, others in ((True, True), (False, True), (True, False)):
            point = dict(self._filled(row))
            for name in masks:
                point[name] = [single, *[others] * (len(point[name]) - 1)]
            yield point

    def _filled(self, cycle: Sequence[float], stagger: int = 0) -> _Point:
        """Every input filled with a cycle; with `stagger` each one begins further on in it."""
        return {
            variable.name: [
                variable.admit(cycle[(index + stagger * place) % len(cycle)], self.form)
                for index in range(math.prod(self.shape_of(variable.name)))
            ]
            for place, variable in enumerate(self.variables)
        }

    def _drawn(self, scale: float, *, is_shared: bool = False, around: float = 0.0) -> _Point:
        """Normal deviates of one scale, the same for all inputs if shared."""
        count = math.prod(self.shape)
        shared = [self.chance.gauss(around, scale) for _ in range(count)]
        return {
            variable.name: [
                variable.admit(
                    shared[index] if is_shared else self.chance.gauss(around, scale), self.form
                )
                for index in range(math.prod(self.shape_of(variable.name)))
            ]
            for variable in self.variables
        }

    def _beside(
        self, point: _Point, side: str, parity: int, *, is_relative: bool = False
    ) -> _Point:
        """A few units in the last place of 1 away, in alternating directions; or of the number.

        A value at 0 stands for itself: what jumps there, does so on both sides. Where an input is
        so large that what is taken for exact absorbs 1 in it, that is no truth, and all elements
        move, in one direction, lest they cancel.
        """
        form = self.form
        absorbs = any(abs(one) * self.finest > 1 for part in point.values() for one in part)
        moved: dict[str, list[float]] = {}
        for place, variable in enumerate(self.variables):
            moved[variable.name] = list(point[variable.name])
            for index, number in enumerate(point[variable.name]):
                if variable.is_differentiable and (number or absorbs or side == "gradient"):
                    sign = 1 if (index * (not absorbs) + place) % 2 == parity else -1
                    least = abs(number) if is_relative and number else 1.0
                    step = max(least, abs(number)) * form.eps * 2
                    moved[variable.name][index] = variable.admit(number + sign * step, form)
        return moved

    def sweep(self) -> None:
        """All points at one shape, until something is wrong or the time is over."""
        for point in self.points():
            if self.is_late or self.counterexample is not None:
                break
            self.judge(point)

    def refine(self) -> None:
        """All decades of the format, and from the worst point on to worse ones, at one shape."""
        self.is_counted = False
        self.worst_point, self.worst_share = None, 0.0  # those may be of another shape
        for point in self.decades():
            if self.is_late or self.counterexample is not None:
                break
            self.judge(point)
        for _ in range(_REFINED_MOST):
            if self.is_late or self.counterexample is not None or self.worst_point is None:
                break
            self.judge(self._mutated(self.worst_point))
        self.is_counted = True

    def decades(self) -> Iterator[_Point]:
        """All inputs in one decade, of either sign, then each one alone in every third."""
        form = self.form
        least = math.ceil(math.log10(form.tiny))  # below, some frameworks compute with 0
        most = math.floor(math.log10(form.max) / 2)
        exponents = range(most, least - 1, -1)
        for exponent, sign in itertools.product(exponents, (1.0, -1.0)):
            yield self._filled([sign * digit * 10.0**exponent for digit in _DIGITS])
        finest = min(most, math.ceil(-math.log10(form.eps)))  # further on 1 is absorbed
        for exponent, sign in itertools.product(range(1, finest + 1), (1.0, -1.0)):
            yield from (self._drawn(1.0, around=sign * n * 10.0**exponent) for n in _CENTRES)
        if len(self.variables) < 2:
            return
        for variable, exponent in itertools.product(self.variables[:3], exponents[::3]):
            sign = self.chance.choice((1.0, -1.0))
            row = self._filled([sign * digit * 10.0**exponent for digit in _DIGITS])
            yield {**self._drawn(1.0), variable.name: row[variable.name]}

    # Judging

    def judge(self, point: _Point) -> None:
        before, after = self.run(self.before, point), self.run(self.after, point)
        self._judge_overflow(point, before, after)
        if (
            self._is_hazard(before)
            or self._is_cut_off(before, after)
            or self._loses_digits(before, after)
        ):
            shown = self._shown(point, before, after)
            if after.is_finite:
                self.witnesses += 1
                self.repaired += 1
                self.witness = self.witness or shown
            elif self._is_moderate(point) and before.value != after.value:
                self.witnesses += 1
                self.unrepaired = self.unrepaired or shown
            elif self._is_moderate(point):
                self.idle = self.idle or shown
        limit = math.sqrt(self.form.max)
        if any(abs(n) > limit for part in point.values() for n in part):
            return
        exact = self._truth(point)
        self.kept = self._finite_alone(before, after, exact)
        if not before.has_value and self.kept is None:
            return
        old, new, true = map(self._values, (before, after, exact))
        sides = [("value", old, new, true)]
        if before.is_finite:
            sides.append(("gradient", before.gradient, after.gradient, exact.gradient))
        is_compared, changed = False, self.changed
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
            if self.counterexample is not None:
                return
        self.compared += is_compared
        self.changed = min(self.changed, changed + 1)
        if is_compared and self.is_counted and self._is_distinct(point):
            group = self.ordinary if self._is_ordinary(point) else self.unusual
            tried, differing = group.get(self.shape, (0, 0))
            group[self.shape] = tried + 1, differing + self.changed - changed

    def _finite_alone(self, *seen: _Seen) -> tuple[int, ...] | None:
        """Which elements the original has, where it lacks others; None where it has all or none."""
        before, _, exact = seen
        if before.has_value or len({len(each.value) for each in seen}) > 1:
            return None
        sides = enumerate(zip(before.value, exact.value, strict=True))
        return tuple(i for i, pair in sides if all(map(math.isfinite, pair))) or None

    def _values(self, seen: _Seen) -> Sequence[float]:
        """Those elements of a value that are compared."""
        if self.kept is None or len(seen.value) <= self.kept[-1]:
            return seen.value
        return [seen.value[index] for index in self.kept]

    def _side(self, seen: _Seen, side: str) -> Sequence[float]:
        return self._values(seen) if side == "value" else seen.gradient

    def _judge_lost(self, point: _Point, side: str, old: Sequence[float]) -> None:
        """Where the original has a result, the fix needs one of as many elements."""
        if self._is_moderate(point):
            what = f"the {side} {_text(old)} is no more: the fix raises an exception"
            self.counterexample = {"point": self._nested(point), "what": what}

    def _judge_overflow(self, point: _Point, before: _Seen, after: _Seen) -> None:
        """Where a result is too large for the format, another large one has to have its sign."""
        if before.has_value or not any(map(math.isinf, before.value)):
            return
        exact = self._truth(point)
        sides = (before.value, after.value, exact.value)
        if len(set(map(len, sides))) > 1:
            return
        for old, new, true in zip(*sides, strict=True):
            if math.isinf(old) and self.form.max < abs(true) < math.inf and new * true <= 0:
                self.counterexample = self._changed(point, "value", exact.value, after.value)

    @property
    def is_another_function(self) -> bool:
        """Whether a fix that may change results does so to most, or to many at ordinary inputs."""
        of_all = [*self.ordinary.values(), *self.unusual.values()]
        tried, differing = (sum(counts) for counts in zip((0, 0), *of_all, strict=True))
        return differing > tried / 2 or any(
            tried >= _ORDINARY_LEAST and differing > tried * _ORDINARY_CHANGED
            for tried, differing in self.ordinary.values()
        )

    def _is_distinct(self, point: _Point) -> bool:
        """Not at a kink, where inputs are equal and a gradient is any of several."""
        watched = [variable for variable in self.variables if variable.is_differentiable]
        numbers = [abs(one) for variable in watched for one in point[variable.name]]
        return len(set(numbers)) == len(numbers)

    def _is_ordinary(self, point: _Point) -> bool:
        numbers = (abs(one) for part in point.values() for one in part)
        return all(_ORDINARY[0] <= one <= _ORDINARY[1] for one in numbers)

    def _is_moderate(self, point: _Point) -> bool:
        least = math.sqrt(self.form.tiny)
        numbers = (abs(one) for part in point.values() for one in part)
        return all(one == 0 or least <= one <= _MODERATE for one in numbers)

    def _may_underflow(self, point: _Point) -> bool:
        """Whether some input is so small that few digits are left of its square, or none."""
        least = 8 * math.sqrt(self.form.tiny)
        return any(0 < abs(one) < least for part in point.values() for one in part)

    def _is_cut_off(self, before: _Seen, after: _Seen) -> bool:
        """Whether a gradient that is 0 comes back."""
        if self.hazard != "gradient" or not (before.is_finite and after.is_finite):
            return False
        return not any(before.gradient) and max(map(abs, after.gradient), default=0) > _COMES_BACK

    def _loses_digits(self, before: _Seen, after: _Seen) -> bool:
        """Whether a value has less than half the digits of what the fix makes of it."""
        if self.hazard != "accuracy" or not (before.is_finite and after.is_finite):
            return False
        most = math.sqrt(self.form.eps)
        return len(before.value) == len(after.value) and any(
            abs(old - new) > most * abs(new)
            for old, new in zip(before.value, after.value, strict=True)
        )

    def _is_hazard(self, seen: _Seen) -> bool:
        """Whether what was executed alone shows the flaw; lost digits show beside the fix."""
        match self.hazard:
            case "gradient":
                return seen.has_value and not seen.has_gradient
            case "value":
                return not seen.has_value
            case _:
                return False

    def _compare(
        self,
        point: _Point,
        side: str,
        old: Sequence[float],
        new: Sequence[float],
        true: Sequence[float],
    ) -> bool:
        """Whether one side of the results could be compared; refutes where it differs."""
        unit = self.form.eps * max(1.0, *map(abs, true), 0.0)
        deviation, error = _distance(new, true), _distance(old, true)
        if math.isinf(deviation) and not self._is_moderate(point):
            return False  # an intermediate result overflows
        ulps = _ULPS_USUAL if self.finest < self.form.eps else _ULPS_UNKNOWN
        allowed = 4 * error + ulps * unit
        if self.worst_share < deviation / allowed < math.inf:
            self.worst_share, self.worst_point = deviation / allowed, point
        if deviation <= allowed:
            if error <= _ULPS_USUAL * unit:
                self.worst = max(self.worst, (deviation - error) / unit)
            return self._compare_small(point, side, old, new, true)
        is_gross = deviation > _UNSAFE_TOLERANCE * max(map(abs, true)) and error <= allowed / 8
        nearby = [self.run(self.before, self._beside(point, side, parity)) for parity in (0, 1)]
        sides = [true, *(self._side(near, side) for near in nearby)]
        is_whole = len(set(map(len, sides))) == 1
        if is_gross and is_whole and not _is_jump(new, sides):
            nearby = [
                self.run(self.before, self._beside(point, side, parity, is_relative=True))
                for parity in (0, 1)
            ]
        if self.rough is not None and self.finest >= self.form.eps:
            nearby.append(self.run(self.rough, point, "float32"))  # where that errs, so may this
        for near in nearby:
            beside = self._side(near, side)
            if len(beside) != len(old) or not all(map(math.isfinite, beside)):
                return False  # at the edge of a singularity
            allowed += 8 * _distance(beside, old)
        if self._may_underflow(point):
            allowed = max(allowed, _UNDERFLOW_TOLERANCE * max(map(abs, true)))
        if deviation <= allowed:
            return True
        if self.shrunk is not None and math.isfinite(deviation):
            seen = self.run(self.shrunk, point, "float64")
            without = self._side(seen, side)
            scale = unit / self.form.eps
            is_bounded = side == "gradient" or deviation <= 4 * math.sqrt(self.offset) * scale
            is_bounded |= any(
                0 < abs(one) <= self.offset for part in point.values() for one in part
            )
            if (
                len(without) == len(true)
                and _distance(without, true) <= allowed
                and (is_bounded or not self.is_safe)
            ):
                if side == "value":
                    self.moved = max(self.moved, deviation)
                return True
        if not self.is_safe and math.isfinite(deviation):
            if deviation > max(_CHANGED_LEAST, 8 * self.form.eps) * unit / self.form.eps:
                self.changed += 1
                self.change = self.change or self._changed(point, side, true, new)
            return True
        self.counterexample = self._changed(point, side, true, new)
        return True

    def _compare_small(
        self,
        point: _Point,
        side: str,
        old: Sequence[float],
        new: Sequence[float],
        true: Sequence[float],
    ) -> bool:
        """The same of values beside which 1 is large, each held to digits of its own.

        Only where the original has them, or lost digits are the flaw that is to be repaired:
        elsewhere what double precision makes of it is no truth either.
        """
        if side != "value" or not self.is_safe or self.offset:
            return True
        form, truth = self.form, self.finest
        share = max(_SMALL_TOLERANCE, 64 * form.eps)
        slack = self.slack * form.eps * max(1.0, *map(abs, true), 0.0)
        allowed = [share * abs(exact) + slack for exact in true]
        wrong = []
        for index, (before, after, exact) in enumerate(zip(old, new, true, strict=True)):
            is_known = abs(exact) > _KNOWN_MOST * truth
            if truth < form.eps and self.hazard != "accuracy":
                is_known = abs(before - exact) <= _ULPS_USUAL * form.eps * abs(exact)
            if is_known and abs(exact) > 16 * form.tiny and abs(after - exact) > allowed[index]:
                wrong.append(index)
        if not wrong:
            return True
        for parity, is_relative in itertools.product((0, 1), (False, True)):
            near = self._beside(point, side, parity, is_relative=is_relative)
            beside = self._values(self.run(self.before, near))
            if len(beside) != len(old) or not all(map(math.isfinite, beside)):
                return False  # at the edge of a singularity
            for index in wrong:
                allowed[index] += 8 * abs(beside[index] - old[index])
        if any(abs(new[index] - true[index]) > allowed[index] for index in wrong):
            self.counterexample = self._changed(point, side, true, new)
        return True

    def _changed(
        self, point: _Point, side: str, true: Sequence[float], new: Sequence[float]
    ) -> dict[str, Any]:
        what = f"the {side} {_text(true)} becomes {_text(new)}"
        return {"point": self._nested(point), "what": what}

    def _shown(self, point: _Point, before: _Seen, after: _Seen) -> dict[str, Any]:
        is_gradient = self.hazard == "gradient" and before.has_value
        side = "gradient" if is_gradient else "value"
        old, new = ((seen.value if side == "value" else seen.gradient) for seen in (before, after))
        what = f"{side} {_text(old)}, after the fix {_text(new)}"
        return {"point": self._nested(point), "what": what}

    def _nested(self, point: _Point) -> dict[str, Any]:
        return {
            name: _nested(list(numbers), self.shape_of(name)) for name, numbers in point.items()
        }

    # Searching

    def search(self) -> None:
        """Climb towards larger results and gradients where the sweep met no witness."""
        best = self._drawn(1.0)
        known = self.run(self.before, best)
        height = -math.inf
        for count in range(_SEARCHED_MOST):
            if self.is_late or self.witnesses:
                return
            point = self._drawn(1.0) if count % 50 == 0 else self._mutated(best)
            if count % 3 == 1:
                point = self._followed(best, known)
            seen = self.run(self.before, point)
            if self._is_hazard(seen):
                self.judge(point)
                return
            reached = seen.value if self.hazard == "value" else seen.gradient
            steepest = max((*map(abs, reached), *map(abs, seen.gradient)), default=0.0)
            if count % 50 == 0 or steepest >= height:
                best, known, height = point, seen, steepest

    def _followed(self, point: _Point, seen: _Seen) -> _Point:
        """Where by the gradient of one input a function below a log, quotient or root is 0.

        For an f that is log(u), 1/u or sqrt(u), Newton's step towards the root of u is -1/f', f/f'
        or -f/(2f'): one such step is enough where u is linear.
        """
        watched = [variable for variable in self.variables if variable.is_differentiable]
        count = math.prod(self.shape)
        if not watched or len(seen.gradient) != len(watched) * count or not seen.is_finite:
            return self._mutated(point)
        place = self.chance.randrange(len(watched))
        kind = self.chance.randrange(3)
        weights = _weights(len(seen.value))
        moved: list[float] = []
        for index, number in enumerate(point[watched[place].name]):
            entry = index if len(seen.value) == count else 0
            slope = seen.gradient[place * count + index] / weights[entry]
            if slope:
                value = seen.value[entry]
                step = (-1 / slope, value / slope, -value / (2 * slope))[kind]
                number = watched[place].admit(number + step, self.form)
            moved.append(number)
        return {**point, watched[place].name: moved}

    def _mutated(self, point: _Point) -> _Point:
        variable = self.chance.choice(self.variables)
        numbers = list(point[variable.name])
        index = self.chance.randrange(len(numbers))
        number = float(numbers[index])
        others = [float(one) for part in point.values() for one in part]
        number = self.chance.choice(
            [
                *(0.0, -number, number * 2, number / 2, number * 16, number / 16, 1.0 - number),
                *(number + self.chance.gauss(0.0, 1.0), self.chance.choice(others)),
            ]
        )
        numbers[index] = variable.admit(number, self.form)
        if self.chance.random() < 0.2:
            numbers = [numbers[index]] * len(numbers)
        return {**point, variable.name: numbers}


def _is_jump(new: Sequence[float], sides: Iterable[Sequence[float]]) -> bool:
    """Whether each element is that of the original on one of the sides of a jump."""
    return all(
        any(abs(one - other) <= _UNSAFE_TOLERANCE * abs(other) for other in others)
        for one, *others in zip(new, *sides, strict=True)
    )


def _distance(first: Sequence[float], second: Sequence[float]) -> float:
    apart = [abs(a - b) for a, b in zip(first, second, strict=True)]
    return math.inf if any(map(math.isnan, apart)) else max(apart, default=0.0)


def _text(numbers: Sequence[float]) -> str:
    shown = ", ".join(f"{number:.6g}" for number in numbers[:6])
    return f"[{shown}{', ...' if len(numbers) > 6 else ''}]" if len(numbers) != 1 else shown


def _nested(numbers: list[Any], shape: Sequence[int]) -> Any:
    if not shape:
        return numbers[0]
    size = len(numbers) // shape[0]
    return [
        _nested(numbers[start : start + size], shape[1:]) for start in range(0, len(numbers), size)
    ]


def answer(request: Mapping[str, Any], adapter: Any) -> dict[str, Any]:
    """Execute one match and its rewrite; `error` says why that was not possible."""
    names: dict[str, Any] = {}
    exec("\n".join(request["imports"]), names)
    before, after, exact = (
        compile(request[key], "<expression>", "eval") for key in ("before", "after", "exact")
    )
    rough, shrunk = (
        request[key] and compile(request[key], "<expression>", "eval")
        for key in ("rough", "shrunk")
    )
    task = _Task(
        adapter,
        names,
        [_Variable(**variable) for variable in request["variables"]],
        _Format(request["dtype"]),
        before,
        after,
        exact,
        rough,
        shrunk,
        request["offset"],
        request["constants"],
        request["slack"],
        request["hazard"],
        request["is_safe"],
        request["has_axis"],
        time.process_time() + request["seconds"],
    )
    shapes, reason = task.shapes()
    if not shapes and task.counterexample is None:
        return {"error": reason}
    for task.shape in shapes:
        task.sweep()
    if shapes:
        task.shape = next((shape for shape in shapes if len(shape) == 1), shapes[0])
        task.refine()
    for _ in task.broadcasts():
        task.sweep()
    if task.counterexample is None and not task.witnesses:
        for task.shape in shapes:
            if task.shape != _AXES_APART:
                task.search()
    return {key: getattr(task, key) for key in (*_RESULTS, *_EXAMPLES)}


def limit(seconds: float, memory: int) -> None:
    """Let the system stop what takes more processor time or memory than is granted from now on."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        granted = math.ceil(used.ru_utime + used.ru_stime + seconds)
        resource.setrlimit(
            resource.RLIMIT_CPU, (granted, resource.getrlimit(resource.RLIMIT_CPU)[1])
        )
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
        space = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (space, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main() -> None:
    """Read requests, one a line; the first says which framework, and where packages lie."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a framework prints is no answer
    start = json.loads(sys.stdin.readline())
    sys.path += [path for path in start["path"] if path not in sys.path]
    try:
        adapter = _ADAPTERS[start["framework"]]()
    except ImportError as error:
        hello: dict[str, Any] = {"missing": str(error)}
    else:
        hello = {"ready": True}
    for reply in itertools.chain([hello], _answers(adapter) if "ready" in hello else []):
        out.write(json.dumps(reply) + "\n")
        out.flush()


def _answers(adapter: Any) -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        request = json.loads(line)
        limit(request["processor_seconds"], request["memory"])
        try:
            yield answer(request, adapter)
        except Exception as error:  # an answer is owed in any case
            yield {"error": f"{type(error).__name__}: {error}".splitlines()[0]}


if __name__ == "__main__":
    main()
