"""Each framework behind one interface: an expression and inputs to its value and gradient."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final, Protocol

from mllint_nan.verify.execution.formats import DOUBLE
from mllint_nan.verify.execution.inputs import Layout, Point

Names = Mapping[str, Any]
"""What the imports of an expression bind."""


@dataclass(frozen=True)
class Seen:
    """What an expression returned: its elements, their kind, and the gradient of each input."""

    value: Sequence[float]
    kind: str
    gradient: Sequence[float]

    @property
    def has_value(self) -> bool:
        """Whether each element is finite."""
        return all(map(math.isfinite, self.value))

    @property
    def has_gradient(self) -> bool:
        """Whether the gradient is finite, or there is none."""
        return all(map(math.isfinite, self.gradient))

    @property
    def is_finite(self) -> bool:
        """Whether both are."""
        return self.has_value and self.has_gradient


FAILED: Final = Seen((math.nan,), "", ())
"""Of what raised an exception."""


class Adapter(Protocol):
    """A framework; `finest` is its most precise format, and `eps` the epsilon of that."""

    finest: str
    eps: float

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        """Evaluate an expression and its gradient; raises what the framework does."""

    def kind(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> str:
        """The format and shape of what `run` would return; raises where that does."""


def weights(count: int) -> list[float]:
    """What each element of a result counts in the sum that is differentiated; all differ from 0."""
    return [1.0 + ((7 * index) % 5 - 2) / 8 for index in range(count)]


class _Executing:
    """The kind of a result is known once it is there."""

    finest, eps = "float64", DOUBLE

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        raise NotImplementedError

    def kind(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> str:
        return self.run(code, names, point, layout, dtype).kind


class _Torch(_Executing):
    def __init__(self) -> None:
        self.torch = importlib.import_module("torch")

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        torch, watched = self.torch, []
        inputs: dict[str, Any] = {}
        for variable in layout.variables:
            if variable.is_number:
                inputs[variable.name] = variable.number(point)
                continue
            kind = torch.bool if variable.is_boolean else getattr(torch, dtype)
            tensor = torch.tensor(list(point[variable.name]), dtype=kind)
            tensor = tensor.reshape(layout.shape_of(variable.name))
            if variable.is_differentiable:
                watched.append(tensor.requires_grad_())
            inputs[variable.name] = tensor
        result = torch.as_tensor(eval(code, {**names, **inputs}))
        gradient: list[float] = []
        parts: Sequence[Any] = [None] * len(watched)
        if result.requires_grad and watched:
            seed = torch.tensor(weights(result.numel()), dtype=result.dtype)
            total = (result * seed.reshape(result.shape)).sum()
            parts = torch.autograd.grad(total, watched, allow_unused=True)
        for tensor, part in zip(watched, parts, strict=True):
            lost = torch.zeros_like(tensor)
            gradient += (lost if part is None else part).double().flatten().tolist()
        value = result.detach().double().flatten().tolist()
        return Seen(value, f"{result.dtype} {tuple(result.shape)}", gradient)


class _TensorFlow(_Executing):
    def __init__(self) -> None:
        self.tf = importlib.import_module("tensorflow")
        self.seeds: dict[tuple[Any, ...], Any] = {}

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        tf, watched = self.tf, []
        inputs: dict[str, Any] = {}
        for variable in layout.variables:
            if variable.is_number:
                inputs[variable.name] = variable.number(point)
                continue
            kind = tf.bool if variable.is_boolean else getattr(tf, dtype)
            shape = layout.shape_of(variable.name)
            tensor = tf.constant(list(point[variable.name]), dtype=kind, shape=shape)
            if variable.is_differentiable:
                watched.append(tensor)
            inputs[variable.name] = tensor
        with tf.GradientTape() as tape:
            tape.watch(watched)
            result = tf.convert_to_tensor(eval(code, {**names, **inputs}))
        gradient: list[float] = []
        parts: Sequence[Any] = [None] * len(watched)
        if result.dtype.is_floating and watched:
            parts = tape.gradient(result, watched, self._seed(result))
        for tensor, part in zip(watched, parts, strict=True):
            found = tf.zeros_like(tensor) if part is None else tf.convert_to_tensor(part)
            gradient += self._numbers(found)
        return Seen(self._numbers(result), f"{result.dtype.name} {tuple(result.shape)}", gradient)

    def _seed(self, result: Any) -> Any:
        shape = tuple(result.shape)
        place = (shape, result.dtype)
        if place not in self.seeds:
            numbers = weights(math.prod(shape))
            self.seeds[place] = self.tf.constant(numbers, dtype=result.dtype, shape=shape)
        return self.seeds[place]

    def _numbers(self, tensor: Any) -> list[float]:
        numbers: list[float] = tensor.numpy().astype("float64").ravel().tolist()
        return numbers


class _Jax:
    """Compiled, as `jax.jit` does: operation by operation it is a hundred times slower."""

    finest, eps = "float64", DOUBLE

    def __init__(self) -> None:
        self.jax = importlib.import_module("jax")
        self.jnp = importlib.import_module("jax.numpy")
        self.np = importlib.import_module("numpy")
        self.compiled: dict[tuple[CodeType, tuple[int, ...], str, str], Any] = {}

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        np = self.np
        watched, fixed = self._inputs(point, layout, dtype)
        result, gradient = self._compiled(code, names, layout, dtype)(watched, fixed)
        elements: list[float] = []
        for name, array in watched.items():
            part = gradient.get(name)
            found = np.zeros_like(array) if part is None else np.asarray(part)
            elements += found.astype(np.float64).ravel().tolist()
        value = np.asarray(result).astype(np.float64).ravel().tolist()
        return Seen(value, self._kind_of(result), elements)

    def kind(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> str:
        """Traced alone: to compile it takes a hundred times as long."""
        function = self._compiled(code, names, layout, dtype)
        watched, fixed = self._inputs(point, layout, dtype)
        if _has_numbers(layout):
            return self._kind_of(function(watched, fixed)[0])
        return self._kind_of(self.jax.eval_shape(function, watched, fixed)[0])

    def _kind_of(self, result: Any) -> str:
        return f"{result.dtype} {tuple(result.shape)}"

    def _inputs(
        self, point: Point, layout: Layout, dtype: str
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Those that a gradient is asked for, and the others."""
        np = self.np
        fixed: dict[str, Any] = {}
        watched: dict[str, Any] = {}
        for variable in layout.variables:
            if variable.is_number:
                fixed[variable.name] = variable.number(point)
                continue
            kind = np.bool_ if variable.is_boolean else self.jnp.dtype(dtype)
            array = np.asarray(point[variable.name], dtype=kind)
            array = array.reshape(layout.shape_of(variable.name))
            (watched if variable.is_differentiable else fixed)[variable.name] = array
        return watched, fixed

    def _compiled(
        self, code: CodeType, names: Names, layout: Layout, dtype: str
    ) -> Callable[..., tuple[Any, Mapping[str, Any]]]:
        """A number that is static in the program cannot be an input of a compiled function."""
        if _has_numbers(layout):
            return lambda watched, fixed: self._evaluated(code, names, watched, fixed)
        place = (code, layout.shape, layout.narrow, dtype)
        if place not in self.compiled:
            self.compiled[place] = self.jax.jit(lambda w, f: self._evaluated(code, names, w, f))
        known: Callable[..., tuple[Any, Mapping[str, Any]]] = self.compiled[place]
        return known

    def _evaluated(
        self, code: CodeType, names: Names, watched: Mapping[str, Any], fixed: Mapping[str, Any]
    ) -> tuple[Any, Mapping[str, Any]]:
        """The result, and the gradient by name."""
        jnp = self.jnp

        def function(inputs: Mapping[str, Any]) -> Any:
            return jnp.asarray(eval(code, {**names, **fixed, **inputs}))

        if not jnp.issubdtype(self.jax.eval_shape(function, watched).dtype, jnp.floating):
            return function(watched), {}
        result, pull = self.jax.vjp(function, watched)
        seed = jnp.asarray(weights(result.size), dtype=result.dtype)
        return result, pull(seed.reshape(result.shape))[0]


