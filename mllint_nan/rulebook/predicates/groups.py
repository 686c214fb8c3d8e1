"""Groups by a value that occurs among the grouped elements: none of them is empty."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.occurring_values import is_of_occurring, listed
from mllint_nan.ir.term import CONSTANT, INPUT, Term, behind_views, peel
from mllint_nan.rulebook.predicates.context import Context, kept, known
from mllint_nan.rulebook.predicates.roles import options_of


def is_of_group(context: Context, mask: Term) -> Truth:
    """Whether the mask selects the labels with a value that occurs among them.

    UNKNOWN where an attribute keeps the values of a parameter of that name in another method.
    """
    if is_of_occurring(mask):
        return Truth.YES
    inner = behind_views(mask)
    if inner.operation.name != "eq":
        return Truth.NO
    first, second = inner.operands
    is_kept = _is_kept_of(context, first, second) or _is_kept_of(context, second, first)
    return known(is_kept).and_(Truth.UNKNOWN)


def _is_kept_of(context: Context, value: Term, labels: Term) -> bool:
    """Whether `value` is one of `self.groups`, in which only `unique(labels)` is stored."""
    inner, subject = peel(value), behind_views(labels)
    if inner.operation.name not in ("element", "subscript") or subject.operation is not INPUT:
        return False
    stored = [
        option
        for term in kept(context, peel(inner.operands[0]))
        for option in options_of(term) or (term,)
        if not (peel(option).operation is CONSTANT and peel(option).detail is None)
    ]
    sources = [listed(term) for term in stored]
    return bool(sources) and all(
        source is not None
        and behind_views(source).operation is INPUT
        and behind_views(source).detail == subject.detail
        for source in sources
    )
