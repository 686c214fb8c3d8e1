"""TensorFlow: a gradient tape, eagerly or inside one function compiled by XLA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import random_seed

from tests.verifier.frameworks import DTYPES, MODES
from tests.verifier.observation import PLAIN, Array, Inputs, Mode, Observed, Runner, Way, leaves

version: str = tf.__version__
modes = MODES["tensorflow"]
dtypes = DTYPES["tensorflow"]
tf.get_logger().setLevel("ERROR")  # every compiled function is traced anew, and that is meant

_Results = tuple[list[tf.Tensor], dict[str, tf.Tensor]]


class _Seeds:
    """Seeds anew where something may have drawn: every operation that draws asks for its seeds.

    To seed lets go of all kernels that TensorFlow has made, which takes longer than they run.
    """

    def __init__(self) -> None:
        self.are_asked = True
        self._asked = random_seed.get_seed
        random_seed.get_seed = self._noted

    def _noted(self, op_seed: int | None) -> tuple[int | None, int | None]:
        self.are_asked = True
        seeds: tuple[int | None, int | None] = self._asked(op_seed)
        return seeds

    def set(self) -> None:
        tf.random.set_seed(0)
        self.are_asked = False

    @property
    def are_as_set(self) -> bool:
        return not self.are_asked and context.global_seed() == 0


_SEEDS = _Seeds()


def place(wanted: str) -> str:
    """The device that stands for `auto`, `cpu` or `cuda` here."""
    return "cuda" if wanted != "cpu" and tf.config.list_physical_devices("GPU") else "cpu"


def device_name(device: str) -> str:
    if device == "cpu":
        return "CPU"
    details = tf.config.experimental.get_device_details(tf.config.list_physical_devices("GPU")[0])
    return str(details.get("device_name", "GPU"))


def runner(function: Callable[..., Any], device: str, way: Way = PLAIN) -> Runner:
    def differentiate(inputs: dict[str, tf.Tensor]) -> _Results:
        sources = {name: tensor for name, tensor in inputs.items() if tensor.dtype.is_floating}
        with tf.GradientTape() as tape:
            tape.watch(list(sources.values()))
            outputs = [tf.convert_to_tensor(leaf) for leaf in leaves(function(**inputs))]
        seeds = [
            (output, _seed(output, way.weight(place)))
            for place, output in enumerate(outputs)
            if output.dtype.is_floating
        ]
        gradients = tape.gradient(
            [target for target, _ in seeds],
            sources,
            [seed for _, seed in seeds],
            unconnected_gradients=tf.UnconnectedGradients.ZERO,
        )
        return outputs, {name: tf.convert_to_tensor(each) for name, each in gradients.items()}

    execute = differentiate
    if way.mode is not Mode.EAGER:
        execute = tf.function(differentiate, jit_compile=way.mode is Mode.COMPILED)
    draws = False

    def run(inputs: Inputs) -> Observed:
        nonlocal draws
        if draws or not _SEEDS.are_as_set:
            _SEEDS.set()
        with tf.device("/GPU:0" if device == "cuda" else "/CPU:0"):
            outputs, gradients = execute(
                {name: _tensor(array, way.dtype) for name, array in inputs.items()}
            )
        draws |= _SEEDS.are_asked  # once, where it is traced
        return Observed(
            tuple(map(_array, outputs)), {name: _array(each) for name, each in gradients.items()}
        )

    return run


def _tensor(array: np.ndarray, dtype: str | None) -> tf.Tensor:
    tensor = tf.constant(array)
    return tf.cast(tensor, dtype) if dtype and tensor.dtype.is_floating else tensor


def _seed(output: tf.Tensor, weights: np.ndarray | None) -> tf.Tensor:
    return tf.ones_like(output) if weights is None else tf.cast(weights, output.dtype)


def _array(tensor: tf.Tensor) -> Array:
    exact = tf.cast(tensor, tf.float32) if tensor.dtype == tf.bfloat16 else tensor
    return Array(np.asarray(exact), tensor.dtype.name)
