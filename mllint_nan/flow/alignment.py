"""Which operations keep elements in place, so that a mask still applies to their results."""

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
"""Further operations whose elements depend on elements of the operands in other places."""

_DEEPEST: Final = 4
"""How many operations deep the operands of a condition are examined."""


def keeps_places(term: Term) -> bool:
    """Whether each element of a term depends only on its operands' elements in the same place.

    A change of shape counts as keeping places: the mask is assumed to be reshaped as well.
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
    """Whether a condition has an outcome for each element, not one for several or for a number."""
    inner = behind_views(mask)
    return keeps_places(inner) and not _is_one_number(inner, _DEEPEST)


def _is_one_number(term: Term, depth: int) -> bool:
    """Whether a term is computed only from constants and from reductions of whole arrays."""
    inner = peel(term)
    operation = inner.operation
    if operation is CONSTANT:
        return True
    if operation.kind == "reduction":
        return "axis" not in inner.settings
    is_computed = operation.kind in ("elementwise", "comparison") and depth > 0
    return is_computed and all(_is_one_number(one, depth - 1) for one in inner.operands)
