"""Predicates about float16: which values are computed in it."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.formats import dtype_name, dtype_of, gives_format
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, OPAQUE, Term, number_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context, kept, tells
from mllint_nan.rulebook.predicates.members import Form

_DEEPEST: Final = 24
_COMPUTES: Final = frozenset(("elementwise", "reduction", "along"))


@tells(Form.HALF)
def is_half(context: Context, x: Term) -> Truth:
    """The source shows that x is a float16 tensor: a cast, and no wider operand after it.

    bfloat16 does not count: it has the range of float32. Products under `autocast` count, and so do
    outputs of layers of a module that is cast as a whole, and parameters made of float16 tensors.
    UNKNOWN where a variable decides.
    """
    if not _is_half(context, x, _DEEPEST):
        return Truth.NO
    perhaps = context.analysis.cast_perhaps
    is_open = perhaps and any(part.format is not None and part.key in perhaps for part in walk(x))
    return Truth.UNKNOWN if is_open else Truth.YES


def _is_half(context: Context, term: Term, depth: int) -> bool:
    inner = peel(term)
    if inner.format is not None or inner.default is not None:
        return dtype_of(inner) == "float16"
    dtype = inner.settings.get("dtype")
    if dtype is not None:
        given = peel(dtype)
        if given.operation is ATTRIBUTE and given.detail == "dtype":
            return _is_half(context, given.operands[0], depth - 1)
        return dtype_name(dtype) == "float16"
    if depth == 0 or not inner.operands:
        return False
    if inner.operation is OPAQUE:
        giver = gives_format(inner)
        return giver is not None and _is_half(context, giver, depth - 1)
    if inner.operation is ATTRIBUTE:
        stored = kept(context, inner)
        return bool(stored) and all(_is_half(context, one, depth - 1) for one in stored)
    if inner.operation is CHOICE:  # of a loop-carried value, its first round
        return all(_is_half(context, option, depth - 1) for option in inner.operands)
    if inner.operation.kind == "view" and inner.operation.name not in ("concat", "stack"):
        return _is_half(context, inner.operands[0], depth - 1)
    if inner.operation.kind not in _COMPUTES and inner.operation.name not in ("matmul", "dot"):
        return False
    selects = inner.operation.name == "where"
    tensors = [
        part
        for part in inner.operands[int(selects) :]
        if number_of(part) is None and context.kind(part) is not Kind.NUMBER
    ]
    return bool(tensors) and all(_is_half(context, part, depth - 1) for part in tensors)
