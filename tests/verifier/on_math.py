"""Python's `math`: plain floats in, and an arithmetic error is a result.

>>> import numpy as np
>>> run = runner(lambda x: 2 * x + 1.0, "cpu")
>>> run({"x": np.array([1.0, 2.0])}).values[1].entries.item()
5.0
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from typing import Any

from tests.verifier.frameworks import DTYPES, MODES
from tests.verifier.observation import PLAIN, Inputs, Observed, Runner, Way, leaves
from tests.verifier.on_numpy import array_of, device_name, place

__all__ = ["device_name", "dtypes", "modes", "place", "runner", "version"]

version: str = platform.python_version()
modes = MODES["math"]
dtypes = DTYPES["math"]


def runner(function: Callable[..., Any], device: str, way: Way = PLAIN) -> Runner:
    def run(inputs: Inputs) -> Observed:
        try:
            outputs = _apply(function, {name: array.tolist() for name, array in inputs.items()})
        # `math.log(0.0)` raises a ValueError.
        except (OverflowError, ZeroDivisionError, ValueError) as error:
            return Observed(raised=type(error).__name__)
        return Observed(tuple(map(array_of, leaves(outputs))))

    return run


def _apply(function: Callable[..., Any], inputs: Mapping[str, Any]) -> Any:
    """A function of numbers is applied to the lists' entries, one of lists to the lists."""
    try:
        return function(**inputs)
    except TypeError:
        columns = {name: column for name, column in inputs.items() if isinstance(column, list)}
        if not columns:
            raise
        rows = zip(*columns.values(), strict=True)
        return [
            _apply(function, {**inputs, **dict(zip(columns, row, strict=True))}) for row in rows
        ]
