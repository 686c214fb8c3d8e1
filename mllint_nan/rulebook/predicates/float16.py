"""Questions about float16: what is computed in it, and what does not fit into it."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.formats import autocast_is_settled, dtype_name, dtype_of
from mllint_nan.ir.term import Term, number_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context, tells
from mllint_nan.rulebook.predicates.members import Form

_DEEPEST: Final = 24
_COMPUTES: Final = frozenset(("elementwise", "reduction", "along"))


@tells(Form.HALF)
def is_half(context: Context, x: Term) -> Truth:
    """The source shows that x is a float16 tensor: a cast, and no wider operand since.

    bfloat16 has the range of float32 and is not meant. A product under `autocast` counts too:
    UNKNOWN where a variable decides on what that does, or x is used outside of it.
    """
    if not _is_half(x, _DEEPEST):
        return Truth.NO
    if all(part.format is None for part in walk(x)):
        return Truth.YES
    scope, state = context.occurrence.scope, context.occurrence.state
    decorators = (item for outer in scope.enclosing() for item in outer.decorators)
    settled = autocast_is_settled((*state.contexts[::-1], *decorators))
    return Truth.YES if settled else Truth.UNKNOWN


def _is_half(term: Term, depth: int) -> bool:
    inner = peel(term)
    if inner.format is not None or inner.default is not None:
        return dtype_of(inner) == "float16"
    dtype = inner.settings.get("dtype")
    if dtype is not None:
        return dtype_name(dtype) == "float16"
    if depth == 0 or not inner.operands:
        return False
    if inner.operation.kind == "view" and inner.operation.name not in ("concat", "stack"):
        return _is_half(inner.operands[0], depth - 1)
    if inner.operation.kind not in _COMPUTES and inner.operation.name not in ("matmul", "dot"):
        return False
    selects = inner.operation.name == "where"
    tensors = [part for part in inner.operands[int(selects) :] if number_of(part) is None]
    return bool(tensors) and all(_is_half(part, depth - 1) for part in tensors)