def _has_numbers(layout: Layout) -> bool:
    return any(variable.is_number for variable in layout.variables)


class _NumPy(_Executing):
    finest = "longdouble"

    def __init__(self) -> None:
        self.numpy = importlib.import_module("numpy")
        self.eps = float(self.numpy.finfo(self.finest).eps)

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        np = self.numpy
        inputs: dict[str, Any] = {}
        for variable in layout.variables:
            if variable.is_number:
                inputs[variable.name] = variable.number(point)
                continue
            kind = np.bool_ if variable.is_boolean else getattr(np, dtype)
            array = np.asarray(point[variable.name], kind)
            inputs[variable.name] = array.reshape(layout.shape_of(variable.name))
        with np.errstate(all="ignore"):
            result = np.asarray(eval(code, {**names, **inputs}))
        value = result.astype(np.float64).ravel().tolist()
        return Seen(value, f"{result.dtype} {tuple(result.shape)}", ())


class _Math(_Executing):
    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        if layout.shape:
            raise TypeError("math takes single numbers")
        inputs = {name: numbers[0] for name, numbers in point.items()}
        try:
            result = eval(code, {**names, **inputs})
        except (ArithmeticError, ValueError):
            result = math.nan
        return Seen((float(result),), type(result).__name__, ())


ADAPTERS: Final[Mapping[str, Callable[[], Adapter]]] = {
    "torch": _Torch,
    "tensorflow": _TensorFlow,
    "jax": _Jax,
    "numpy": _NumPy,
    "math": _Math,
}
