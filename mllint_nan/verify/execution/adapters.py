"""Each framework behind one interface: from an expression and inputs to value and gradient."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final, Protocol

from mllint_nan.verify.execution.formats import DOUBLE
from mllint_nan.verify.execution.inputs import Layout, Point

Names = Mapping[str, Any]
"""The names that the imports of an expression bind."""


@dataclass(frozen=True)
class Seen:
    """The result of an expression: its elements, their kind, and the gradient of each input."""

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
        """Whether value and gradient are finite."""
        return self.has_value and self.has_gradient


FAILED: Final = Seen((math.nan,), "", ())
"""The result of an expression that raised an exception."""


class Adapter(Protocol):
    """A framework; `finest` is its most precise format, and `eps` the epsilon of that format."""

    finest: str
    eps: float

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        """Evaluate an expression and its gradient; raises the exceptions of the framework."""

    def kind(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> str:
        """Return the format and shape of what `run` would return; raises when that does."""


def weights(count: int) -> list[float]:
    """Return the weights of the elements in the sum that is differentiated; none is 0."""
    return [1.0 + ((7 * index) % 5 - 2) / 8 for index in range(count)]


_EAGER_FIRST: Final = 8
"""How often an expression is executed before it is traced; one that raises is not traced."""
_TRACED_MOST: Final = 256
"""How many graphs are kept: there are as many proofs as findings."""


class _Executing:
    """An adapter that has to execute an expression to know the kind of its result."""

    finest, eps = "float64", DOUBLE

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        raise NotImplementedError

    def kind(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> str:
        return self.run(code, names, point, layout, dtype).kind


class _Torch(_Executing):
    def __init__(self) -> None:
        self.torch = importlib.import_module("torch")
        self.seeds: dict[tuple[Any, ...], Any] = {}

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        torch, watched = self.torch, []
        inputs: dict[str, Any] = {}
        for variable in layout.variables:
            if variable.is_number:
                inputs[variable.name] = variable.number(point)
                continue
            kind = torch.bool if variable.is_boolean else getattr(torch, dtype)
            tensor = torch.tensor(point[variable.name], dtype=kind)
            shape = layout.shape_of(variable.name)
            if len(shape) != 1:
                tensor = tensor.reshape(shape)
            if variable.is_differentiable:
                watched.append(tensor.requires_grad_())
            inputs[variable.name] = tensor
        result = torch.as_tensor(eval(code, {**names, **inputs}))
        gradient: list[float] = []
        parts: Sequence[Any] = [None] * len(watched)
        if result.requires_grad and watched:
            parts = torch.autograd.grad(result, watched, self._seed(result), allow_unused=True)
        for tensor, part in zip(watched, parts, strict=True):
            gradient += [0.0] * tensor.numel() if part is None else self._numbers(part)
        kind = f"{result.dtype} {tuple(result.shape)}"
        return Seen(self._numbers(result), kind, gradient)

    def _numbers(self, tensor: Any) -> list[float]:
        """Return the elements; a float has every number of the floating-point formats."""
        if not tensor.dtype.is_floating_point:
            tensor = tensor.double()
        numbers: list[float] = (tensor if tensor.dim() == 1 else tensor.detach().flatten()).tolist()
        return numbers

    def _seed(self, result: Any) -> Any:
        """Return the gradient of the weighted sum by each element of the result."""
        if result.is_complex():
            raise TypeError("a sum of complex numbers has no gradient")
        place = (result.shape, result.dtype)
        if place not in self.seeds:
            seed = self.torch.tensor(weights(result.numel()), dtype=result.dtype)
            self.seeds[place] = seed.reshape(result.shape)
        return self.seeds[place]


@contextmanager
def _hidden(*names: str) -> Iterator[None]:
    """Hide packages that are imported if they are installed, a quarter of the time it takes."""
    hidden: dict[str, Any] = {name: None for name in names if name not in sys.modules}
    sys.modules.update(hidden)
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


class _TensorFlow(_Executing):
    """Traces expressions executed a few times: eager execution takes ten times as long.

    A graph runs the same kernels, as it is not optimized.
    """

    def __init__(self) -> None:
        with _hidden("jax", "pandas"):
            self.tf = importlib.import_module("tensorflow")
        self.tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
        self.seeds: dict[tuple[Any, ...], Any] = {}
        self.times: dict[tuple[Any, ...], int] = {}
        self.traced: dict[tuple[Any, ...], Any] = {}
        self.refused: set[tuple[Any, ...]] = set()

    def run(self, code: CodeType, names: Names, point: Point, layout: Layout, dtype: str) -> Seen:
        place = _place(code, names, layout, dtype)
        watched, fixed = self._inputs(point, layout, dtype)
        traced = self.traced.get(place)
        if traced is not None:
            return self._seen(*traced(*watched.values(), *fixed.values()))
        seen = self._seen(*self._evaluated(code, names, watched, fixed))
        times = self.times[place] = self.times.get(place, 0) + 1
        if times % _EAGER_FIRST == 0 and place not in self.refused and not _has_numbers(layout):
            self._trace(code, names, (watched, fixed), seen, place)
        return seen

    def _trace(
        self, code: CodeType, names: Names, given: Any, seen: Seen, place: tuple[Any, ...]
    ) -> None:
        """Use a graph from now on, if the expression can be traced with equal results."""
        watched, fixed = given
        count = len(watched)

        def evaluated(*inputs: Any) -> Any:
            first = dict(zip(watched, inputs[:count], strict=True))
            rest = dict(zip(fixed, inputs[count:], strict=True))
            return self._evaluated(code, names, first, rest)

        try:
            inputs = [*watched.values(), *fixed.values()]
            traced = self.tf.function(evaluated, autograph=False).get_concrete_function(*inputs)
            again = self._seen(*traced(*inputs))
        except Exception:  # the expression needs a value that does not exist while tracing
            again = FAILED
        if repr(again) != repr(seen):
            self.refused.add(place)
        else:
            if len(self.traced) >= _TRACED_MOST:
                self.traced.clear()
            self.traced[place] = traced

    def _inputs(
        self, point: Point, layout: Layout, dtype: str
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the inputs that are differentiated, and the others."""
        tf = self.tf
        watched: dict[str, Any] = {}
        fixed: dict[str, Any] = {}
        for variable in layout.variables:
            if variable.is_number:
                fixed[variable.name] = variable.number(point)
                continue
            kind = tf.bool if variable.is_boolean else getattr(tf, dtype)
            shape = layout.shape_of(variable.name)
            tensor = tf.constant(list(point[variable.name]), dtype=kind, shape=shape)
            (watched if variable.is_differentiable else fixed)[variable.name] = tensor
        return watched, fixed

    def _evaluated(
        self, code: CodeType, names: Names, watched: Mapping[str, Any], fixed: Mapping[str, Any]
    ) -> tuple[Any, Sequence[Any]]:
        """Return the result, and its gradient by each watched input."""
        tf, sources = self.tf, [*watched.values()]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            result = tf.convert_to_tensor(eval(code, {**names, **fixed, **watched}))
        parts: Sequence[Any] = [None] * len(sources)
        if result.dtype.is_floating and sources:
            parts = tape.gradient(result, sources, self._seed(result))
        return result, [
            tf.zeros_like(tensor) if part is None else tf.convert_to_tensor(part)
            for tensor, part in zip(sources, parts, strict=True)
        ]

    def _seen(self, result: Any, parts: Sequence[Any]) -> Seen:
        gradient = [number for part in parts for number in self._numbers(part)]
        return Seen(self._numbers(result), f"{result.dtype.name} {tuple(result.shape)}", gradient)

    def _seed(self, result: Any) -> Any:
        shape = tuple(result.shape)
        place = (shape, result.dtype)
        if place not in self.seeds:
            with self.tf.init_scope():  # outside of any graph: all of them use it
                numbers = weights(math.prod(shape))
                self.seeds[place] = self.tf.constant(numbers, dtype=result.dtype, shape=shape)
        return self.seeds[place]

    def _numbers(self, tensor: Any) -> list[float]:
        numbers: list[float] = tensor.numpy().astype("float64").ravel().tolist()
        return numbers


