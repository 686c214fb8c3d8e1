"""Questions about results beyond the largest number of their format, from operands within it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from math import inf, prod
from typing import Final

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.formats import dtype_name, dtype_of, shown
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, SEQUENCE, Term, number_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context, tells
from mllint_nan.rulebook.predicates.members import Infinity
from mllint_nan.rulebook.predicates.proofs import is_text, is_undifferentiated

_INTEGERS_MOST: Final = 2.0**63
_ELEMENTS_MOST: Final = 2.0**31
"""How many elements a sum is assumed to have at most."""
_BELIEVED_MOST: Final = FORMATS["float32"].max
"""A range beyond it may be that of what was taken for float32."""
_NUMBERS: Final = (Kind.NUMBER, Kind.EITHER, Kind.NOTHING)


@tells(Infinity.BOUND, is_proof=True)
def leaves_format(context: Context, result: Term) -> Truth:
    """The result, or its gradient, is infinite for some finite operands.

    NO where their ranges exclude that. A sum, rounded to the nearest number, overflows if it
    exceeds the largest one by half the distance to its neighbour (IEEE 754-2019, clause 7.4):
    adding 1 to a float32 never does.
    """
    term = peel(result)
    if context.value(term).integer or not _may_be_tensor(context, term):
        return Truth.NO
    if term.operation.name == "cast":
        return Truth.UNKNOWN if _narrows(context, term) else Truth.NO
    form = FORMATS[dtype_of(term)]
    sizes = [_magnitude(context, part, form.max) for part in term.operands]
    size = _size(context, term, sizes)
    overflows = size > form.max and size >= form.max * (1.0 + form.eps / 4.0)
    if overflows and _reach(context, term) >= min(form.max, _BELIEVED_MOST):
        return Truth.UNKNOWN
    return Truth.UNKNOWN if _magnifies(context, term, sizes, form.max) else Truth.NO


def _may_be_tensor(context: Context, term: Term) -> bool:
    """Whether an operand may be a tensor: nothing suggests a number, a text or a sequence."""
    if term.written is not None:
        return not term.written.path.startswith(("math.", "builtins."))
    if any(is_text(part) or peel(part).operation is SEQUENCE for part in term.operands):
        return False
    return any(context.kind(part) not in _NUMBERS for part in term.operands)


def _reach(context: Context, term: Term) -> float:
    """sup |v|, v ∈ γ(term)"""
    value = context.value(term)
    return max(abs(value.lo), abs(value.hi))


def _magnitude(context: Context, term: Term, largest: float) -> float:
    """The same, but `largest` at most; a format that the source does not show may be wider."""
    most = _reach(context, term)
    if shown(term) is None and most >= FORMATS[dtype_of(term)].max:
        most = inf
    return min(most, largest, _INTEGERS_MOST if context.value(term).integer else inf)


def _narrows(context: Context, cast: Term) -> bool:
    """Whether a cast, or the gradient on its way back, goes to a format of a smaller range."""
    operand = cast.operands[0]
    source = shown(operand)
    for target in _targets(cast):
        largest, widest = FORMATS[target].max, FORMATS[source or "float32"].max
        if largest < widest and _magnitude(context, operand, widest) > largest:
            return True
        if target == "float64" and source != target:
            return is_undifferentiated(context, operand) is not Truth.YES
    return False


def _targets(cast: Term) -> list[str]:
    """The formats that a cast names; any of them for `like.dtype`."""
    target = cast.settings.get("dtype")
    if target is None:
        return []
    parts = [part for part in walk(target) if part.operation is not CHOICE]
    named = [name for name in map(dtype_name, parts) if name is not None]
    is_any = any(part.operation is ATTRIBUTE and part.detail == "dtype" for part in parts)
    return ["float16"] if is_any and not named else named


def _magnifies(context: Context, term: Term, sizes: list[float], largest: float) -> bool:
    """Whether the gradient of one factor is multiplied by another that has no bound."""
    if term.operation.name != "mul":
        return False
    return any(
        size >= largest and is_undifferentiated(context, other) is not Truth.YES
        for size, other in zip(sizes, reversed(term.operands), strict=True)
    )


def _size(context: Context, term: Term, sizes: list[float]) -> float:
    """How large the result is at most, for operands of these sizes."""
    match term.operation.name:
        case "div":
            least = context.value(term.operands[1]).interval.mignitude
            return sizes[0] / least if least else inf
        case "pow":
            return _power(sizes[0], number_of(term.operands[1]))
        case name:
            return _SIZES[name](sizes) if name in _SIZES else inf


def _power(size: float, exponent: float | None) -> float:
    if exponent is None or exponent < 0:
        return inf
    try:
        return math.pow(size, exponent)
    except OverflowError:
        return inf


def _of_sum(sizes: list[float]) -> float:
    return sizes[0] * _ELEMENTS_MOST


def _of_squares(sizes: list[float]) -> float:
    return prod([sum(sizes)] * 2) * _ELEMENTS_MOST


def _of_products(sizes: list[float]) -> float:
    return prod(sizes[-2:]) * _ELEMENTS_MOST


def _of_square(sizes: list[float]) -> float:
    return prod(sizes * 2)


_SIZES: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "mul": prod,
    "log_softmax": lambda sizes: 2 * sizes[0],
    **dict.fromkeys(("add", "sub", "logaddexp"), sum),
    **dict.fromkeys(("square", "log_ndtr"), _of_square),
    **dict.fromkeys(("sum", "mean", "cumsum", "trace"), _of_sum),
    **dict.fromkeys(("norm", "var", "std", "distance", "normalize"), _of_squares),
    **dict.fromkeys(("matmul", "dot", "einsum"), _of_products),
}
"""By operation: how large the result is at most."""
