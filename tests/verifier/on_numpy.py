"""NumPy: values only, in float64; an arithmetic error is a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.verifier.frameworks import DTYPES, MODES
from tests.verifier.observation import PLAIN, Array, Inputs, Observed, Runner, Way, leaves

version: str = np.__version__
modes = MODES["numpy"]
dtypes = DTYPES["numpy"]


def place(wanted: str) -> str:
    """There is only the CPU."""
    return "cpu"


def device_name(device: str) -> str:
    return "CPU"


def runner(function: Callable[..., Any], device: str, way: Way = PLAIN) -> Runner:
    def run(inputs: Inputs) -> Observed:
        np.random.seed(0)
        try:
            with np.errstate(all="ignore"):
                outputs = function(
                    **{name: _copied(array, way.dtype) for name, array in inputs.items()}
                )
        except (OverflowError, ZeroDivisionError) as error:
            return Observed(raised=type(error).__name__)
        return Observed(tuple(map(array_of, leaves(outputs))))

    return run


def array_of(output: Any) -> Array:
    entries = np.asarray(output)
    return Array(entries, str(entries.dtype))


def _copied(array: np.ndarray, dtype: str | None) -> np.ndarray:
    """A copy, so that operations in place stay inside, by default in NumPy's own 64 bits."""
    own = {"f": np.dtype(dtype or "float64"), "i": np.dtype("int64")}
    return array.astype(own.get(array.dtype.kind, array.dtype))
