"""Masks say something of the elements in the same places: which operations keep these in place."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.masks import keeps_all
from mllint_nan.ir.term import SEQUENCE, Term, behind_views, peel

_ELSEWHERE: Final = frozenset(
    (
        *("transpose", "gather", "diagonal", "concat", "stack", "boolean_mask"),
        *("matmul", "dot", "einsum", "det", "logdet", "inv", "cholesky", "trace", "slogdet", "svd"),
        *("eigh", "cosine_similarity", "distance"),
    )
)
"""Operations of other kinds whose elements rest on operands' elements in other places."""


def keeps_places(term: Term) -> bool:
    """Whether each element of a term rests on those of its operands in the same place alone.

    A change of shape is taken for one that the mask has gone through as well.
    """
    operation = term.operation
    if operation.kind in ("reduction", "along") or operation.name in _ELSEWHERE:
        return False
    if operation.name == "subscript":
        index = peel(term.operands[1])
        parts = index.operands if index.operation is SEQUENCE else (index,)
        return all(map(keeps_all, parts))
    return True


def is_of_elements(mask: Term) -> bool:
    """Whether a condition is one of each element, and not one of all or of some together."""
    return keeps_places(behind_views(mask))
