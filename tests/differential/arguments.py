"""Arguments for a function of which nothing is known but its text.

What a parameter is, its annotation, default and name suggest; a plan that a function takes is found
by trying them. The numbers of arrays then come from scenarios, each with a stream of its own.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from tests.differential.frameworks import NumPy

Kind = str
"""array, mask, index, number, count, module, or default: what is passed for a parameter."""

_SHAPES: Final = (
    (3, 4),
    (4,),
    (2, 3, 4),
    (4, 4),
    (),
    (2, 3, 16, 16),
    (2, 3, 3),
    (5, 3),
    (2, 2),
    (1, 1, 64, 64),
)
_ARRAY: Final = re.compile(r"Tensor|Array|array", re.ASCII)
_NAMES: Final[tuple[tuple[re.Pattern[str], tuple[Kind, ...]], ...]] = (
    (re.compile(r"mask|valid|legal|padding|keep|cond"), ("mask", "array")),
    (re.compile(r"label|target|index|indices|idx|classes|actions?$"), ("array", "index", "mask")),
    (re.compile(r"^(dim|axis)$"), ("last",)),
    (re.compile(r"^(n|k|num_\w+|n_\w+|size|steps?|count|window\w*)$"), ("count", "array")),
    (re.compile(r"^(eps\w*|lr|temperature|tau|gamma|beta|alpha|rate|scale)$"), ("number", "array")),
    (re.compile(r"net|model|layer|module|fn$|func"), ("module", "array")),
)
_OTHERS: Final[tuple[Kind, ...]] = ("array", "number", "count", "index", "mask", "module")
_ATTEMPTS_MOST: Final = 48

Fill = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray[Any, Any]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Numbers of one character; `is_ordinary` says that gradients there are no question of ties."""

    name: str
    fill: Fill
    number: float
    count: int
    mask: float = 0.5
    """What part of a mask is true."""
    is_ordinary: bool = False


def _normal(scale: float, shift: float = 0.0) -> Fill:
    return lambda chance, shape: chance.normal(shift, scale, shape)


def _filled(number: float) -> Fill:
    return lambda _, shape: np.full(shape, number)


def _share(chance: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    raw = np.exp(chance.normal(size=shape))
    return np.asarray(raw / raw.sum(-1, keepdims=True)) if shape else np.asarray(0.4)


def _with_zeros(chance: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.asarray(chance.normal(size=shape) * (chance.random(shape) < 0.5))


SCENARIOS: Final = (
    Scenario("normal", _normal(1.0), 0.5, 2, is_ordinary=True),
    Scenario("between 0 and 1", lambda chance, shape: chance.uniform(0.05, 0.95, shape), 0.3, 1,
             is_ordinary=True),
    Scenario("shares", _share, 2.0, 3, is_ordinary=True),
    Scenario("negative", _normal(1.0, -4.0), -0.5, 2, is_ordinary=True),
    Scenario("small", _normal(1e-3), 1e-3, 2, is_ordinary=True),
    Scenario("large", _normal(30.0), 10.0, 3),
    Scenario("zeros", _filled(0.0), 0.0, 2),
    Scenario("ones", _filled(1.0), 1.0, 1),
    Scenario("half zeros", _with_zeros, 0.5, 2),
    Scenario("nothing masked", _normal(1.0), 0.5, 2, 0.0),
    Scenario("all masked", _normal(1.0), 0.5, 2, 1.1),
    Scenario("whole numbers", lambda chance, shape: chance.integers(0, 4, shape) * 1.0, 1.0, 1),
    Scenario("count of none", _normal(1.0), 0.0, 0),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """What is passed: by parameter its kind, and the shape of all arrays."""

    kinds: Mapping[str, Kind]
    shape: tuple[int, ...]
    dtype: str
    defaults: Mapping[str, Any]

    def drawn(self, framework: NumPy, scenario: Scenario) -> dict[str, Any]:
        """The arguments of one scenario, the same ones at each call."""
        chance = np.random.default_rng(0)
        return {
            name: self._one(framework, scenario, kind, name, chance)
            for name, kind in self.kinds.items()
        }

    def _one(
        self,
        framework: NumPy,
        scenario: Scenario,
        kind: Kind,
        name: str,
        chance: np.random.Generator,
    ) -> Any:
        shape = self.shape
        match kind:
            case "array":
                numbers = scenario.fill(chance, shape)
                return framework.array(np.asarray(numbers, dtype=self.dtype))
            case "mask":
                return framework.array(np.asarray(chance.random(shape) < scenario.mask))
            case "index":
                longest = max(1, shape[-1] if shape else 1)
                return framework.array(np.asarray(chance.integers(0, longest, shape[:-1] or (1,))))
            case "number":
                return scenario.number
            case "count":
                return scenario.count
            case "last":
                return -1
            case "module":
                return framework.module()
        return self.defaults[name]


def plans(function: Callable[..., Any], framework: NumPy) -> Iterator[Plan]:
    """What may be passed to a function, the likeliest first."""
    signature = inspect.signature(function)
    candidates: dict[str, tuple[Kind, ...]] = {}
    defaults: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        candidates[name] = tuple(dict.fromkeys(_candidates(name, parameter)))
        defaults[name] = parameter.default
    first = {name: kinds[0] for name, kinds in candidates.items()}
    dtype = framework.dtypes[0]
    tried = [Plan(first, shape, dtype, defaults) for shape in _SHAPES]
    for name, kinds in candidates.items():
        tried += [
            Plan({**first, name: kind}, shape, dtype, defaults)
            for kind in kinds[1:4]
            for shape in _SHAPES[:3]
        ]
    for one, other in itertools.combinations(candidates, 2):
        second = {name: candidates[name][1] for name in (one, other) if len(candidates[name]) > 1}
        tried += [Plan({**first, **second}, shape, dtype, defaults) for shape in _SHAPES[:2]]
    yield from tried[:_ATTEMPTS_MOST]


def variants(plan: Plan, framework: NumPy) -> Iterator[Plan]:
    """Other arguments that a function may take too: numbers for arrays, and another format."""
    for name, kind in plan.kinds.items():
        if kind == "array":
            yield replace(plan, kinds={**plan.kinds, name: "number"})
            yield replace(plan, kinds={**plan.kinds, name: "count"})
    for dtype in framework.dtypes[1:]:
        yield replace(plan, dtype=dtype)


def _candidates(name: str, parameter: inspect.Parameter) -> Iterator[Kind]:
    annotation = str(parameter.annotation)
    if parameter.default is not parameter.empty:
        yield "default"
        if isinstance(parameter.default, float):
            yield from ("number", "array")
        elif parameter.default is None:
            yield from ("array", "mask")
        elif type(parameter.default) is int:
            yield "count"
        return
    if parameter.annotation is not parameter.empty:
        if _ARRAY.search(annotation):
            yield from ("array", "index", "mask")
        for word, kind in (("float", "number"), ("int", "count"), ("Callable", "module")):
            if word in annotation:
                yield kind
    for pattern, kinds in _NAMES:
        if pattern.search(name):
            yield from kinds
    yield from _OTHERS
