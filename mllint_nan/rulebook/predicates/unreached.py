"""Recursions over logarithms that start at -inf: the states that no path has reached yet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import CHOICE, INPUT, OPAQUE, SEQUENCE, Term, peel
from mllint_nan.rulebook.predicates.carried_products import passed_by_scan
from mllint_nan.rulebook.predicates.context import Context, kept, known, passed_for, tells
from mllint_nan.rulebook.predicates.members import Role
from mllint_nan.rulebook.predicates.nonfinite import written_as

_PARTS_MOST: Final = 96
"""How many terms are searched for a -inf."""
_GATHERED: Final = frozenset(("concat", "stack", "collect"))
_FILLED: Final = frozenset(("full", "full_like"))
_KEEPS: Final = frozenset(("logaddexp", "maximum", "max", "logsumexp", "logcumsumexp"))
"""Operations that are -inf where all of their operands are."""


@tells(Role.UNREACHED)
def is_unreached(context: Context, result: Term) -> Truth:
    """The result joins states that all hold -inf, to which something was added before.

    A recursion over logarithms does so with the -inf that it starts from.
    """
    inner = peel(result)
    parts = inner.operands
    if inner.operation.name != "logaddexp":
        stack = _behind_moves(inner.operands[0])
        parts = stack.operands if stack.operation.name == "stack" else ()
        if len(parts) == 1 and peel(parts[0]).operation is SEQUENCE:
            parts = peel(parts[0]).operands
    return known(len(parts) > 1 and all(_is_added_to(context, part) for part in parts))


def _behind_moves(term: Term) -> Term:
    """The term behind the views of one operand."""
    inner = peel(term)
    while inner.operation.kind == "view" and inner.operation.name not in _GATHERED:
        inner = peel(inner.operands[0])
    return inner


def _is_added_to(context: Context, x: Term) -> bool:
    """Whether x is computed from a -inf that is written, by way of an addition."""
    pending, seen = [(peel(x), False)], set[tuple[int, bool]]()
    while pending and len(seen) < _PARTS_MOST:
        inner, is_added = pending.pop()
        if (inner.key, is_added) in seen:
            continue
        seen.add((inner.key, is_added))
        if written_as(inner) == "-inf":
            if is_added:
                return True
            continue
        adds = inner.operation.name in ("add", "sub") and not _is_list(inner)
        pending += [(peel(part), is_added or adds) for part in _carriers(context, inner)]
    return False


def _carriers(context: Context, inner: Term) -> Iterable[Term]:
    """The terms whose -inf a term may hold, too."""
    name = inner.operation.name
    if inner.operation is CHOICE:
        carried = context.analysis.carried.get(inner.key)
        return inner.operands if carried is None else (*inner.operands, carried[0])
    if inner.operation is INPUT:
        return (*passed_for(context, inner), *passed_by_scan(context, inner))
    if inner.operation is OPAQUE:
        return inner.operands if inner.detail == "update" else ()
    if inner.operation is SEQUENCE or name in _GATHERED or name == "add":
        return inner.operands
    if name in _FILLED:
        return inner.children()[len(inner.operands[:1]) :]
    if name == "where":
        return inner.operands[1:]
    if name in _KEEPS or (name == "mul" and _is_list(inner)):
        return inner.operands[:2]
    if inner.operation.kind == "view" or name == "sub":
        return inner.operands[:1]
    return kept(context, inner)


def _is_list(term: Term) -> bool:
    """Whether a sum or a product is one of lists: `[first] + [low] * n`."""
    parts = map(peel, term.operands)
    return any(
        part.operation is SEQUENCE or (part.operation.name == "mul" and _is_list(part))
        for part in parts
    )
