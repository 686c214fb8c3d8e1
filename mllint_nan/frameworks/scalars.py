"""Which operands of functions may be Python numbers instead of tensors, as measured.

PyTorch 2 raises TypeError unless its table says otherwise; TensorFlow, Keras, JAX and NumPy convert
numbers. Their result is then a tensor; the same in Python's own arithmetic, and shapes under
`jax.jit`, are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BOTH: Final = frozenset((0, 1))
_NOWHERE: Final = frozenset[int]()
_OF_TORCH: Final[Mapping[str, frozenset[int]]] = {
    "add": _BOTH,
    "sub": _BOTH,
    "mul": _BOTH,
    "div": _BOTH,
    "pow": _BOTH,
    "xlogy": _BOTH,
    "xlog1py": _BOTH,
    "where": frozenset((1, 2)),
    "copysign": frozenset((1,)),
    "eq": frozenset((1,)),
    "ne": frozenset((1,)),
    "gt": frozenset((1,)),
    "ge": frozenset((1,)),
}


def takes_number(framework: str | None, operation: str, place: int) -> bool:
    """Whether an operand may be a number if the function's other operands are tensors."""
    return framework != "torch" or place in _OF_TORCH.get(operation, _NOWHERE)
