"""The numbers that fixes write, adapted to formats of 16 bits.

>>> kept_in("float16", {"epsilon": 1e-8, "margin": 1e-7, "ceiling": 80.0})
{'epsilon': 0.0001, 'margin': 0.001, 'ceiling': 80.0}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NEXT_TO_ZERO: Final = ("epsilon", "floor", "tiny")
"""Parameters of rules that are added to an operand, or that it is raised to."""
NEXT_TO_ONE: Final = "margin"
"""The parameter that is subtracted from 1."""
_LEAST: Final[Mapping[str, tuple[float, float]]] = {
    "float16": (1e-4, 1e-3),
    "bfloat16": (0.0, 4e-3),
}
"""By format: a number above the smallest normal one (6.1e-5), and one that 1 does not absorb
(2**-11 and 2**-8)."""


def kept_in(dtype: str, parameters: Mapping[str, float]) -> Mapping[str, float]:
    """The parameters, raised where they would be 0 or absorbed in this format."""
    if dtype not in _LEAST:
        return parameters
    beside_zero, beside_one = _LEAST[dtype]
    least = {**dict.fromkeys(NEXT_TO_ZERO, beside_zero), NEXT_TO_ONE: beside_one}
    return {name: max(value, least.get(name, value)) for name, value in parameters.items()}
