"""The paths to the operations of the frameworks: top-level modules and other module paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

BUILT_IN: Final = "builtins"

ROOTS: Final[Mapping[str, str]] = {
    "torch": "torch",
    "tensorflow": "tensorflow",
    "keras": "keras",
    "jax": "jax",
    "optax": "jax",
    "numpy": "numpy",
    "scipy": "numpy",
    "math": "math",
    BUILT_IN: "math",
    "random": "math",
}
"""The framework of a top-level module."""

PREFIXES: Final[tuple[tuple[str, str], ...]] = (
    ("tensorflow._api.v2.", "tensorflow."),
    ("tensorflow.compat.v1.", "tensorflow."),
    ("tensorflow.compat.v2.", "tensorflow."),
    ("tensorflow.python.keras.", "keras."),
    ("tensorflow.contrib.keras.", "keras."),
    ("tensorflow.contrib.layers.python.layers.layers.", "tensorflow.contrib.layers."),
    ("tensorflow.contrib.layers.python.layers.", "tensorflow.contrib.layers."),
    ("tensorflow.contrib.slim.", "tensorflow.contrib.layers."),
    ("tf_slim.layers.", "tensorflow.contrib.layers."),
    ("tf_slim.", "tensorflow.contrib.layers."),
    ("tensorflow.keras.", "keras."),
    ("tf_keras.", "keras."),
    ("keras_core.", "keras."),
    ("keras._tf_keras.keras.", "keras."),
    ("keras.api._v2.keras.", "keras."),
    ("keras.api.", "keras."),
    ("keras.src.", "keras."),
    ("keras.python.keras.", "keras."),
    ("keras.ops.numpy.", "keras.ops."),
    ("keras.ops.math.", "keras.ops."),
    ("keras.ops.nn.", "keras.ops."),
    ("keras.ops.linalg.", "keras.ops."),
    ("keras.backend.tensorflow_backend.", "keras.backend."),
    ("keras.layers.core.", "keras.layers."),
    ("keras.layers.advanced_activations.", "keras.layers."),
    ("torch.nn.modules.activation.", "torch.nn."),
    ("torch.nn.modules.loss.", "torch.nn."),
    ("torch.nn.modules.", "torch.nn."),
    ("jax._src.numpy.", "jax.numpy."),
    ("numpy._core.", "numpy."),
    ("numpy.core.", "numpy."),
    ("numpy.umath.", "numpy."),
    ("numpy.fromnumeric.", "numpy."),
    ("numpy.numeric.", "numpy."),
)
"""The same objects under other module paths; applied in order, once each."""

REEXPORTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "tensorflow.python.ops.",
        ("tensorflow.math.", "tensorflow.nn.", "tensorflow.linalg.", "tensorflow."),
    ),
    ("flax.linen.", ("jax.nn.",)),
    ("flax.nnx.", ("jax.nn.",)),
)
"""Modules with functions that are public elsewhere, and the modules where they are public."""


def modules() -> frozenset[str]:
    """The top-level modules: a program that computes with tensors imports at least one of them."""
    paths = (path for path, _ in (*PREFIXES, *REEXPORTS))
    return frozenset((*ROOTS, *(path.partition(".")[0] for path in paths))) - {BUILT_IN}
