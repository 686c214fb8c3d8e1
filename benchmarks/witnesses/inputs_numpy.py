"""Replaces arrays that a test draws by those of a kind of input."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from .kinds import Kind
from .places import Places

MOST: Final = 10_000_000
"""The most entries of arrays that are changed."""
_DRAWN = {
    np.random: (
        *("rand", "randn", "random", "random_sample", "ranf", "sample", "uniform", "normal"),
        *("standard_normal", "randint", "exponential", "gamma", "beta", "choice", "binomial"),
        *("poisson", "dirichlet", "laplace", "lognormal", "multivariate_normal"),
    ),
    np: ("ones", "zeros", "ones_like", "zeros_like"),
}
_BUILT = {np: ("linspace", "full", "full_like")}
"""Not `array`, `asarray`, `arange` and `eye`: tests write indices and expectations with them."""


class NumpyInputs:
    """Arrays that tests draw or build are replaced by `kind`."""

    def __init__(self, kind: Kind, places: Places, rng: np.random.Generator) -> None:
        self._kind = kind
        self._places = places
        self._rng = rng
        self._patches = ExitStack()

    def __enter__(self) -> NumpyInputs:
        if self._kind.name == "as-is":
            return self
        for table, drawn in ((_DRAWN, True), (_BUILT, False)):
            for module, names in table.items():
                for name in names:
                    function = self._replaced(getattr(module, name), drawn)
                    self._patches.enter_context(patch.object(module, name, function))
        return self

    def __exit__(self, *exception: object) -> None:
        self._patches.close()

    def _replaced(self, function: Callable[..., Any], drawn: bool) -> Callable[..., Any]:
        @functools.wraps(function)
        def made(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            if not self._places.is_called_by_test(sys._getframe(1)):
                return result
            if type(result) is float:
                return float(self._kind.applied(np.array(result), self._rng, drawn=drawn))
            if type(result) is not np.ndarray or not 0 < result.size <= MOST:
                return result
            return self._kind.applied(result, self._rng, drawn=drawn)

        return made


Inputs = NumpyInputs
