"""Questions about NaN and infinity that are written in the source."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    QUALIFIED,
    Term,
    behind_views,
    constant_of,
    peel,
    walk,
)
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import (
    Context,
    kept,
    known,
    made_from,
    name_of,
    passed_for,
    passes_through,
    proof,
    tells,
)
from mllint_nan.rulebook.predicates.members import Role, Use
from mllint_nan.rulebook.predicates.selections import is_mask

_TRIANGLES: Final = re.compile(
    r"(^|[._ ])(tri[lu]\w*|band_part|\w*causal\w*|make_causal\w*)$", re.I
)
_CAUSAL_NAMES: Final = names("causal")


@proof
def is_written(context: Context, c: Term, numbers: str) -> Truth:
    """c is written as numbers, under any of its names: also as an attribute, or a default."""
    options = (c, *kept(context, behind_views(c)))
    return known(any(_is_written_as(one, numbers.split()) for one in options))


def _is_written_as(c: Term, numbers: list[str]) -> bool:
    inner = behind_views(c)
    if inner.operation is INPUT and inner.operands:
        inner = behind_views(inner.operands[0])
    # A string "nan" is some call's option, not a number.
    is_word = isinstance(constant_of(inner), str) and written_as(inner) == "nan"
    return written_as(inner) in numbers and not is_word


_LOGARITHMS: Final = frozenset(("log", "log2", "log10"))
_KEEPS_INFINITY: Final = frozenset(("where", "add", "sub", "mul", "div"))
_FILLED: Final = frozenset(("full", "full_like"))


@tells(Use.MASKED)
def multiplies_masked(context: Context, result: Term, x: Term) -> Truth:
    """The result multiplies something, and a score in x is masked: 0 * -inf is NaN."""
    products = (
        consumer.operation.name == "mul"
        for _, consumer in made_from(context, result, passes_through("neg"))
    )
    return known(is_masked(context, x) is not Truth.NO and any(products))


@tells(Use.ADDED)
def is_added(context: Context, result: Term) -> Truth:
    """The result, as it is or negated, is added to something or subtracted from it."""
    consumers = made_from(context, result, passes_through("neg"))
    return known(any(one.operation.name in ("add", "sub") for _, one in consumers))


@tells(Role.MASKED)
def is_masked(context: Context, x: Term) -> Truth:
    """On some path, -inf is written into x or added to it, possibly as the log of what can be 0.

    UNKNOWN for a log whose operand is unknown.
    """
    pending, seen = [x], set[int]()
    answer = Truth.NO
    while pending:
        inner = behind_views(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        parts = (*inner.operands, *inner.settings.values())
        if any(written_as(part) == "-inf" for part in parts):
            return Truth.YES
        if inner.operation.name in _LOGARITHMS and inner is not behind_views(x):
            selecting = behind_views(inner.operands[0])
            excluded = context.value(selecting).can_be(0.0)
            if Truth.YES in (is_mask(context, selecting), excluded):
                return Truth.YES
            answer = answer if excluded is Truth.NO else Truth.UNKNOWN
        is_written = inner.operation is OPAQUE and (
            inner.detail == "update" or _TRIANGLES.search(str(inner.detail))
        )
        if is_written or inner.operation is CHOICE or inner.operation.name in _KEEPS_INFINITY:
            pending.extend(inner.operands)
        pending.extend(kept(context, inner))
    return answer


@tells(Role.MASKED_ROWS)
def may_be_masked_whole(context: Context, x: Term) -> Truth:
    """A mask that may select a whole row writes -inf into x, or adds it, in some call or path."""
    pending, seen = [x], set[int]()
    while pending:
        inner = behind_views(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        parts, masks = inner.operands, list[Term]()
        if inner.operation.name == "where":
            masks, parts = [inner.operands[0]], inner.operands[1:]
        elif inner.operation is OPAQUE and inner.detail == "update":
            places = context.analysis.written_at.get(inner.key, ())
            masks = [*inner.operands[2:], *(one for place in places for one in place)]
            parts = inner.operands[:2]
        elif inner.operation.name in _LOGARITHMS:
            mask = behind_views(inner.operands[0])
            if inner is not behind_views(x) and is_mask(context, mask) is Truth.YES:
                masks, parts = [mask], inner.operands
        elif inner.operation is not CHOICE and inner.operation.name not in _KEEPS_INFINITY:
            parts = ()
        is_written = inner.operation.name in _LOGARITHMS or any(
            map(partial(_is_minus_infinity, context), parts)
        )
        if masks and is_written and not any(map(partial(_keeps_own, context), masks)):
            return Truth.YES
        pending.extend(parts)
        pending.extend(kept(context, inner))
        pending.extend(passed_for(context, inner))
    return Truth.NO


def _keeps_own(context: Context, mask: Term) -> bool:
    return keeps_the_diagonal(context, mask) is Truth.YES


def _is_minus_infinity(context: Context, term: Term) -> bool:
    """Whether a term is -inf, a setting that is by default, or a new array of nothing else."""
    inner = behind_views(term)
    parts = (*inner.operands, *inner.settings.values()) if inner.operation.name in _FILLED else ()
    if inner.operation in (INPUT, ATTRIBUTE):
        parts = (*inner.operands, *kept(context, inner))
    return any(written_as(one) == "-inf" for one in (inner, *parts))


def written_as(term: Term) -> str:
    """How a term is written: `nan`, `inf` or `-inf` for `np.nan`, `float("-inf")` and the like."""
    inner = behind_views(term)
    if inner.operation.name == "neg":
        return "-inf" if written_as(inner.operands[0]) == "inf" else ""
    if inner.operation is QUALIFIED:
        name = str(inner.detail).rpartition(".")[2].lower()
        return {"infty": "inf", "ninf": "-inf"}.get(name, name)
    value = constant_of(inner)
    if isinstance(value, (float, str)):
        return str(value).lower().replace("infinity", "inf").removeprefix("+")
    return ""


@tells(Role.CAUSAL)
def keeps_the_diagonal(context: Context, k: Term) -> Truth:
    """The mask k is triangular: each row keeps its own element."""
    if _CAUSAL_NAMES.search(name_of(k)):
        return Truth.YES
    parts = list(walk(k))
    return known(
        any(
            part.operation in (OPAQUE, QUALIFIED)
            and _TRIANGLES.search(str(part.detail).removeprefix("call "))
            for part in parts
        )
        or any(part.operation.name == "arange" for part in parts)
        or any(_CAUSAL_NAMES.search(name_of(peel(part))) for part in parts)
    )
