"""TensorFlow: a gradient tape, eagerly or inside one function compiled by XLA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tests.verifier.observation import Array, Inputs, Observed, Runner, leaves

version: str = tf.__version__
tf.get_logger().setLevel("ERROR")  # every compiled function is traced anew, and that is meant

_Results = tuple[list[tf.Tensor], dict[str, tf.Tensor]]


def place(wanted: str) -> str:
    """The device that stands for `auto`, `cpu` or `cuda` here."""
    return "cuda" if wanted != "cpu" and tf.config.list_physical_devices("GPU") else "cpu"


def device_name(device: str) -> str:
    if device == "cpu":
        return "CPU"
    details = tf.config.experimental.get_device_details(tf.config.list_physical_devices("GPU")[0])
    return str(details.get("device_name", "GPU"))


def runner(function: Callable[..., Any], device: str, compiled: bool) -> Runner:
    def differentiate(inputs: dict[str, tf.Tensor]) -> _Results:
        sources = {name: tensor for name, tensor in inputs.items() if tensor.dtype.is_floating}
        with tf.GradientTape() as tape:
            tape.watch(list(sources.values()))
            outputs = [tf.convert_to_tensor(leaf) for leaf in leaves(function(**inputs))]
        targets = [output for output in outputs if output.dtype.is_floating]
        gradients = tape.gradient(
            targets, sources, unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        return outputs, {name: tf.convert_to_tensor(each) for name, each in gradients.items()}

    execute = tf.function(differentiate, jit_compile=True) if compiled else differentiate

    def run(inputs: Inputs) -> Observed:
        tf.random.set_seed(0)
        with tf.device("/GPU:0" if device == "cuda" else "/CPU:0"):
            outputs, gradients = execute(
                {name: tf.constant(array) for name, array in inputs.items()}
            )
        return Observed(
            tuple(map(_array, outputs)), {name: _array(each) for name, each in gradients.items()}
        )

    return run


def _array(tensor: tf.Tensor) -> Array:
    entries = np.asarray(tensor)
    if tensor.dtype == tf.bfloat16:
        entries = entries.astype(np.float32)
    return Array(entries, tensor.dtype.name)
