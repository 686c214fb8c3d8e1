"""Replaces tensors that a test creates by those of a kind of input."""

from __future__ import annotations

from typing import Any

import keras  # type: ignore[import-untyped]
import numpy as np
import tensorflow as tf  # type: ignore[import-untyped]
from numpy.random import Generator

from .inputs_numpy import MOST
from .inputs_replaced import ReplacedInputs
from .kinds import Kind
from .places import Places

_DRAWN = {
    tf.random: ("normal", "uniform", "truncated_normal", "gamma", "poisson", "categorical"),
    keras.random: ("normal", "uniform", "truncated_normal", "randint"),
    tf: ("ones", "zeros", "ones_like", "zeros_like"),
    keras.ops: ("ones", "zeros", "ones_like", "zeros_like"),
}
_BUILT = {
    tf: ("constant", "convert_to_tensor", "fill", "linspace"),
    keras.ops: ("array", "convert_to_tensor", "full", "linspace"),
    np: ("array", "asarray"),
}
"""Of NumPy, only floats: tests also write indices and expectations with it."""
_BETWEEN = ("tensorflow/python/util/traceback_utils.py", "tensorflow/python/util/dispatch.py")


class TensorFlowInputs(ReplacedInputs):
    """Tensors that tests draw or build are replaced by `kind`."""

    def __init__(self, kind: Kind, places: Places, rng: Generator) -> None:
        super().__init__(kind, places, rng, _DRAWN, _BUILT, between=_BETWEEN)

    def changed(self, made: Any, *, drawn: bool) -> Any:
        """Return an array or a tensor of the same type, changed by the kind."""
        if isinstance(made, np.ndarray) and made.dtype.kind == "f":
            return self.applied(made, drawn=drawn)
        if not isinstance(made, tf.Tensor) or not tf.executing_eagerly():
            return made
        is_number = made.dtype.is_floating or made.dtype.is_integer or made.dtype.is_bool
        if not is_number or not 0 < tf.size(made) <= MOST:
            return made
        narrow = made.dtype in (tf.bfloat16, tf.float16)
        array = (tf.cast(made, tf.float32) if narrow else made).numpy()
        changed = self.applied(np.asarray(array), drawn=drawn)
        tensor = tf.convert_to_tensor(changed)
        return tf.cast(tensor, made.dtype) if changed.dtype == array.dtype else tensor


Inputs = TensorFlowInputs
