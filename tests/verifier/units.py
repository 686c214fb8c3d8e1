"""Units in the last place of exact results."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final
from weakref import ref

import numpy as np
from mpmath import mp, mpf

from mllint_nan.domains.dtype import Format
from tests.verifier.oracle import Numbers

_SPLIT_BITS: Final = 2400


@dataclass(frozen=True, slots=True)
class Split:
    """Exact numbers as sums of two doubles; `high` is NaN where there is none."""

    high: np.ndarray
    low: np.ndarray

    @classmethod
    def of(cls, truth: Numbers) -> Split:
        """Once of each array, of which none is changed: each mode is held against the same."""
        known = _SPLITS.get(id(truth))
        if known is None or known[0]() is not truth:
            known = _SPLITS[id(truth)] = ref(truth), cls._made_of(truth)
        return known[1]

    @classmethod
    def _made_of(cls, truth: Numbers) -> Split:
        high = [float(each) for each in truth.ravel()]
        with mp.workprec(_SPLIT_BITS):
            low = [
                float(each - mpf(near)) if math.isfinite(near) else 0.0
                for each, near in zip(truth.ravel(), high, strict=True)
            ]
        return cls(*(np.array(part).reshape(truth.shape) for part in (high, low)))

    def ulps(self, computed: np.ndarray, form: Format) -> np.ndarray:
        """The error of computed numbers, in units in the last place of the exact ones."""
        with np.errstate(invalid="ignore", over="ignore"):
            found: np.ndarray = np.abs((computed - self.high) - self.low) / spacing(self.high, form)
        return found


_SPLITS: Final[dict[int, tuple[ref[Numbers], Split]]] = {}


def spacing(numbers: np.ndarray, form: Format) -> np.ndarray:
    """One unit in the last place of each number, as if the format were the result's."""
    with np.errstate(invalid="ignore"):
        _, exponents = np.frexp(np.where(np.isfinite(numbers), numbers, 1.0))
    return np.ldexp(1.0, np.maximum(exponents - 1, form.lowest) - (form.precision - 1))
