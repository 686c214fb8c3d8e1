"""The tables of signatures, by the name of the framework."""

from __future__ import annotations

from collections.abc import Mapping

from mllint_nan.frameworks import jax, keras, numpy, tensorflow, torch
from mllint_nan.frameworks.signature import Signature

TABLES: Mapping[str, tuple[Signature, ...]] = {
    "torch": torch.SPELLINGS,
    "tensorflow": tensorflow.SPELLINGS,
    "keras": keras.SPELLINGS,
    "jax": jax.SPELLINGS,
    "numpy": numpy.SPELLINGS,
    "math": numpy.MATH_SPELLINGS,
}
