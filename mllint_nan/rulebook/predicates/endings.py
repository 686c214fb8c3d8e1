"""Where a result, and what is computed from it, ends up: shown, compared, returned or stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from mllint_nan.flow.applied_models import DIFFERENTIATES
from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.flow.trained import TRAINED
from mllint_nan.flow.uses import links_of
from mllint_nan.frameworks.differentiation import any_of
from mllint_nan.frameworks.showing import SHOWS, SUMMARIES
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, OPAQUE, SEQUENCE, Term, peel
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import Context, name_of
from mllint_nan.rulebook.predicates.places import is_place, is_unpacked_ranking

_FOLLOWED_MOST: Final = 200
_FOLLOWED: Final = frozenset(("elementwise", "reduction", "along", "view"))
_HANDS_ON: Final = re.compile(
    r"^call (\S+\.)?(cpu|cuda|to|numpy|item|tolist|detach|clone|squeeze|view|device_get|float"
    r"|asarray|array|eval)$"
)
"""Calls that return their argument, moved or converted."""
_SHOWS: Final = re.compile(rf"(^|[. ])({any_of(SHOWS)}|summary\.{any_of(SUMMARIES)})$")
"""Calls that show their argument and return nothing that is computed with."""
READ: Final = names("shown")
_MAPS: Final = re.compile(r"(^|[. ])(vmap|pmap|jit|vectorize|remat|tf\.function)$")
"""Wrappers of functions: what they return is called like the function itself."""
_TEXTS: Final = frozenset(("fstring", "format", "%"))


@dataclass(slots=True)
class Ends:
    """All ends of a result and of what is computed from it."""

    is_shown: bool = False
    is_compared: bool = False
    is_constant: bool = False
    """A call that differentiates internally takes it: for that gradient, it is a constant."""
    is_open: bool = False
    """Something unknown is done with it, or nothing at all."""
    is_unread: bool = False
    """Nothing is done with it."""
    inner: list[Scope] = field(default_factory=list)
    """Inner functions that return it; the ends of their calls are included here."""
    returned: list[Scope] = field(default_factory=list)
    """The functions that return it to their callers."""
    stored: list[tuple[Scope, str]] = field(default_factory=list)
    """The classes whose objects store it, each with the name of the attribute."""

    @property
    def is_only_shown(self) -> bool:
        """Whether it is read, at most compared with something, and nothing learns from it."""
        return self.is_shown and not (self.is_open or self.returned or self.stored)


def ends_of_match(context: Context, result: Term) -> Ends:
    """The ends of a result in its function itself, whichever visible call is analysed."""
    return ends_of(context.analysis, as_written(context, result))


def as_written(context: Context, result: Term) -> Term:
    """The result in its function itself, if it is analysed with the arguments of a call."""
    if context.occurrence.call is None:
        return result
    written = (one.term for one in context.analysis.occurrences)
    same = (one for one in written if one.site is result.site)
    return next((one for one in same if one.operation is result.operation), result)


def ends_of(analysis: Analysis, result: Term) -> Ends:
    """Follow what is made of a result, through variables, lists and calls that pass it on."""
    return ends_of_key(analysis, result.key)


def ends_of_key(analysis: Analysis, start: int) -> Ends:
    """Follow what is made of the value with that key, even if it is the result of a call."""
    links, ends = links_of(analysis), Ends()
    pending, seen = [start], set[int]()
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > _FOLLOWED_MOST:
            ends.is_open = True
            break
        consumers = [one for one in analysis.consumers.get(key, ()) if not _is_of_size(one)]
        joined = links.joined.get(key, ())
        pending += [one.key for one in joined]
        for consumer in consumers:
            if is_unpacked_ranking(analysis, consumer) or _goes_on(ends, consumer):
                pending.append(consumer.key)
        for scope in returning(analysis, key):
            given = _given_within(analysis, scope)
            if given is not None:
                pending += given
                ends.inner.append(scope)
        is_escaped = key in analysis.escaped or key in analysis.options_escaped
        if is_escaped and not _note_escape(analysis, ends, key):
            is_given = any(one.operation is OPAQUE for one in consumers)
            ends.is_open = ends.is_open or not (is_given or joined)
        elif not is_escaped and not consumers and not joined and key == start:
            ends.is_open = ends.is_unread = True
    return ends


def _is_of_size(consumer: Term) -> bool:
    return consumer.operation is ATTRIBUTE or consumer.operation.name in ("shape", "size")


def _goes_on(ends: Ends, consumer: Term) -> bool:
    """Whether to follow what is made of a value; if not, record how the value ends."""
    operation, what = consumer.operation, str(consumer.detail)
    if operation.kind == "comparison" or operation.name in ("argmax", "argmin"):
        ends.is_compared = True
        return False
    if is_place(consumer):
        ends.is_compared = True
        return False
    if operation is not OPAQUE:
        is_followed = operation.kind in _FOLLOWED or operation is SEQUENCE
        ends.is_open = ends.is_open or not (is_followed or operation.kind == "leaf")
        return is_followed
    if _differentiates(consumer):
        ends.is_constant = True
        return False
    if what in _TEXTS or _SHOWS.search(what.removeprefix("call ")):
        ends.is_shown = True
        return False
    if what == "update" and READ.search(name_of(consumer.operands[0])):
        ends.is_shown = True
        return False
    if _HANDS_ON.search(what) or what.startswith("part ") or what in ("or", TRAINED):
        return True
    ends.is_open = True
    return False


def _differentiates(call: Term) -> bool:
    """Whether a call is like `jax.value_and_grad(loss)(x)`: the gradient ends at its arguments."""
    callee = peel(call.operands[0]) if call.operands else call
    return callee.operation is OPAQUE and str(callee.detail) in DIFFERENTIATES


def is_differentiated_within(analysis: Analysis, function: Scope) -> bool:
    """Whether an inner function is differentiated: what it reads of the outer one is constant."""
    uses = analysis.consumers.get(function.key, ())
    is_inner = function.parent is not None and function.parent.kind == "function"
    return is_inner and any(str(use.detail) in DIFFERENTIATES for use in uses)


def _note_escape(analysis: Analysis, ends: Ends, key: int) -> bool:
    """Record how a value leaves its function; return whether that is known (returned or stored)."""
    returned = list(returning(analysis, key))
    stored = list(_stored_as(analysis, key))
    known = (*ends.returned, *ends.inner)
    ends.returned += [scope for scope in returned if scope not in known]
    ends.stored += [one for one in stored if one not in ends.stored]
    return bool(returned or stored)


def returning(analysis: Analysis, key: int) -> Iterator[Scope]:
    """Yield the functions that return a value, alone or in a tuple."""
    if analysis.returning_noted != len(analysis.functions):
        analysis.returning_noted = len(analysis.functions)
        analysis.returning.clear()
        for scope in analysis.functions.values():
            for part in {part for one in scope.returned for part in _parts_of(one)}:
                analysis.returning.setdefault(part, []).append(scope)
    yield from analysis.returning.get(key, ())


def is_handed_out(analysis: Analysis, key: int) -> bool:
    """Whether a function returns a value, or an object stores it, alone or in a list."""
    return any(returning(analysis, key)) or any(_stored_as(analysis, key))


def _given_within(analysis: Analysis, scope: Scope) -> list[int] | None:
    is_inner = scope.parent is not None and scope.parent.kind == "function"
    return given_by(analysis, scope) if is_inner else None


def given_by(analysis: Analysis, function: Scope) -> list[int] | None:
    """The keys of the results of all calls of a function; `None` if it is used in another way."""
    found = [call.key for call in analysis.calls.get(function.key, ())]
    for use in analysis.consumers.get(function.key, ()):
        is_call = use.operation is OPAQUE and use.operands[0].key == function.key
        if is_call:
            found.append(use.key)
        elif use.operation is OPAQUE and _MAPS.search(str(use.detail)):
            outer = analysis.consumers.get(use.key, ())
            found += [one.key for one in outer if one.operands[0].key == use.key]
        else:
            return None
    return found or None


def _parts_of(term: Term) -> Iterator[int]:
    """Yield the keys of a value, of the elements of a tuple, and of the value on each path."""
    pending, seen = [peel(term)], set[int]()
    while pending and len(seen) < _FOLLOWED_MOST:
        inner = pending.pop()
        if inner.key not in seen:
            seen.add(inner.key)
            yield inner.key
            if inner.operation in (SEQUENCE, CHOICE):
                pending += map(peel, inner.operands)


def _stored_as(analysis: Analysis, key: int) -> Iterator[tuple[Scope, str]]:
    owners = {
        id(scope.owner): scope.owner
        for scope in analysis.functions.values()
        if scope.owner is not None
    }
    for owner in owners.values():
        for name, stored in owner.attributes.items():
            if any(key in _parts_of(part) for part in stored):
                yield owner, name
