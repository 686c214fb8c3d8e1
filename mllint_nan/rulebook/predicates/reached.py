"""Whether a result reaches something that is differentiated."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.frameworks.differentiation import any_of
from mllint_nan.frameworks.showing import SHOWS, SUMMARIES
from mllint_nan.ir.term import INPUT, NOTHING, OPAQUE, REFERENCE, Term, peel
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.carried import (
    CUTS_GRADIENT,
    FLOWS_DEEPEST,
    leaves_tensors,
)
from mllint_nan.rulebook.predicates.context import is_copy, is_self, name_of
from mllint_nan.rulebook.predicates.fed_inputs import is_only_fetched
from mllint_nan.rulebook.predicates.filled import collected, goes_on_as
from mllint_nan.rulebook.predicates.places import is_place

_CALLS_WITHOUT_GRADIENT: Final = re.compile(
    rf"(^|\.)({any_of(SHOWS)}|summary\.{any_of(SUMMARIES)}|float|int|len|isinstance"
    r"|format|plot\w*|scatter\w*plot|allclose|isclose"
    r"|testing\.\w+|assert\w*|assign\w*|range|bucketize|searchsorted|digitize"
    r"|multinomial|categorical|topk|argsort|to_numpy|numpy|item|tolist|device_get"
    r"|get_shape|int_shape|static_shape|ndim|get_rank|set_shape"
    r"|nn\.(parameter\.)?Parameter|register_(buffer|parameter)|nnx\.Param"
    r"|tensorflow\.(compat\.v1\.)?Variable)$"
)
"""Calls that show, rank, count or ask for a shape, and those that make a parameter of a value."""
_WRITES: Final = re.compile(r"^call \w*[a-z]_$")
"""Methods that write into their tensor: `weight.data.copy_(values)`."""
_LOGS: Final = names("log")
_PARTS_MOST: Final = 200


def result_is_used(analysis: Analysis, term: Term, *, in_calls: bool = False) -> bool:
    """Whether the result reaches something that could be differentiated.

    With `in_calls`, it is followed into the functions of this file that it is passed to, too; a
    method may be overridden in another one.
    """
    pending, seen = [(term, 0)], set[int]()
    while pending:
        current, depth = pending.pop()
        if current.key in seen:
            continue
        seen.add(current.key)
        if depth > FLOWS_DEEPEST:
            return True
        if is_only_fetched(analysis, current.key):
            continue
        further = _passed_on(analysis, current, in_calls=in_calls)
        if further is None:
            return True
        pending += [(one, depth + 1) for one in further]
    return False


def _passed_on(analysis: Analysis, value: Term, *, in_calls: bool) -> list[Term] | None:
    """What a value becomes a part of; `None` if it is differentiated, or cannot be followed."""
    consumers = analysis.consumers.get(value.key, ())
    further = goes_on_as(analysis, value)
    if further is None:
        return None
    if not consumers and not further and value.key not in analysis.escaped:
        # Bound to an unread name, or kept by a closure: no evidence against a gradient.
        return None
    if in_calls:
        consumers = [one for one in consumers if not _is_cut_within(value, one)]
    direct = [consumer for consumer in consumers if consumer.operation is OPAQUE]
    if value.key in analysis.escaped and not direct:
        return None
    collections, others = collected(analysis, value, consumers)
    calls = [one for one in others if _differentiates(value, one)]
    given = [_given_to(analysis, value, one) if in_calls else [] for one in calls]
    if not all(given):
        return None
    computed = [one for one in others if one.operation is not OPAQUE and not _cuts(value, one)]
    return [*further, *collections, *computed, *(one for found in given for one in found)]


def _cuts(current: Term, consumer: Term) -> bool:
    """Whether no gradient comes back from an operation to this operand."""
    operation = consumer.operation
    if operation.name in CUTS_GRADIENT or operation.kind == "comparison":
        return True
    if is_place(consumer) or is_copy(consumer):
        return True
    if consumer.framework == "numpy" and current.framework not in (None, "numpy"):
        return True
    return operation.name == "cast" and leaves_tensors(consumer)


def _differentiates(current: Term, consumer: Term) -> bool:
    """Whether a consumer takes a gradient, or cannot be followed any further."""
    if consumer.operation.name == "gradient":
        return True
    if consumer.operation is not OPAQUE or _cuts(current, consumer):
        return False
    if _CALLS_WITHOUT_GRADIENT.search(str(consumer.detail).removeprefix("call ")):
        return False
    if _WRITES.search(str(consumer.detail)) and _is_detached(consumer.operands[0], current):
        return False
    return consumer.detail != "update" or not _LOGS.search(name_of(consumer.operands[0]))


def _is_cut_within(value: Term, call: Term) -> bool:
    """Whether the result of a call that is seen through lets no gradient back to this argument."""
    if call.operation is not REFERENCE or call.key == value.key:
        return False
    pending, seen = [call.operands[0]], set[int]()
    while pending and len(seen) < _PARTS_MOST:
        inner = peel(pending.pop())
        if inner.key == value.key:
            return False
        if inner.key not in seen:
            seen.add(inner.key)
            pending += [one for one in inner.children() if not _cuts(peel(one), inner)]
    return not pending


def _given_to(analysis: Analysis, value: Term, call: Term) -> list[Term]:
    """The parameters of functions of this file that a call passes a value for; empty if unknown."""
    callee, *arguments = map(peel, call.operands) if call.operands else (call,)
    if value.key in analysis.handed_as or callee.key == value.key:
        return []
    own = analysis.functions.get(callee.key)
    method = str(call.detail).removeprefix("call ") if is_self(callee) else ""
    functions = [own] if own is not None else _methods_called(analysis, method)
    names = {
        (scope.key, scope.parameters[place + (scope is not own)])
        for scope in functions
        for place, argument in enumerate(arguments)
        if argument.key == value.key and place + (scope is not own) < len(scope.parameters)
    }
    found = [
        Term(INPUT, (), key, None, NOTHING, None, place[1])
        for key, place in analysis.parameters.items()
        if place in names
    ]
    return found if len(names) >= len(functions) else []


def _methods_called(analysis: Analysis, name: str) -> list[Scope]:
    """The methods of that name of all classes of the file."""
    return [
        scope
        for scope in analysis.functions.values()
        if scope.name == name and scope.parent is not None and scope.parent.kind == "class"
    ]


def _is_detached(written: Term, value: Term) -> bool:
    """Whether a write changes only the detached numbers of a tensor, or of a part of it."""
    inner = peel(written)
    while inner.operation.kind == "view" and inner.operation.name != "detach" and inner.operands:
        inner = peel(inner.operands[0])
    return inner.operation.name == "detach" and inner.key != value.key
