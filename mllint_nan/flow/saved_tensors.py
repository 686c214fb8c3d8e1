"""What `forward` of a `torch.autograd.Function` saves for its `backward`."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.ir.term import ATTRIBUTE, INPUT, OPAQUE, Term, peel

_SAVES: Final = "call save_for_backward"


def saved_as(part: Term, analysis: Analysis) -> Term | None:
    """The value that is read as `x` in `x, = ctx.saved_tensors`, in the function that saved it."""
    whole = peel(part.operands[0])
    if whole.operation is not ATTRIBUTE or whole.detail != "saved_tensors":
        return None
    owner = _class_of(whole.operands[0], analysis)
    place = str(part.detail).rpartition(" ")[2]
    if owner is None or not place.isdigit():
        return None
    saving = [
        one
        for one in analysis.made
        if one.operation is OPAQUE
        and one.detail == _SAVES
        and _class_of(one.operands[0], analysis) is owner
    ]
    if len({one.key for one in saving}) != 1:
        return None
    saved = saving[0].operands[1:]
    return saved[int(place)] if int(place) < len(saved) else None


def _class_of(context: Term, analysis: Analysis) -> Scope | None:
    """The class of the method that has this parameter."""
    inner = peel(context)
    if inner.operation is not INPUT or inner.key not in analysis.parameters:
        return None
    method = analysis.functions.get(analysis.parameters[inner.key][0])
    owner = method.parent if method is not None else None
    return owner if owner is not None and owner.kind == "class" else None
