"""Data that the program itself creates with zeros among them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.masks import selecting_mask
from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views, peel, walk
from mllint_nan.rulebook.predicates.context import Context, passed_for
from mllint_nan.rulebook.predicates.selections import is_more_than_statistic

_DRAWS: Final = re.compile(r"(^|[. ])poisson$")
_TERMS_MOST: Final = 40


def is_relative_to_sparse(context: Context, divisor: Term) -> bool:
    """Whether an error is divided by its target, which is 0 for some examples.

    As in `abs(y - target) / abs(target)`, of counts that are drawn, or of what a mask leaves.
    """
    inner = peel(divisor)
    target = peel(inner.operands[0]) if inner.operation.name == "abs" else inner
    error = context.occurrence.term.operands[0]
    differences = [part for part in walk(error) if part.operation.name == "sub"]
    if not any(peel(side).key == target.key for one in differences for side in one.operands):
        return False
    if not any(_is_made_with_zeros(one) for one in _sources(context, target)):
        return False
    return is_more_than_statistic(context, context.occurrence.term) is Truth.YES


def _sources(context: Context, target: Term) -> Iterator[Term]:
    """Yield the terms whose elements a value has, through visible calls but not through a mask."""
    pending, seen = [target], set[int]()
    while pending and len(seen) < _TERMS_MOST:
        inner = peel(pending.pop())
        if inner.key in seen or context.value(inner).can_be(0.0) is Truth.NO:
            continue
        seen.add(inner.key)
        if inner.operation is INPUT:
            pending += passed_for(context, inner)
        elif inner.operation.kind == "view" and selecting_mask(inner) is None:
            pending += inner.operands[:1]
        else:
            yield inner


def _is_made_with_zeros(made: Term) -> bool:
    """Whether a term is a draw of counts, or a product with one or with a condition."""
    if made.operation is OPAQUE:
        return str(made.detail).startswith("call ") and bool(_DRAWS.search(str(made.detail)))
    factors = map(behind_views, made.operands) if made.operation.name == "mul" else ()
    return any(
        factor.operation.kind == "comparison"
        or (factor.operation is OPAQUE and _is_made_with_zeros(factor))
        for factor in factors
    )
