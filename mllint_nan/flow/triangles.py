"""Matrices of which one side of the diagonal is 0: `triu`, `tril`, written as a `where`."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import OPAQUE, Term, peel

SIDES: Final = ("tril", "triu")
TRIANGLES: Final = frozenset(
    f"{module}.{side}" for module in ("torch", "numpy", "jax.numpy") for side in SIDES
)
PLACE: Final = "index"
"""An index of a matrix; the second is greater than the first above the diagonal."""


def is_triangle(term: Term) -> bool:
    """Whether a term keeps one side of the diagonal; it is 0 on the other side."""
    if term.operation.name != "where":
        return False
    condition = peel(term.operands[0])
    return condition.operation.kind == "comparison" and all(
        peel(one).operation is OPAQUE and peel(one).detail == PLACE for one in condition.operands
    )
