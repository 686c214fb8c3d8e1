"""The uses of values: whether anything tells 0 from nearly 0, or checks what a floor changes.

A value is followed from its definition through names, attributes, branches, views, terms that are 0
where it is, and the calls that return it, to whatever tests it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.oracle import Oracle
from mllint_nan.flow.state import Analysis, Links, Scope
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Term,
    number_of,
    peel,
    walk,
)

_NEARLY: Final = 1e-3
"""Thresholds from here on exceed the root of an epsilon that is added to 0."""
_LOWEST: Final = -27.0
"""Just above the logarithm of a floor of 1e-12."""
_FOLLOWED_MOST: Final = 400
_EQUALITIES: Final = frozenset(("eq", "ne"))
_ORDERS: Final = frozenset(("lt", "le", "gt", "ge"))
_FINITENESS: Final = frozenset(("isnan", "isinf", "isfinite"))
_ASKS_ITSELF: Final = frozenset(("sign", "count_nonzero", "any", "all"))
"""Operations whose results at 0 differ from those nearby."""
_SELECTS: Final = {"where": 0, "boolean_mask": 1, "divide_no_nan": 1, "multiply_no_nan": 1}
"""By operation: the place of the operand that is tested for 0."""
_SCALED: Final = frozenset(("neg", "abs", "mul", "sqrt", "square", "cbrt", "relu", "relu6", "clip"))
_CURVED: Final = frozenset(
    ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "log1p")
)
_REDUCED: Final = frozenset(
    ("sum", "mean", "prod", "max", "min", "norm", "median", "cumsum", "dot")
)
_JOINED: Final = frozenset(("add", "where", "minimum", "hypot", "matmul", "expm1"))
_ZERO_WITH_IT: Final = _SCALED | _CURVED | _REDUCED | _JOINED
"""Operations that are 0, or may be, because an operand is."""
_ZERO_WITH_FIRST: Final = frozenset(("div", "pow", "divide_no_nan"))
_QUESTIONS: Final = re.compile(
    r"^(is_?close|all_?close|array_equ(al|iv)|equal|nonzero|flatnonzero|is_nonzero|argwhere|unique"
    r"|bool|cond|assert_\w*|assert(Not|Almost|NotAlmost)?Equals?|assert(True|False)"
    r"|assert(Greater|Less)(Equal)?)$"
)
"""Functions of the libraries and of `unittest` that test what is equal, or true."""


def tells_zero(analysis: Analysis, oracle: Oracle, term: Term) -> Truth:
    """Whether something tests if `term` is 0 or nearly 0; UNKNOWN if something may."""
    answer = Truth.NO
    links = links_of(analysis)
    pending, seen = [term.key], set[int]()
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        if len(seen) >= _FOLLOWED_MOST:
            return answer.or_(Truth.UNKNOWN)
        seen.add(key)
        if key in analysis.conditions:
            return Truth.YES
        for consumer in analysis.consumers.get(key, ()):
            answer = answer.or_(_asks(analysis, oracle, consumer, key))
            if answer is Truth.YES:
                return answer
            if _is_zero_with(oracle, consumer, key):
                pending.append(consumer.key)
        pending += [joined.key for joined in links.joined.get(key, ())]
        pending += _returned_to(analysis, links, key)
        pending += _stored_as(analysis, links, key)
    return answer


def tells_least(analysis: Analysis, oracle: Oracle, term: Term) -> bool:
    """Whether something checks values so low that only a floor would change them.

    A test of equality does, an assertion of the libraries, and a comparison with a number that is
    as low. Sums, scalings and views are followed, however far.
    """
    links = links_of(analysis)
    pending, seen = [term.key], set[int]()
    while pending and len(seen) < _FOLLOWED_MOST:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        for consumer in analysis.consumers.get(key, ()):
            if _checks(oracle, consumer, key):
                return True
            if consumer.operation is not OPAQUE and consumer.operation.kind != "comparison":
                pending.append(consumer.key)
        pending += [joined.key for joined in links.joined.get(key, ())]
        pending += _returned_to(analysis, links, key)
        pending += _stored_as(analysis, links, key)
    return False


def _checks(oracle: Oracle, consumer: Term, key: int) -> bool:
    name = consumer.operation.name
    if name in _ORDERS:
        others = [other for other in consumer.operands if other.key != key]
        return any(oracle.value(other).hi <= _LOWEST for other in others)
    return name in _EQUALITIES or _asks_by_name(consumer)


def _asks_by_name(consumer: Term) -> bool:
    """Whether a term is a call of the libraries that tests what is equal, or true."""
    what = str(consumer.detail)
    if consumer.operation is not OPAQUE or not what.startswith("call"):
        return False
    return _QUESTIONS.search(what.removeprefix("call ").rpartition(".")[2].strip()) is not None


def _asks(analysis: Analysis, oracle: Oracle, consumer: Term, key: int) -> Truth:
    """Whether a term that is made from a value depends on whether that is 0."""
    name = consumer.operation.name
    if consumer.operation is OPAQUE:
        return _known(_asks_by_name(consumer))
    if name in _EQUALITIES or name in _ORDERS:
        others = [other for other in consumer.operands if other.key != key]
        return _is_near_zero(oracle, others[0], key, name) if others else Truth.NO
    if name in _SELECTS and len(consumer.operands) > _SELECTS[name]:
        return _known(consumer.operands[_SELECTS[name]].key == key)
    if name == "div" and consumer.operands[1].key == key:
        after = analysis.consumers.get(consumer.key, ())
        return _known(any(outer.operation.name in _FINITENESS for outer in after))
    if name == "cast":
        dtype = consumer.settings.get("dtype")
        named = str(peel(dtype).detail) if dtype is not None else ""
        return _known(named.rpartition(".")[2].rstrip("_") == "bool")
    is_logic = consumer.operation.kind == "comparison" and name not in _FINITENESS
    return _known(is_logic or name in _ASKS_ITSELF)


def _is_near_zero(oracle: Oracle, other: Term, key: int, comparison: str) -> Truth:
    """Whether a value is compared with 0, or with a number so small that it stands for 0."""
    inner = peel(other)
    if any(part.key == key for part in walk(inner)):
        return Truth.NO  # with itself under other axes, or with an extremum of itself
    if inner.operation is INPUT and inner.operands:
        default = number_of(inner.operands[0])
        if default is not None:
            return _known(abs(default) < _NEARLY)
    if inner.operation.name in ("finfo_eps", "finfo_tiny"):
        return Truth.YES
    value = oracle.value(other)
    if value.interval.mignitude >= _NEARLY:
        return Truth.NO
    if value.is_constant or (value.lo > 0 and (value.free or value.hi < _NEARLY)):
        return Truth.YES  # an epsilon is positive, whatever else it is
    return Truth.UNKNOWN if comparison in _EQUALITIES else Truth.NO


def _is_zero_with(oracle: Oracle, consumer: Term, key: int) -> bool:
    """Whether a term that is made from a value is 0 where the value is."""
    name, operands = consumer.operation.name, consumer.operands
    if consumer.operation is OPAQUE:
        what = str(consumer.detail)
        return what == "update" or what.startswith("part")
    if consumer.operation.kind == "leaf":
        return True
    if consumer.operation.kind == "view":
        joins = name in ("concat", "stack", "collect")
        return joins or (bool(operands) and operands[0].key == key)
    if name in _ZERO_WITH_FIRST:
        return operands[0].key == key
    if name == "clip":
        least = consumer.settings.get("min")
        return least is None or oracle.value(least).lo <= 0
    if name == "add":
        return all(other.key == key or oracle.value(other).lo <= 0 for other in operands)
    return name in _ZERO_WITH_IT


def _returned_to(analysis: Analysis, links: Links, key: int) -> Iterator[int]:
    """Yield the keys of the calls that return the value, alone or as one of several."""
    for scope in analysis.functions.values():
        for returned in map(peel, scope.returned):
            if returned.key == key:
                yield from _given_by(analysis, links, scope)
            elif returned.operation is SEQUENCE:
                for index, part in enumerate(returned.operands):
                    if part.key == key:
                        yield from _part_given_by(analysis, links, scope, index)


def _calls_of(analysis: Analysis, links: Links, scope: Scope) -> Iterator[Term]:
    """Yield the calls of a function that were not inlined; of a method, by its name."""
    for consumer in analysis.consumers.get(scope.key, ()):
        if consumer.operation is OPAQUE and str(consumer.detail).startswith("call"):
            yield consumer
    if scope.parent is not None and scope.parent.kind == "class":
        yield from links.called.get(scope.name, ())


def _given_by(analysis: Analysis, links: Links, scope: Scope) -> Iterator[int]:
    yield from (call.key for call in analysis.calls.get(scope.key, ()))
    yield from (call.key for call in _calls_of(analysis, links, scope))
    if scope.parent is not None and scope.parent.kind == "class":
        yield from links.read.get(scope.name, ())  # a property


def _part_given_by(analysis: Analysis, links: Links, scope: Scope, index: int) -> Iterator[int]:
    for call in analysis.calls.get(scope.key, ()):
        value = peel(call.operands[0])
        if value.operation is SEQUENCE and index < len(value.operands):
            yield value.operands[index].key
    for call in _calls_of(analysis, links, scope):
        for part in analysis.consumers.get(call.key, ()):
            is_subscript = part.operation.name == "subscript"
            if part.detail == f"part {index}" or (
                is_subscript and number_of(part.operands[1]) == index
            ):
                yield part.key


def _stored_as(analysis: Analysis, links: Links, key: int) -> Iterator[int]:
    """Yield the keys of the attributes in which objects keep the value."""
    owners: dict[int, Scope] = {}
    for scope in analysis.functions.values():
        owner = scope.owner
        if owner is not None:
            owners[id(owner)] = owner
    for owner in owners.values():
        for name, stored in owner.attributes.items():
            if name in links.read and any(peel(part).key == key for part in stored):
                yield from links.read[name]


def links_of(analysis: Analysis) -> Links:
    """Return how terms are linked, other than by operands."""
    links = analysis.links
    if links is not None and links.made == len(analysis.made):
        return links
    links = analysis.links = Links(len(analysis.made), {}, {}, {})
    seen = set[int]()
    for term in analysis.made:
        if term.operation is OPAQUE and str(term.detail).startswith("call "):
            name = str(term.detail).removeprefix("call ").rpartition(".")[2].strip()
            links.called.setdefault(name, []).append(term)
        _link(links, term, seen)
    return links


def _link(links: Links, term: Term, seen: set[int]) -> None:
    pending = [peel(child) for child in term.children()]
    while pending:
        inner = pending.pop()
        if inner.operation is ATTRIBUTE:
            links.read.setdefault(str(inner.detail), set()).add(inner.key)
        if inner.operation not in (CHOICE, SEQUENCE) or inner.key in seen:
            continue
        seen.add(inner.key)
        for option in inner.operands:
            links.joined.setdefault(option.key, []).append(inner)
            pending.append(peel(option))


def _known(evident: bool) -> Truth:
    return Truth.YES if evident else Truth.NO
