"""Scales that one method of an object takes of data, column by column, and another divides by."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import ATTRIBUTE, CONSTANT, Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context, class_of, kept, tells
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.vanishing import rows_can_be_constant


@tells(Zero.FITTED)
def is_fitted_spread(context: Context, b: Term, d: Term) -> Truth:
    """d is a deviation or a range that a method keeps of its data, and b is centred by it, too.

    The data come from outside, whatever is done to each element, and each column is measured by
    itself: for a column whose elements are equal, the deviation is 0. NO if the object's class
    writes elements of what it keeps, such as 1 for 0.
    """
    shift, spread = behind_views(b), behind_views(d)
    if shift.operation.name != "sub" or behind_views(shift.operands[1]).operation is not ATTRIBUTE:
        return Truth.NO
    below = behind_views(shift.operands[1])
    if spread.operation.name == "sub":
        above, least = (behind_views(one) for one in spread.operands)
        sources = _measured(context, above, "max"), _measured(context, least, "min")
    else:
        sources = _measured(context, spread, "std"), _measured(context, below, "mean")
    if spread.operation.name == "sub" and behind_views(spread.operands[1]).key != below.key:
        return Truth.NO
    first, second = sources
    if first is None or second is None or first.key != second.key:
        return Truth.NO
    return rows_can_be_constant(context, first, is_by_rows=True)


def _measured(context: Context, attribute: Term, name: str) -> Term | None:
    """The data whose columns' `name` the class of an object keeps there, and nothing else."""
    if attribute.operation is not ATTRIBUTE:
        return None
    stored = [one for one in map(behind_views, kept(context, attribute)) if not _is_none(one)]
    owner = class_of(context, attribute.operands[0], context.occurrence.scope.owner)
    if not stored or owner is None or owner.written.get(str(attribute.detail)):
        return None
    sources = [_source(one, name) for one in stored]
    first = sources[0]
    is_same = all(one is not None and first is not None and one.key == first.key for one in sources)
    return first if is_same else None


def _is_none(value: Term) -> bool:
    return value.operation is CONSTANT and value.detail is None


def _source(measure: Term, name: str) -> Term | None:
    """The data that are measured by column; `None` if it is no such measure."""
    inner = measure
    if name == "std" and inner.operation.name == "sqrt":
        inner, name = behind_views(inner.operands[0]), "var"
    if inner.operation.name != name or number_of(inner.settings.get("axis")) != 0:
        return None
    return behind_views(inner.operands[0])
