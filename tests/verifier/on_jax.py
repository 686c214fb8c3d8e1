"""JAX: a vector-Jacobian product, operation by operation or compiled as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp

from tests.verifier.frameworks import DTYPES, MODES
from tests.verifier.observation import PLAIN, Array, Inputs, Mode, Observed, Runner, Way, leaves

version: str = jax.__version__
modes = MODES["jax"]
dtypes = DTYPES["jax"]


def place(wanted: str) -> str:
    """The device that stands for `auto`, `cpu` or `cuda` here."""
    return "cuda" if wanted != "cpu" and jax.default_backend() == "gpu" else "cpu"


def device_name(device: str) -> str:
    return str(jax.devices("gpu")[0].device_kind) if device == "cuda" else "CPU"


def runner(function: Callable[..., Any], device: str, way: Way = PLAIN) -> Runner:
    def differentiate(
        sources: dict[str, jax.Array], others: dict[str, jax.Array]
    ) -> tuple[list[jax.Array], dict[str, jax.Array]]:
        def floats_and_rest(
            sources: dict[str, jax.Array],
        ) -> tuple[dict[int, jax.Array], dict[int, jax.Array]]:
            """By place."""
            outputs = dict(enumerate(map(jnp.asarray, leaves(function(**sources, **others)))))
            floats = {place: output for place, output in outputs.items() if _is_float(output)}
            return floats, {key: outputs[key] for key in outputs.keys() - floats.keys()}

        floats, pullback, rest = jax.vjp(floats_and_rest, sources, has_aux=True)
        (gradients,) = pullback(
            {place: _seed(output, way.weight(place)) for place, output in floats.items()}
        )
        return [output for _, output in sorted((floats | rest).items())], gradients

    execute = jax.jit(differentiate) if way.mode is Mode.COMPILED else differentiate

    def run(inputs: Inputs) -> Observed:
        place = jax.devices("gpu" if device == "cuda" else "cpu")[0]
        with jax.default_device(place), jax.enable_x64(way.dtype == "float64"):
            arrays = {name: _tensor(array, way.dtype) for name, array in inputs.items()}
            sources = {name: array for name, array in arrays.items() if _is_float(array)}
            others = {name: array for name, array in arrays.items() if name not in sources}
            outputs, gradients = execute(sources, others)
        return Observed(
            tuple(map(_array, outputs)), {name: _array(each) for name, each in gradients.items()}
        )

    return run


def _tensor(array: np.ndarray, dtype: str | None) -> jax.Array:
    is_float = dtype is not None and array.dtype.kind == "f"
    return jnp.asarray(array, dtype=dtype if is_float else None)


def _seed(output: jax.Array, weights: np.ndarray | None) -> jax.Array:
    return jnp.ones_like(output) if weights is None else jnp.asarray(weights, dtype=output.dtype)


def _is_float(array: jax.Array) -> bool:
    return bool(jnp.issubdtype(array.dtype, jnp.floating))


def _array(array: jax.Array) -> Array:
    entries = np.asarray(array)
    if array.dtype == jnp.bfloat16:
        entries = entries.astype(np.float32)
    return Array(entries, str(array.dtype))
