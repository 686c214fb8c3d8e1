"""Tables and lists that a function creates and fills one value at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mllint_nan.flow.state import Analysis
from mllint_nan.flow.uses import links_of
from mllint_nan.ir.term import CHOICE, OPAQUE, SEQUENCE, Term, peel
from mllint_nan.rulebook.predicates.endings import is_handed_out
from mllint_nan.rulebook.predicates.places import gives_places_alone

_BEGINS: Final = frozenset(("zeros_like", "ones_like", "full_like", "concat", "stack"))
_SAME: Final = frozenset(("identity", "cast"))
_BEGUN: Final = re.compile(r"^call (\S+\.)?(new_)?(zeros|ones|empty|full)(_like)?$")
_OPTIONS_MOST: Final = 40


def is_filled_with(consumer: Term, value: Term) -> bool:
    """Whether a consumer is `table[i] = value`, where the function itself has made the table."""
    if not _is_update(consumer):
        return False
    return peel(consumer.operands[0]).key != value.key and _is_own(consumer.operands[0])


def is_listed(analysis: Analysis, consumer: Term, consumers: Sequence[Term]) -> bool:
    """Whether a consumer is `values.append(value)`, and the later uses of the list are known."""
    if consumer.operation is not OPAQUE or consumer.detail != "call append":
        return False
    if any(one.operation.name == "collect" for one in consumers):
        return True
    value = consumer.operands[-1]
    is_kept = any(is_handed_out(analysis, key) for key in (value.key, peel(value).key))
    return not is_kept and any(one.operation is SEQUENCE for one in _within(analysis, consumer))


def lists_of(analysis: Analysis, appended: Term) -> list[Term]:
    """The lists that a value was just appended to, if they are read before the loop ends."""
    joined = links_of(analysis).joined
    read = (analysis.consumers, analysis.escaped, joined)
    return [one for one in _within(analysis, appended) if any(one.key in where for where in read)]


def _within(analysis: Analysis, appended: Term) -> list[Term]:
    value = appended.operands[-1]
    joined = links_of(analysis).joined
    found = {one.key: one for key in (value.key, peel(value).key) for one in joined.get(key, ())}
    return list(found.values())


def is_left_unread(analysis: Analysis, whole: Term) -> bool:
    """Whether a term is a list gathered by a loop, and nothing reads it after the loop."""
    is_read = whole.key in analysis.consumers or whole.key in analysis.escaped
    return whole.operation.name == "collect" and not is_read


def goes_on_as(analysis: Analysis, table: Term) -> list[Term] | None:
    """The choices that a written table is part of after branches and loops; `None` if it escapes.

    Also those of any other value, if nothing else is made of it.
    """
    if table.key in analysis.options_escaped:
        return None
    joined = links_of(analysis).joined.get(table.key, [])
    is_table = table.operation in (CHOICE, SEQUENCE) or _is_update(table)
    is_only_joined = table.key not in analysis.consumers and table.key not in analysis.escaped
    if is_table or is_only_joined:
        return joined
    return []


def _is_own(table: Term) -> bool:
    """Whether the function itself has made a table, on every path."""
    pending, seen = [peel(table)], set[int]()
    while pending and len(seen) < _OPTIONS_MOST:
        inner = pending.pop()
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if inner.operation is CHOICE:
            pending += map(peel, inner.operands)
        elif inner.operation.name in _SAME or _is_update(inner):
            pending.append(peel(inner.operands[0]))
        elif not _begins(inner):
            return False
    return not pending


def _is_update(term: Term) -> bool:
    return term.operation is OPAQUE and term.detail == "update"


def _begins(term: Term) -> bool:
    """Whether a term is a new table that nothing else refers to."""
    if term.operation is OPAQUE:
        return _BEGUN.search(str(term.detail)) is not None
    return term.operation.kind in ("constant", "elementwise") or term.operation.name in _BEGINS


def collected(
    analysis: Analysis, current: Term, consumers: Sequence[Term]
) -> tuple[list[Term], list[Term]]:
    """The tables and lists that a value is put into, and its other consumers."""
    tables = [one for one in consumers if is_filled_with(one, current)]
    listed = [one for one in consumers if is_listed(analysis, one, consumers)]
    lists = [one for appended in listed for one in lists_of(analysis, appended)]
    others = [
        one
        for one in consumers
        if one not in tables
        and one not in listed
        and not (lists and is_left_unread(analysis, one))
        and not gives_places_alone(analysis, one)
    ]
    return [*tables, *lists], others
