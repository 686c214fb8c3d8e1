"""Kinds of input, as changes of an array that a program would have used.

A kind keeps shape and dtype (except `batch-of-one` and `half-precision`), and stays among the
values that the program's author meant: integers stay in the range of the original, probabilities
stay probabilities, and what was not negative stays so.

    >>> kind_named("zeros").applied(np.array([0.5, -2.0], np.float32), np.random.default_rng(0))
    array([0., 0.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .witness import Grade

Array = NDArray[Any]
Change = Callable[[Array, Generator], Array]
"""Makes a new array from one with at least one axis and element; it may exceed the bounds."""

SATURATED = 30.0
"""exp(-30) is below float32's resolution at 1: sigmoid and softmax give exactly 1."""
STRESSED = 1e4


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of input, and how far it is from what a user has."""

    name: str
    grade: Grade
    change: Change
    keeps_shape: bool = True
    keeps_dtype: bool = True
    within_unit: bool = True
    """Whether an original within [0, 1] stays there: an image, a probability, a mask."""

    def applied(self, original: Array, rng: Generator, *, drawn: bool = True) -> Array:
        """Return this kind of input in place of `original`, which is not written to.

        An array that is not `drawn` but written out (`torch.tensor([0.1, 2.0])`) and has one
        sign stays between its least and its greatest value: no ordinary kind may set a positive
        scale to 0.
        """
        if original.size == 0 or original.dtype.kind not in "biuf":
            return np.array(original)
        array = original.reshape(1) if original.ndim == 0 else original
        with np.errstate(all="ignore"):
            changed: Array = np.asarray(self.change(array, rng))
            changed = _among(changed, array, self, drawn)
        keeps_dtype = self.keeps_dtype or original.dtype.kind != "f"
        dtype = original.dtype if keeps_dtype else changed.dtype
        if dtype.kind == "f" and self.grade is not Grade.ORDINARY:
            most = np.finfo(dtype).max
            changed = np.clip(changed, -most, most)
        shape = original.shape if self.keeps_shape or original.ndim == 0 else changed.shape
        result: Array = changed.astype(dtype).reshape(shape)
        return result


def is_binary(array: Array) -> bool:
    """Whether the array can be a mask."""
    return array.dtype.kind == "b" or bool(np.all((array == 0) | (array == 1)))


def is_probability(array: Array) -> bool:
    """Whether the rows of the array are distributions."""
    if array.dtype.kind != "f" or array.shape[-1] < 2 or np.any(array < 0):
        return False
    return bool(np.allclose(array.sum(axis=-1, dtype=np.float64), 1.0, atol=1e-3))


def _among(changed: Array, array: Array, kind: Kind, drawn: bool) -> Array:
    """Return `changed`, restricted to the values that the original `array` can have."""
    if array.dtype.kind == "b":
        return changed.astype(bool)
    finite = array[np.isfinite(array)]
    if finite.size == 0:
        return array
    low, high = finite.min(), finite.max()
    if array.dtype.kind in "iu":
        return np.clip(np.rint(changed), low, high)
    if is_probability(array) and kind.within_unit:
        return _normalized(changed)
    if not drawn and kind.grade is Grade.ORDINARY and (low > 0 or high < 0):
        return np.clip(changed, low, high)
    if low >= 0:
        changed = np.abs(changed)
        if high <= 1 and kind.within_unit:
            changed = np.minimum(changed, 1)
    return changed


def _normalized(rows: Array) -> Array:
    """Return rows as distributions: a row without mass puts all of it on its first entry."""
    rows = np.clip(np.asarray(rows, dtype=np.float64), 0, None)
    total = rows.sum(axis=-1, keepdims=True)
    first = np.zeros_like(rows)
    first[..., 0] = 1
    return np.where(total > 0, rows / np.where(total > 0, total, 1), first)


def _as_is(array: Array, rng: Generator) -> Array:
    return array


def _zeros(array: Array, rng: Generator) -> Array:
    return np.zeros_like(array)


def _constant(array: Array, rng: Generator) -> Array:
    return np.full_like(array, array.flat[0])


def _equal_rows(array: Array, rng: Generator) -> Array:
    row = array.reshape(-1, array.shape[-1])[0]
    return np.broadcast_to(row, array.shape) if array.ndim > 1 else _constant(array, rng)


def _one_hot_rows(array: Array, rng: Generator) -> Array:
    if array.dtype.kind != "f":
        return array
    hot = rng.integers(array.shape[-1], size=array.shape[:-1])
    return np.eye(array.shape[-1])[hot]


def _padded(array: Array, rng: Generator) -> Array:
    """Set the later three quarters of the last axis but one to 0: the time of (batch, time, …)."""
    axis = array.ndim - 2 if array.ndim > 2 else array.ndim - 1
    kept = max(1, array.shape[axis] // 4)
    position = np.arange(array.shape[axis]).reshape([-1] + [1] * (array.ndim - axis - 1))
    return np.where(position < kept, array, np.zeros_like(array))


def _duplicates(array: Array, rng: Generator) -> Array:
    """Make each second entry of the first axis repeat the one before it."""
    return array[np.arange(array.shape[0]) // 2 * 2]


def _equal_operands(array: Array, rng: Generator) -> Array:
    """Return the same numbers for all arrays of a shape: a prediction that equals its target."""
    if array.dtype.kind != "f":
        return array
    same = np.random.default_rng(0)
    finite = array[np.isfinite(array)]
    if finite.size and finite.min() >= 0:
        return same.uniform(0, max(1.0, float(finite.max())), array.shape)
    return same.standard_normal(array.shape)


def _empty_mask(array: Array, rng: Generator) -> Array:
    return np.zeros_like(array) if is_binary(array) else array


def _full_mask(array: Array, rng: Generator) -> Array:
    return np.ones_like(array) if is_binary(array) else array


def _batch_of_one(array: Array, rng: Generator) -> Array:
    """Return the first sample; a row of numbers and a small square matrix have no samples."""
    if array.ndim == 1 and array.dtype.kind == "f":
        return array
    if array.ndim == 2 and array.shape[0] == array.shape[1] <= 4:
        return array
    return array[:1]


def _signs(array: Array) -> Array:
    """Return -1 and 1 (0 and 1 if the original is never negative), divided by the median."""
    middle = np.median(array)
    if array.dtype.kind == "f" and array.min() >= 0:
        return np.where(array > middle, 1.0, 0.0)
    return np.where(array > middle, 1.0, -1.0)


def _at(magnitude: float) -> Change:
    """Set every entry to ±magnitude; masks and labels are kept."""

    def change(array: Array, rng: Generator) -> Array:
        if array.dtype.kind != "f":
            return array
        return _signs(array.astype(np.float64)) * magnitude

    return change


def _times(factor: float) -> Change:
    def change(array: Array, rng: Generator) -> Array:
        return array if array.dtype.kind != "f" else array.astype(np.float64) * factor

    return change


def _half(array: Array, rng: Generator) -> Array:
    return array.astype(np.float16) if array.dtype.kind == "f" else array


def _ordinary(name: str, change: Change, *, keeps_shape: bool = True) -> Kind:
    return Kind(name, Grade.ORDINARY, change, keeps_shape=keeps_shape)


def _stress(name: str, change: Change, *, keeps_dtype: bool = True) -> Kind:
    return Kind(name, Grade.STRESS, change, keeps_dtype=keeps_dtype, within_unit=False)


def _extreme(name: str, magnitude: float) -> Kind:
    return Kind(name, Grade.EXTREME, _at(magnitude), within_unit=False)


KINDS: tuple[Kind, ...] = (
    _ordinary("as-is", _as_is),
    _ordinary("zeros", _zeros),
    _ordinary("constant", _constant),
    _ordinary("equal-rows", _equal_rows),
    _ordinary("one-hot-rows", _one_hot_rows),
    _ordinary("padding", _padded),
    _ordinary("duplicates", _duplicates),
    _ordinary("equal-operands", _equal_operands),
    _ordinary("empty-mask", _empty_mask),
    _ordinary("full-mask", _full_mask),
    _ordinary("batch-of-one", _batch_of_one, keeps_shape=False),
    _ordinary("saturated", _at(SATURATED)),
    _stress("large", _at(STRESSED)),
    _stress("scaled-up", _times(STRESSED)),
    _stress("scaled-down", _times(1e-20)),
    _stress("half-precision", _half, keeps_dtype=False),
    _extreme("float16-bound", float(np.finfo(np.float16).max)),
    _extreme("float32-bound", float(np.finfo(np.float32).max)),
    _extreme("tiniest", float(np.finfo(np.float32).tiny)),
    _extreme("subnormal", float(np.finfo(np.float32).smallest_subnormal)),
)


TENFOLD_RATE = "tenfold-rate"
"""Not a kind of input: a script whose optimizers have ten times the learning rate."""


def grade_of(name: str) -> Grade:
    """Return the grade of a kind of input or of a way to run a script. Raises `KeyError`."""
    return Grade.STRESS if name == TENFOLD_RATE else kind_named(name).grade


def kind_named(name: str) -> Kind:
    """Return a kind by name. Raises `KeyError` with the existing names."""
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise KeyError(f"no kind of input is called {name!r}: {', '.join(k.name for k in KINDS)}")
