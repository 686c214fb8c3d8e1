"""Questions about what becomes of an infinity, and who minds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    ATTRIBUTE,
    OPAQUE,
    Term,
    behind_views,
    peel,
)
from mllint_nan.rulebook.names import names
from mllint_nan.rulebook.predicates.cancelling import cancels
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    predicate,
    stops_gradients,
)
from mllint_nan.rulebook.predicates.downstream import is_fed_on
from mllint_nan.rulebook.predicates.endings import ends_of_match
from mllint_nan.rulebook.predicates.logarithms import DEEPEST
from mllint_nan.rulebook.predicates.served import serves_no_training

_TAKES_INFINITY: Final = re.compile(
    r"(^|[._ ])(categorical|multinomial|\w*argsort|topk|top_k|logsumexp|log_?add_?exp|isneginf)$",
    re.I,
)
_ABSORBS: Final = frozenset(
    (
        "exp",
        "exp2",
        "softmax",
        "logsumexp",
        "logaddexp",
        "argmax",
        "argmin",
        "maximum",
        "max",
        "nan_to_num",
        "sigmoid",
        "softplus",
        "relu",
    )
)
_PASSES: Final = frozenset(("add", "sub", "mul", "div", "neg", "where"))
_CARRIES_NAN: Final = _PASSES | {"pow", "square", "mean", "sum", "minimum", "maximum", "clip"}
_LOOKED_AT: Final = names("looked_at")
_LOG_OF_CDF: Final = names("log_of_cdf")


@predicate
def takes_infinity(context: Context, result: Term) -> Truth:
    """All that is made from the result takes -inf for what it means: no probability, no winner."""
    ends = list(_ends(context, result, _PASSES))
    return known(bool(ends) and all(_is_absorbed(context, end) for end in ends))


@predicate
def is_only_divisor(context: Context, result: Term) -> Truth:
    """All that is made from the result are quotients by it: they are 0 where it is infinite."""
    ends = list(_ends(context, result, frozenset()))
    return known(
        bool(ends)
        and all(
            end is not None
            and end.operation.name == "div"
            and behind_views(end.operands[1]).key == result.key
            for end in ends
        )
    )


@predicate
def is_more_than_ranked(context: Context, result: Term) -> Truth:
    """The result does not only decide which element is the largest, or whether another is."""
    ends = list(_ends(context, result, _CARRIES_NAN))
    if ends and all(end is not None and _is_ranking(end) for end in ends):
        return Truth.UNKNOWN
    return Truth.YES


def _is_ranking(end: Term) -> bool:
    if end.operation is OPAQUE:
        return bool(_TAKES_INFINITY.search(str(end.detail)))
    return end.operation.name in ("argmax", "argmin") or end.operation.kind == "comparison"


def _ends(context: Context, result: Term, through: frozenset[str]) -> Iterator[Term | None]:
    """What is made of the result, and of what it is passed through; None where unknown."""
    pending, seen = [peel(result)], set()
    while pending:
        current = pending.pop()
        if current.key in seen:
            continue
        seen.add(current.key)
        consumers = [
            consumer
            for consumer in context.analysis.consumers.get(current.key, ())
            if consumer.operation is not ATTRIBUTE and consumer.operation.kind != "constant"
        ]
        opaque = any(consumer.operation is OPAQUE for consumer in consumers)
        if not consumers or (current.key in context.analysis.escaped and not opaque):
            yield None
        for consumer in consumers:
            if consumer.operation.name in through or consumer.operation.kind == "view":
                pending.append(consumer)
            else:
                yield consumer


def _is_absorbed(context: Context, end: Term | None) -> bool:
    if end is None:
        return False
    if end.operation is OPAQUE:
        return bool(_TAKES_INFINITY.search(str(end.detail)))
    if end.operation.name == "clip":
        return end.settings.get("min") is not None
    return end.operation.name in _ABSORBS or end.operation.kind == "comparison"


@predicate
def is_learned_from(context: Context, result: Term) -> Truth:
    """The result is not just looked at: no metric, plot, decibel or determinant.

    A reward or a target is learned from without a gradient too.
    """
    occurrence = context.occurrence
    scopes = list(occurrence.scope.enclosing())
    decorators = [decorator for scope in scopes for decorator in scope.decorators]
    is_aside = stops_gradients([*decorators[::-1], *occurrence.state.contexts])
    if is_aside and not is_fed_on(context, result):
        return Truth.UNKNOWN
    if ends_of_match(context, result).is_only_shown:
        return Truth.UNKNOWN
    if serves_no_training(context.analysis, occurrence.scope, DEEPEST):
        return Truth.UNKNOWN
    consumers = context.analysis.consumers.get(result.key, ())
    is_read = consumers or result.key in context.analysis.escaped
    if not is_read and occurrence.call is None:
        return Truth.UNKNOWN  # nothing reads it, as after a repair that does without it
    names = [scope.name for scope in scopes if scope.kind in ("function", "class")]
    if any(map(_LOG_OF_CDF.search, names)) and not cancels(result):
        return Truth.UNKNOWN  # -inf outside of the support is what is meant
    names += [
        str(reference.detail) for reference in context.analysis.references.get(id(result), ())
    ]
    return Truth.UNKNOWN if any(map(_LOOKED_AT.search, names)) else Truth.YES
