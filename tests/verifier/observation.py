"""What one execution returned: plain NumPy arrays, whatever framework made them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

import numpy as np

Inputs = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Array:
    """A result with the name of its own dtype, which NumPy may lack (bfloat16)."""

    entries: np.ndarray
    dtype: str

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self.entries).all())

    @property
    def is_float(self) -> bool:
        return "float" in self.dtype


@dataclass(frozen=True, slots=True)
class Observed:
    """The outputs in order, the gradient by input, or the name of the arithmetic error."""

    values: tuple[Array, ...] = ()
    gradients: Mapping[str, Array] = field(default_factory=dict)
    raised: str | None = None

    @property
    def has_finite_value(self) -> bool:
        return self.raised is None and all(value.is_finite for value in self.values)

    @property
    def has_finite_gradient(self) -> bool:
        return all(gradient.is_finite for gradient in self.gradients.values())

    @property
    def is_finite(self) -> bool:
        return self.has_finite_value and self.has_finite_gradient

    def __str__(self) -> str:
        if self.raised is not None:
            return f"raises {self.raised}"
        parts = [f"value {_shown(value)}" for value in self.values]
        parts += [f"d/d{name} {_shown(array)}" for name, array in self.gradients.items()]
        return "; ".join(parts) or "no numeric output"


Runner = Callable[[Inputs], Observed]


class Mode(str, Enum):
    """How a framework executes a function; each has `EAGER`, and its own of the others."""

    EAGER = "eager"
    GRAPH = "graph"
    """TensorFlow's, optimized by Grappler."""
    COMPILED = "compiled"
    """By XLA (TensorFlow, JAX) or TorchInductor, all of it at once."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """How a function is executed: floats are converted to `dtype`, if any, beforehand.

    The gradient is that of the sum of all results, weighted by `weights`: one array for all of
    them, or one for each.
    """

    mode: Mode = Mode.EAGER
    dtype: str | None = None
    weights: np.ndarray | tuple[np.ndarray, ...] | None = None

    def weight(self, place: int) -> np.ndarray | None:
        """Of the result at a place."""
        return self.weights[place] if isinstance(self.weights, tuple) else self.weights


PLAIN: Final = Way()

MENDED: Final = (
    ("tensorflow", "NAN404", Mode.COMPILED),
    ("keras", "NAN404", Mode.COMPILED),
    ("tensorflow", "NAN111", Mode.GRAPH),
    ("keras", "NAN111", Mode.GRAPH),
    ("tensorflow", "NAN112", Mode.GRAPH),
    ("keras", "NAN112", Mode.GRAPH),
)
"""Flaws that a compiler removes on its way: XLA selects where the original multiplies by a mask,
and Grappler writes `log1p` and `expm1` itself."""

UNMENDED: Final = (("torch", "NAN112", Mode.COMPILED),)
"""Fixes that a compiler undoes: on a CPU, TorchInductor computes `expm1` as `exp(x) - 1`."""

_REFUSALS: Final = ("InvalidArgumentError", "OperatorNotAllowedInGraphError", "Unsupported")


def is_refusal(error: Exception) -> bool:
    """Whether a framework cannot trace or compile what it executes eagerly.

    XLA lacks operations (a determinant); a graph's tensors are no numbers of Python.
    """
    return type(error).__name__ in _REFUSALS


def leaves(output: Any) -> Iterator[Any]:
    """The tensors and numbers of a nested output, in order."""
    match output:
        case None | str():
            return
        case dict():
            for item in output.values():
                yield from leaves(item)
        case list() | tuple():
            for item in output:
                yield from leaves(item)
        case _:
            yield output


def _shown(array: Array) -> str:
    return np.array2string(array.entries, precision=4, threshold=12).replace("\n", "")
