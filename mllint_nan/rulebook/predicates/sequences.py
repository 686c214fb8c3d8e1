"""Masks of lengths: a sum over a sequence of which nothing is kept, and its mean, 0 / 0."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.filled_masks import are_packed, lengths_compared
from mllint_nan.rulebook.predicates.zeros import is_zero_by_operands

_KEEPS: Final = frozenset(("mul", "div", "neg", "add", "sub", "square", "abs"))


def is_mean_of_sequence(context: Context, total: Term, divisor: Term) -> bool:
    """Whether this divides a sum along an axis by lengths, whose mask selects what is summed.

    A length of 0 leaves nothing.
    """
    lengths = behind_views(divisor)
    if context.value(lengths).can_be(0.0) is Truth.NO or not _is_sum_of_kept(total, lengths):
        return False
    return not are_packed(context.analysis, lengths)


def _is_sum_of_kept(term: Term, lengths: Term) -> bool:
    """Whether a term is 0 for a sequence of length 0, whatever its elements are."""
    inner = behind_views(term)
    if inner.operation.name == "sum":
        is_along = inner.settings.get("axis") is not None
        return is_along and _is_kept(inner.operands[0], lengths)
    return is_zero_by_operands(inner, _KEEPS, lambda part: _is_sum_of_kept(part, lengths))


def _is_kept(term: Term, lengths: Term) -> bool:
    """Whether all elements of a sequence are 0 beyond these lengths."""
    inner = behind_views(term)
    if inner.operation.name == "where":
        condition, chosen, other = inner.operands
        keeps = number_of(other) == 0 and _is_mask(condition, lengths)
        return keeps or (number_of(chosen) == 0 and _is_mask(condition, lengths, is_rest=True))
    return _is_mask(inner, lengths) or is_zero_by_operands(
        inner, _KEEPS, lambda part: _is_kept(part, lengths)
    )


def _is_mask(term: Term, lengths: Term, *, is_rest: bool = False) -> bool:
    """Whether a term is `arange(longest) < lengths`, or the mask of all other places."""
    inner = behind_views(term)
    if inner.operation.name == "logical_not":
        return _is_mask(inner.operands[0], lengths, is_rest=not is_rest)
    compared = lengths_compared(inner, is_rest=is_rest)
    return compared is not None and compared.key == lengths.key
