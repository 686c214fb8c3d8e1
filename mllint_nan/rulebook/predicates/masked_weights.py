"""Weights of which a mask leaves some: all of them are 0 where it leaves none."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import filled_with
from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views, walk
from mllint_nan.rulebook.predicates.context import Context, is_self
from mllint_nan.rulebook.predicates.nonfinite import keeps_the_diagonal
from mllint_nan.rulebook.predicates.roles import is_unknown
from mllint_nan.rulebook.predicates.selections import is_mask
from mllint_nan.rulebook.predicates.weighing import weighs_exponential


def are_masked(context: Context, w: Term) -> bool:
    """Whether w is a product with a mask, or a mask that is no function of it has set it to 0."""
    inner = behind_views(w)
    factors = inner.operands if inner.operation.name == "mul" else ()
    is_selected = any(is_mask(context, factor) is Truth.YES for factor in factors)
    if is_selected or weighs_exponential(context, inner):
        return True
    found = _set_to_zero(inner)
    if found is None:
        return False
    kept, mask = found
    given = _inputs(mask)
    is_apart = bool(given) and given.isdisjoint(_inputs(kept))
    is_free = is_apart and keeps_the_diagonal(context, mask) is not Truth.YES
    return is_free and _selects(context, mask)


def _selects(context: Context, mask: Term) -> bool:
    """Whether what selects is a mask, and no comparison that holds for some element."""
    inner = behind_views(mask)
    if inner.operation.name == "logical_not":
        return _selects(context, inner.operands[0])
    return is_unknown(mask) or is_mask(context, mask) is Truth.YES


def _set_to_zero(inner: Term) -> tuple[Term, Term] | None:
    """What is kept of `where(m, w, 0)` or `w[m] = 0`, and the mask; else `None`."""
    if inner.operation.name == "where":
        mask, first, second = inner.operands
        if filled_with(second) == 0:
            return first, mask
        return (second, mask) if filled_with(first) == 0 else None
    if inner.operation is OPAQUE and inner.detail == "update" and len(inner.operands) == 3:
        container, written, mask = inner.operands
        return (container, mask) if filled_with(written) == 0 else None
    return None


def _inputs(term: Term) -> set[int]:
    return {part.key for part in walk(term) if part.operation is INPUT and not is_self(part)}
