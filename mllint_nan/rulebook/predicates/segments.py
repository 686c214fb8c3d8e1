"""Sums by segment: the elements of each node of a graph, each bag or group, added up apart."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.counts import summed_at_indices
from mllint_nan.ir.term import OPAQUE, Term, behind_views, peel, walk
from mllint_nan.rulebook.predicates.context import Context, known, tells, through_views
from mllint_nan.rulebook.predicates.members import Role


@tells(Role.SEGMENTS)
def adds_up_segments(context: Context, s: Term, e: Term) -> Truth:
    """s is, for each element of e, the sum of the elements of e that have the same index.

    UNKNOWN if something computed from the exponents is subtracted from them, as their maximum is.
    """
    views = through_views(s)
    is_read = any(part.operation.name in ("subscript", "gather") for part in views)
    summed = summed_at_indices(views[-1]) if views[-1].operation is OPAQUE else None
    if summed is None or not is_read or behind_views(summed).key != behind_views(e).key:
        return Truth.NO
    return known(not _is_shifted(behind_views(e).operands[0])).or_(Truth.UNKNOWN)


def _is_shifted(x: Term) -> bool:
    """Whether x is a difference of something and what is computed from it."""
    inner = behind_views(x)
    if inner.operation.name != "sub":
        return False
    whole, part = inner.operands
    return any(one.key == behind_views(whole).key for one in walk(peel(part)))
