"""Questions about float16: what is computed in it, and what does not fit into it."""

from __future__ import annotations

from math import isinf
from typing import Final

from mllint_nan.domains.dtype import round_to
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.formats import autocast_is_settled, dtype_name, dtype_of
from mllint_nan.ir.term import INPUT, Term, behind_views, number_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context, known, predicate

_DEEPEST: Final = 24
_COMPUTES: Final = frozenset(("elementwise", "reduction", "along"))


@predicate
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


@predicate
def underflows_in_half(context: Context, e: Term | None) -> Truth:
    """e is a positive number that is 0 in float16; UNKNOWN of a default, which may be changed."""
    number, written = _given(e)
    if number is None or number <= 0 or round_to(float(number), "float16") != 0.0:
        return Truth.NO
    return Truth.YES if written else Truth.UNKNOWN


@predicate
def overflows_in_half(context: Context, c: Term | None) -> Truth:
    """c is a finite number that is infinite in float16; UNKNOWN of a default."""
    number, written = _given(c)
    if number is None or isinf(number) or not isinf(round_to(float(number), "float16")):
        return Truth.NO
    return Truth.YES if written else Truth.UNKNOWN


def _given(term: Term | None) -> tuple[float | None, bool]:
    """The number that a term is, or is by default, and whether it is written at the place."""
    if term is None:
        return None, True
    number = number_of(behind_views(term))
    if number is not None:
        return number, True
    inner = peel(term)
    if inner.operation is INPUT and inner.operands:
        return number_of(inner.operands[0]), False
    return None, False


@predicate
def is_below_zero(context: Context, c: Term) -> Truth:
    """c is a negative number."""
    number = number_of(c)
    return known(number is not None and number < 0)