class _Jax:
    """Compiles expressions by `jax.jit`: executing each operation is a hundred times slower."""

    finest, eps = "float64", DOUBLE

    def __init__(self) -> None:
        self.jax = importlib.import_module("jax")
        self.jnp = importlib.import_module("jax.numpy")
        self.np = importlib.import_module("numpy")
        self.compiled: dict[tuple[Any, ...], Any] = {}

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
        """Return the kind by tracing alone: compiling takes a hundred times as long."""
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
        """Return the inputs that are differentiated, and the others."""
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
        """Return the compiled function, or an uncompiled one if inputs are static numbers."""
        if _has_numbers(layout):
            return lambda watched, fixed: self._evaluated(code, names, watched, fixed)
        place = _place(code, names, layout, dtype)
        if place not in self.compiled:  # the compiled function keeps `names` alive
            self.compiled[place] = self.jax.jit(lambda w, f: self._evaluated(code, names, w, f))
        known: Callable[..., tuple[Any, Mapping[str, Any]]] = self.compiled[place]
        return known

    def _evaluated(
        self, code: CodeType, names: Names, watched: Mapping[str, Any], fixed: Mapping[str, Any]
    ) -> tuple[Any, Mapping[str, Any]]:
        """Return the result, and the gradient by name of an input."""
        jnp = self.jnp

        def function(inputs: Mapping[str, Any]) -> Any:
            return jnp.asarray(eval(code, {**names, **fixed, **inputs}))

        if not jnp.issubdtype(self.jax.eval_shape(function, watched).dtype, jnp.floating):
            return function(watched), {}
        result, pull = self.jax.vjp(function, watched)
        seed = jnp.asarray(weights(result.size), dtype=result.dtype)
        return result, pull(seed.reshape(result.shape))[0]


def _place(code: CodeType, names: Names, layout: Layout, dtype: str) -> tuple[Any, ...]:
    """A cache key: an expression calls other functions if its names are bound otherwise.

    A traced function takes its inputs in one order, and each of one kind.
    """
    kinds = tuple((each.name, each.is_boolean, each.is_differentiable) for each in layout.variables)
    return (code, id(names), layout.shape, layout.narrow, dtype, kinds)


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
