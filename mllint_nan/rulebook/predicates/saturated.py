"""Questions about probabilities that may be 1: whether something computed from them is singular."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import OPAQUE, Term
from mllint_nan.rulebook.predicates.context import Context, tells
from mllint_nan.rulebook.predicates.endings import returning
from mllint_nan.rulebook.predicates.members import Use

_REGULAR: Final = frozenset(
    (
        *("log", "log2", "log10", "log1p", "exp", "sqrt", "square", "abs", "mul"),
        *("sum", "mean", "max", "min", "maximum", "minimum"),
    )
)
"""Operations that are finite at 1, and so is their slope."""


@tells(Use.SINGULAR)
def is_singular_at_one(context: Context, p: Term) -> Truth:
    """The code uses p in something that may be singular at 1: 1 - p, an arc cosine, a quotient.

    NO if only logarithms, sums and products are computed from it; UNKNOWN for what callers do with
    it.
    """
    analysis, answer = context.analysis, Truth.NO
    pending, seen = [p.key], set[int]()
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        consumers = analysis.consumers.get(key, ())
        if not consumers or key in analysis.escaped:
            answer = Truth.UNKNOWN
        for scope in returning(analysis, key):
            pending += [call.key for call in analysis.calls.get(scope.key, ())]
        for consumer in consumers:
            if consumer.operation.kind == "view":
                pending.append(consumer.key)
            elif consumer.operation is OPAQUE:
                answer = Truth.UNKNOWN
            elif not _is_regular(consumer):
                return Truth.YES
    return answer


def _is_regular(consumer: Term) -> bool:
    return consumer.operation.name in _REGULAR or consumer.operation.kind in ("comparison", "leaf")
