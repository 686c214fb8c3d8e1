"""Questions about numbers: Python's own, to which no gradient flows, and those written out."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    FUNCTION,
    INPUT,
    LAYER,
    OPAQUE,
    QUALIFIED,
    Term,
    peel,
)
from mllint_nan.rulebook.predicates.context import Context, known, tells
from mllint_nan.rulebook.predicates.members import Form
from mllint_nan.rulebook.predicates.zeros import DRAWS

_FROM_ELSEWHERE: Final = (ATTRIBUTE, FUNCTION, INPUT, LAYER, QUALIFIED)
_DEEPEST: Final = 10


@tells(Form.NUMBER)
def is_python_number(context: Context, x: Term) -> Truth:
    """x is a plain Python number or a NumPy scalar, not a tensor."""
    return known(context.kind(x) is Kind.NUMBER)


@tells(Form.WRITTEN)
def is_written_out(context: Context, x: Term) -> Truth:
    """x holds numbers written out in the source, the same in each run: UNKNOWN or NO, never YES."""
    return Truth.UNKNOWN if _is_of_numbers(x, _DEEPEST) else Truth.NO


def _is_of_numbers(term: Term, depth: int) -> bool:
    inner = peel(term)
    if inner.operation is CONSTANT:
        return True
    if depth == 0 or inner.operation in _FROM_ELSEWHERE:
        return False
    if inner.operation is OPAQUE and inner.detail != "update":
        return False
    filled = inner.settings.get("value")
    parts = inner.operands if filled is None else (*inner.operands, filled)
    return inner.operation.name not in DRAWS and all(
        _is_of_numbers(part, depth - 1) for part in parts
    )
