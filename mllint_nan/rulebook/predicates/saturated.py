"""Questions about what saturates: probabilities that may be 1, samples squashed by tanh."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    ATTRIBUTE,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, is_self, known, tells
from mllint_nan.rulebook.predicates.endings import returning
from mllint_nan.rulebook.predicates.members import Role, Use
from mllint_nan.rulebook.predicates.zeros import DRAWS

_REGULAR: Final = frozenset(
    (
        *("log", "log2", "log10", "log1p", "exp", "sqrt", "square", "abs", "mul"),
        *("sum", "mean", "max", "min", "maximum", "minimum"),
    )
)
"""Operations that are finite at 1, and so is their slope."""
_AFFINE: Final = frozenset(("add", "sub", "mul", "div"))
_SAMPLES: Final = frozenset(("call sample", "call rsample"))


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


@tells(Role.SAMPLE)
def is_own_sample(context: Context, x: Term) -> Truth:
    """x is what a method is given, and another one of its class draws tanh(u) for it.

    In float32 tanh(u) is exactly 1 from u = 9.1 on. A scale and a shift on both sides count.
    """
    owner, given = context.occurrence.scope.owner, _without_settings(x)
    if owner is None or given is None or given.operation is not INPUT:
        return Truth.NO
    others = [one for one in context.analysis.functions.values() if one.owner is owner]
    returned = [peel(term) for one in others for term in one.returned]
    parts = [one.operands if one.operation is SEQUENCE else (one,) for one in returned]
    return known(any(_is_squashed_draw(part) for some in parts for part in some))


def _is_setting(term: Term) -> bool:
    """Whether a term is a number, or an attribute of the object: a scale or a shift."""
    inner = peel(term)
    return number_of(inner) is not None or (
        inner.operation is ATTRIBUTE and is_self(inner.operands[0])
    )


def _without_settings(term: Term) -> Term | None:
    """What is left of a term without scale and shift, if that is one operand."""
    inner = behind_views(term)
    while inner.operation.name in _AFFINE:
        parts = [part for part in inner.operands if not _is_setting(part)]
        if len(parts) != 1:
            return None
        inner = behind_views(parts[0])
    return inner


def _is_squashed_draw(term: Term) -> bool:
    """Whether a term is tanh(u), scaled and shifted or not, of a u that contains a draw."""
    inner = _without_settings(term)
    return (
        inner is not None
        and inner.operation.name == "tanh"
        and any(
            part.operation.name in DRAWS or (part.operation is OPAQUE and part.detail in _SAMPLES)
            for part in walk(inner)
        )
    )
