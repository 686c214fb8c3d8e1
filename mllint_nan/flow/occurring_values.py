"""Masks that compare elements with a value that occurs among them: they select something.

`for label in unique(labels): labels == label` holds for at least one element, and so does
`events & (times == time)` for a time of `unique(times[events])`, and `times >= time`. A quantile
lies between the least and the largest element; a mean may lie beyond them, by rounding.
"""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.elements import elements_of
from mllint_nan.flow.masks import keeps_all
from mllint_nan.ir.term import ATTRIBUTE, OPAQUE, QUALIFIED, SEQUENCE, Term, peel

_VALUES: Final = re.compile(r"^call (\S+\.)?(unique\w*|set|frozenset)$")
_ORDERS: Final = re.compile(r"^call (\S+\.)?(sorted|list|tuple|tolist|numpy|cpu|reversed)$")
_BETWEEN: Final = re.compile(
    r"^call (\S+\.)?((nan)?(quantile|percentile|median)|nan(max|min)"
    r"|kthvalue|topk|sort(ed)?|partition)$"
)
"""Calls whose results lie between the least and the largest element of what they are given."""
_ORDER_STATISTICS: Final = frozenset(("max", "min", "median", "topk", "sort"))
_ORDERED: Final = frozenset(("ge", "le"))
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
            if not others and (_is_code_of(first, second) or _is_code_of(second, first)):
                return True
        if part.operation.name in _ORDERED and not others:
            first, second = part.operands
            if _lies_within(first, second) or _lies_within(second, first):
                return True
    return False


def _lies_within(value: Term, subject: Term) -> bool:
    """Whether `value` is an order statistic of `subject`, or of some of its elements."""
    inner = elements_of(value)
    while inner.operation.name in ("element", "subscript") or inner.operation is ATTRIBUTE:
        inner = elements_of(inner.operands[0])  # `x.topk(k).values[-1]`
    given = [part for part in inner.operands if peel(part).operation is not QUALIFIED]
    if inner.operation.name in _ORDER_STATISTICS:
        source = given[0]
        return _is_from(source, subject) or _lies_within(source, subject)
    is_call = inner.operation is OPAQUE and _BETWEEN.search(str(inner.detail)) is not None
    return is_call and bool(given) and _is_from(given[0], subject)


def occurs_in(value: Term, container: Term) -> bool:
    """Whether `value` is one of the values of an array, or of the list of its elements."""
    inner = elements_of(container)
    while inner.operation is OPAQUE and _ORDERS.search(str(inner.detail)):
        given = [part for part in inner.operands if peel(part).operation is not QUALIFIED]
        if not given:
            return False
        inner = elements_of(given[0])
    return _is_value_of(value, inner, [])


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


def _uncast(term: Term) -> Term:
    """The term with the same elements, before they were cast or rearranged."""
    inner = elements_of(term)
    while inner.operation.name == "subscript" and _keeps_all(inner.operands[1]):
        inner = elements_of(inner.operands[0])
    return inner


def _keeps_all(index: Term) -> bool:
    inner = peel(index)
    return all(map(keeps_all, inner.operands if inner.operation is SEQUENCE else (inner,)))


def _is_from(source: Term, subject: Term) -> bool:
    """Whether all elements of a source are elements of a subject, selected or not."""
    wanted, inner = _uncast(subject).key, _uncast(source)
    while inner.key != wanted and inner.operation.kind == "view" and inner.operands:
        inner = _uncast(inner.operands[0])
    return inner.key == wanted


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
        return _is_from(source, subject)
    selection = peel(source)
    if len(others) != 1 or selection.operation.name not in _SELECTIONS:
        return False
    whole, mask = selection.operands[:2]
    return _is_from(whole, subject) and _uncast(mask).key == others[0].key


def _is_code_of(value: Term, codes: Term) -> bool:
    """Whether `value` counts up to the number of classes that a call has found and encoded.

    `classes, codes = np.unique(y, return_inverse=True)`, then `for c in range(len(classes))`.
    """
    encoded, counted = _uncast(codes), peel(value)
    if encoded.operation is not OPAQUE or encoded.detail != "part 1" or not encoded.operands:
        return False
    if counted.operation.name != "element":
        return False
    upto = peel(counted.operands[0])
    bounds = [peel(one) for one in upto.operands if peel(one).operation is not QUALIFIED]
    if upto.detail != "call builtins.range" or len(bounds) != 1:
        return False
    classes = elements_of(bounds[0].operands[0]) if bounds[0].operation.name == "size" else None
    return (
        classes is not None
        and classes.detail == "part 0"
        and peel(classes.operands[0]).key == peel(encoded.operands[0]).key
        and _VALUES.search(str(peel(classes.operands[0]).detail)) is not None
    )


def listed(values: Term) -> Term | None:
    """The x whose values `unique(x)`, `set(x)` or `sorted(set(x))` lists."""
    inner = elements_of(values)
    while inner.operation is OPAQUE and inner.operands:
        what = str(inner.detail)
        given = [part for part in inner.operands if peel(part).operation is not QUALIFIED]
        if what != "part 0" and not _ORDERS.search(what) and not _VALUES.search(what):
            return None
        if not given:
            return None
        if _VALUES.search(what):
            return given[0]
        inner = elements_of(given[0])
    return None
