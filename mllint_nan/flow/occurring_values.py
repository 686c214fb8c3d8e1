"""Masks that compare elements with a value that occurs among them: they select something.

`for label in unique(labels): labels == label` holds for at least one element, and so does
`events & (times == time)` for a time of `unique(times[events])`, and `times >= time`.
"""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.ir.term import OPAQUE, QUALIFIED, Term, behind_views, peel

_VALUES: Final = re.compile(r"^call (\S+\.)?(unique\w*|set|frozenset)$")
_ORDERS: Final = re.compile(r"^call (\S+\.)?(sorted|list|tuple|tolist|numpy|cpu|reversed)$")
_CONJUNCTIONS: Final = frozenset(("logical_and", "bitwise_and", "mul"))
_SELECTIONS: Final = frozenset(("boolean_mask", "subscript", "gather"))
_HOLDING_FOR_EQUALS: Final = frozenset(("eq", "ge", "le"))
_CONJUNCTS_MOST: Final = 8


def is_of_occurring(mask: Term) -> bool:
    """Whether a mask holds where its subject is a value that is known to occur in it."""
    conjuncts = _conjuncts(mask)
    for place, part in enumerate(conjuncts):
        others = conjuncts[:place] + conjuncts[place + 1 :]
        if part.operation.name in _HOLDING_FOR_EQUALS:
            first, second = part.operands
            if _is_value_of(first, second, others) or _is_value_of(second, first, others):
                return True
    return False


def _conjuncts(mask: Term) -> list[Term]:
    """The conditions that a mask combines by "and"."""
    found: list[Term] = []
    pending = [mask]
    while pending and len(found) < _CONJUNCTS_MOST:
        inner = _uncast(pending.pop())
        if inner.operation.name in _CONJUNCTIONS:
            pending.extend(inner.operands)
        else:
            found.append(inner)
    return found


def _uncast(mask: Term) -> Term:
    inner = behind_views(mask)
    while inner.operation.name in ("cast", "detach"):
        inner = behind_views(inner.operands[0])
    return inner


def _is_value_of(value: Term, subject: Term, others: list[Term]) -> bool:
    """Whether `value` is one of the values of `subject` where all of `others` hold."""
    inner = peel(value)
    if inner.operation.name not in ("element", "subscript"):
        return False
    source = listed(inner.operands[0])
    if source is None and inner.operation.name == "element":
        source = inner.operands[0]
    if source is None:
        return False
    if not others:
        return _uncast(source).key == _uncast(subject).key
    selection = peel(source)
    if len(others) != 1 or selection.operation.name not in _SELECTIONS:
        return False
    whole, mask = selection.operands[:2]
    return _uncast(whole).key == _uncast(subject).key and _uncast(mask).key == others[0].key


def listed(values: Term) -> Term | None:
    """The x whose values `unique(x)`, `set(x)` or `sorted(set(x))` lists."""
    inner = peel(values)
    while inner.operation is OPAQUE and inner.operands:
        what = str(inner.detail)
        given = [part for part in inner.operands if peel(part).operation is not QUALIFIED]
        if what != "part 0" and not _ORDERS.search(what) and not _VALUES.search(what):
            return None
        if not given:
            return None
        if _VALUES.search(what):
            return given[0]
        inner = peel(given[0])
    return None
