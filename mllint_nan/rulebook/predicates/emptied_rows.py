"""What a layer makes of selected rows: it has no rows where none is selected."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.masks import selecting_mask
from mllint_nan.ir.term import ATTRIBUTE, OPAQUE, Term, peel
from mllint_nan.rulebook.predicates.context import Context, is_self, known, stored_in, tells
from mllint_nan.rulebook.predicates.differentiation import LAYERS
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.quotients import can_select_nothing, is_looked_at

_DEEPEST: Final = 8
_SELECTIONS: Final = frozenset(("boolean_mask", "subscript", "gather"))


@tells(Zero.EMPTIED)
def may_have_no_rows(context: Context, x: Term) -> Truth:
    """x is what a layer makes of selected rows, and nothing ensures that some are selected."""
    selection = _selection_behind(context, x)
    if selection is None:
        return Truth.NO
    mask = selecting_mask(selection)
    if mask is None:
        return Truth.NO
    for part in (selection, selection.operands[1], mask):
        if is_looked_at(context, part) is Truth.YES:
            return Truth.NO
    return known(can_select_nothing(context, selection, selection.operands[1]) is Truth.YES)


def _selection_behind(context: Context, x: Term) -> Term | None:
    """The selection that a layer is applied to, if x is made of its output, row by row."""
    inner, is_of_layer = peel(x), False
    for _ in range(_DEEPEST):
        if is_of_layer and inner.operation.name in _SELECTIONS:
            return inner
        if _applies_layer(context, inner):
            is_of_layer = True
            inner = peel(inner.operands[1])
        elif inner.operation.kind == "elementwise" and len(inner.operands) == 1:
            inner = peel(inner.operands[0])
        else:
            return None
    return None


def _applies_layer(context: Context, call: Term) -> bool:
    """Whether a layer that the object keeps, alone or in a list, is called with one argument."""
    what = str(call.detail)
    if call.operation is not OPAQUE or not what.startswith("call") or len(call.operands) != 2:
        return False
    callee = peel(call.operands[0])
    if is_self(callee):
        layers = [peel(one) for one in stored_in(context, what.removeprefix("call "))]
    elif callee.operation.name in ("element", "subscript"):
        kept = peel(callee.operands[0])
        if kept.operation is not ATTRIBUTE or not is_self(kept.operands[0]):
            return False
        stored = [peel(one) for one in stored_in(context, str(kept.detail))]
        layers = [peel(_any_of(one)) for one in stored]
    else:
        layers = [callee]  # one of a `Sequential`
    called = [str(one.detail) for one in layers if one.operation is OPAQUE]
    is_layer = len(called) == len(layers) > 0 and all(map(LAYERS.search, called))
    return is_layer and not any(one.endswith("Loss") for one in called)


def _any_of(stored: Term) -> Term:
    """An element of a list that a comprehension makes, which stands for all; else the value."""
    return stored.operands[0] if stored.operation.name == "collect" else stored
