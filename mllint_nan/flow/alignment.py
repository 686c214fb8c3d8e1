"""Masks say something of the elements in the same places: which operations keep these in place."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.masks import keeps_all
from mllint_nan.ir.term import CONSTANT, SEQUENCE, Term, behind_views, peel

_ELSEWHERE: Final = frozenset(
    (
        *("transpose", "gather", "diagonal", "concat", "stack", "boolean_mask", "split"),
        *("matmul", "dot", "einsum", "det", "logdet", "inv", "cholesky", "trace", "slogdet", "svd"),
        *("eigh", "cosine_similarity", "distance"),
    )
)
"""Operations of other kinds whose elements rest on operands' elements in other places."""

_DEEPEST: Final = 4
"""How deep one looks into a condition for what it is one of."""


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
    """Whether a condition is one of each element, and not of all or some together, or a number."""
    inner = behind_views(mask)
    return keeps_places(inner) and not _is_one_number(inner, _DEEPEST)


def _is_one_number(term: Term, depth: int) -> bool:
    """Whether it is computed from constants and from reductions of whole arrays alone."""
    inner = peel(term)
    operation = inner.operation
    if operation is CONSTANT:
        return True
    if operation.kind == "reduction":
        return "axis" not in inner.settings
    is_computed = operation.kind in ("elementwise", "comparison") and depth > 0
    return is_computed and all(_is_one_number(one, depth - 1) for one in inner.operands)
