"""JAX: a vector-Jacobian product, operation by operation or compiled as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp

from tests.verifier.observation import Array, Inputs, Observed, Runner, leaves

version: str = jax.__version__


def place(wanted: str) -> str:
    """The device that stands for `auto`, `cpu` or `cuda` here."""
    return "cuda" if wanted != "cpu" and jax.default_backend() == "gpu" else "cpu"


def device_name(device: str) -> str:
    return str(jax.devices("gpu")[0].device_kind) if device == "cuda" else "CPU"


def runner(function: Callable[..., Any], device: str, compiled: bool) -> Runner:
    def differentiate(
        sources: dict[str, jax.Array], others: dict[str, jax.Array]
    ) -> tuple[list[jax.Array], dict[str, jax.Array]]:
        def floats_and_rest(
            sources: dict[str, jax.Array],
        ) -> tuple[list[jax.Array], list[jax.Array]]:
            outputs = list(map(jnp.asarray, leaves(function(**sources, **others))))
            return list(filter(_is_float, outputs)), [
                output for output in outputs if not _is_float(output)
            ]

        floats, pullback, rest = jax.vjp(floats_and_rest, sources, has_aux=True)
        (gradients,) = pullback([jnp.ones_like(output) for output in floats])
        return floats + rest, gradients

    execute = jax.jit(differentiate) if compiled else differentiate

    def run(inputs: Inputs) -> Observed:
        with jax.default_device(jax.devices("gpu" if device == "cuda" else "cpu")[0]):
            arrays = {name: jnp.asarray(array) for name, array in inputs.items()}
            sources = {name: array for name, array in arrays.items() if _is_float(array)}
            others = {name: array for name, array in arrays.items() if name not in sources}
            outputs, gradients = execute(sources, others)
        return Observed(
            tuple(map(_array, outputs)), {name: _array(each) for name, each in gradients.items()}
        )

    return run


def _is_float(array: jax.Array) -> bool:
    return bool(jnp.issubdtype(array.dtype, jnp.floating))


def _array(array: jax.Array) -> Array:
    entries = np.asarray(array)
    if array.dtype == jnp.bfloat16:
        entries = entries.astype(np.float32)
    return Array(entries, str(array.dtype))
