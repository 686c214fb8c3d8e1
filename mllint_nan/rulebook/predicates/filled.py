"""Tables and lists that a function makes and fills one value at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mllint_nan.flow.state import Analysis
from mllint_nan.flow.uses import links_of
from mllint_nan.ir.term import CHOICE, OPAQUE, Term, peel

_BEGINS: Final = frozenset(("zeros_like", "ones_like", "full_like", "concat", "stack"))
_SAME: Final = frozenset(("identity", "cast"))
_BEGUN: Final = re.compile(r"^call (\S+\.)?(new_)?(zeros|ones|empty|full)(_like)?$")
_OPTIONS_MOST: Final = 40


def is_filled_with(consumer: Term, value: Term) -> bool:
    """`table[i] = value`, where the function itself has made the table."""
    if not _is_update(consumer):
        return False
    return peel(consumer.operands[0]).key != value.key and _is_own(consumer.operands[0])


def is_listed(analysis: Analysis, consumer: Term, consumers: Sequence[Term]) -> bool:
    """`values.append(value)`, where what is made of the list after a loop is known too.

    Nothing is made of it within the loop.
    """
    is_appended = consumer.operation is OPAQUE and consumer.detail == "call append"
    if not is_appended or not any(one.operation.name == "collect" for one in consumers):
        return False
    within = links_of(analysis).joined.get(consumer.operands[-1].key, [])
    within = within + links_of(analysis).joined.get(peel(consumer.operands[-1]).key, [])
    return not any(one.key in analysis.consumers or one.key in analysis.escaped for one in within)


def goes_on_as(analysis: Analysis, table: Term) -> list[Term] | None:
    """What a table that was written into is after branches and loops; `None` if others get it."""
    if table.key in analysis.options_escaped:
        return None
    is_table = table.operation is CHOICE or _is_update(table)
    return links_of(analysis).joined.get(table.key, []) if is_table else []


def _is_own(table: Term) -> bool:
    """Whether the function has computed a table itself, on whichever path."""
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
    """Whether the result is a table that nothing else refers to."""
    if term.operation is OPAQUE:
        return _BEGUN.search(str(term.detail)) is not None
    return term.operation.kind in ("constant", "elementwise") or term.operation.name in _BEGINS
