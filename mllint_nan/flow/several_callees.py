"""Calls of one of several values, which a condition, a key or a loop over a list chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mllint_nan.flow.closures import Closures
from mllint_nan.flow.containers import (
    ANY_KEY,
    DICT,
    ELEMENT,
    dictionary_method,
    is_dict,
    is_display,
    is_none,
    is_text,
    updated,
)
from mllint_nan.flow.conversions import is_layer_of_torch
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.masks import is_mask, is_slice
from mllint_nan.flow.state import Blueprint
from mllint_nan.flow.storage import is_tensor
from mllint_nan.frameworks import registry
from mllint_nan.ir.term import (
    CHOICE,
    CONSTANT,
    NOTHING,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    Fact,
    Term,
    constant_of,
    held,
    peel,
)

_GLOBALS: Final = "call builtins.globals"
CALLEES_MOST: Final = 16
"""How many values a key may choose from if each of them is to be called."""


class SeveralCallees(Closures):
    """Calls each of the values that a callee may be; the result is a choice of their results."""

    __slots__ = ()

    def call_value(
        self, site: object, callee: Term, arguments: Arguments, written_at: object
    ) -> Term | None:
        """Return the result of calling a value; `None` if it is not understood."""
        raise NotImplementedError

    def blueprint_of(self, callee: Term) -> Blueprint | None:
        """Return the class that is called, if it is visible."""
        raise NotImplementedError

    def make(self, made: Term, blueprint: Blueprint, arguments: Arguments) -> None:
        """Record that a term is an object of a visible class."""
        raise NotImplementedError

    def record(
        self, site: object, callee: Term, made: Blueprint | None, arguments: Arguments
    ) -> Term | None:
        """Return an object of a class that only keeps its arguments, by name."""
        raise NotImplementedError

    def members_of(self, namespace: Term) -> tuple[Term, ...]:
        """Return the functions and classes of a project's module, given that or its namespace."""
        raise NotImplementedError

    def named_member(self, site: object, owner: Term, name: Term) -> Term | None:
        """Return `getattr(owner, name)`; for an unknown name, any function or class of a module."""
        if is_text(name):
            return self._attribute(site, owner, str(constant_of(name)))
        members = self.members_of(owner)
        return self.choice(members, site, ANY_KEY) if members else None

    def with_any_key(self, dictionary: Term, key: Term, term: Term) -> Term | None:
        """A dictionary of callables with one more at an unknown key, if no known key can be it."""
        inner = peel(dictionary)
        kept = dict(zip(inner.operands[::2], inner.operands[1::2], strict=True))
        are_open = all(constant_of(one) is None for one in (key, *kept))
        if not are_open or not self.are_callable((*kept.values(), term)):
            return None
        kept[peel(key)] = held(term)
        operands = tuple(part for pair in kept.items() for part in pair)
        return self.opaque(DICT, operands, None, framework=inner.framework or term.framework)

    def of_dictionary(
        self, site: object, receiver: Term, method: str, arguments: Arguments
    ) -> Term | None:
        """Return the result of a method of a dictionary that is written out."""
        inner = peel(receiver)
        if method == "update":
            changed = updated(self, inner, arguments)
            if changed is None or not self.are_callable(peel(changed).operands[1::2]):
                return None
            self.rebind(receiver, changed)
            return self.build.constant(None, site)
        given = arguments.positional
        found = dictionary_method(self, site, inner, method, given)
        if found is None and method in ("get", "pop") and given:
            found = self.kept_at(receiver, given[0], site)
        if found is None:
            return None
        operands = (peel(found), receiver, *arguments.everything())
        return Term(REFERENCE, operands, found.key, site, NOTHING, found.framework, None)

    def kept_at(self, container: Term, key: Term, site: object) -> Term | None:
        """Return what a dictionary or list of functions, classes or objects holds at an index."""
        if container.operation.name == "collect":
            member = container.operands[0]
            is_one = not is_slice(key) and not is_mask(key) and self.is_callable(member)
            return self.choice((member,), None, ANY_KEY) if is_one else None
        if not is_dict(container):
            if is_own_names(container) and is_text(key):
                name = str(constant_of(key))
                return self.state.environment.outermost.own(name) or self.unbound(name)
            is_any = constant_of(key) is None and holds_names(container)
            members = self.members_of(container) if is_any else ()
            return self.choice(members, site, ANY_KEY) if members else None
        keys, kept = peel(container).operands[::2], peel(container).operands[1::2]
        if not 0 < len(kept) <= CALLEES_MOST or not self.are_callable(kept):
            return None
        if constant_of(key) is not None:  # which is none of the constants among the keys
            kept = tuple(v for one, v in zip(keys, kept, strict=True) if constant_of(one) is None)
            return self.choice(kept, None, ANY_KEY) if kept else None
        tests = (self.operation("eq", (key, one), None) for one in keys)
        return self.choice(kept, site, ANY_KEY, tuple((Fact(test, True),) for test in tests))

    def _attribute(self, site: object, base: Term, name: str) -> Term:
        """Return the term of `base.name`."""
        raise NotImplementedError

    def can_take(self, callee: Term, arguments: Arguments) -> bool:
        """Whether a call of a visible function or class gives it the arguments it needs."""
        raise NotImplementedError

    def are_callable(self, terms: tuple[Term, ...]) -> bool:
        """Whether something in a collection is known to be callable, and the others may be."""
        return hold_callees(terms, self.is_callable)

    def hold_functions(self, kept: Sequence[Term]) -> bool:
        """Whether what is kept by index or key is callable; a pair may hold a weight, too."""
        if len(kept) == 1 and is_layer_of_torch(peel(kept[0])):
            return True
        rows = [peel(one).operands for one in kept if is_display(one)]
        if not all(any(map(self.is_callable, row)) for row in rows):
            return False
        if any(is_tensor(peel(one)) and not self.is_callable(one) for row in rows for one in row):
            return False
        others = tuple(
            one for one in kept if not is_display(one) and peel(one).operation is not CONSTANT
        )
        return self.are_callable(others) if others else bool(rows)

    def is_callable(self, term: Term) -> bool:
        """Whether a value is known to be callable, or is a visible class or function."""
        inner = peel(term)
        if self.is_called(inner) or self.blueprint_of(inner) is not None:
            return True
        if inner.operation is not QUALIFIED or registry.framework_of(str(inner.detail)) is not None:
            return False
        found = self.imported(str(inner.detail))
        return found is not None and self.is_called(found)

    def is_one_made(self, term: Term) -> bool:
        """Whether a value is one of several callables that a visible function chose from."""
        inner = peel(term)
        is_returned = inner.operation is CHOICE and inner.detail == "return"
        return is_returned and any(inner.facts) and any(map(self.is_callable, inner.operands))

    def call_choice(self, site: object, chosen: Term, arguments: Arguments) -> Term | None:
        """Call what may be one of several values."""
        if chosen.detail == "loop":
            return self._call_carried(site, chosen, arguments)
        if chosen.detail == "exit":
            return None
        if chosen.detail == ELEMENT and not self.are_callable(chosen.operands):
            return None
        callees = chosen.operands
        facts: tuple[tuple[Fact, ...], ...] = ()
        if chosen.detail == ANY_KEY:  # one that does not take the arguments is not meant
            left = [
                place
                for place, one in enumerate(callees)
                if self.can_take(one, arguments) and not is_none(one)
            ]
            callees = tuple(callees[place] for place in left)
            facts = tuple(chosen.facts[place] for place in left) if chosen.facts else ()
        return self._call_any(site, callees, arguments, facts)

    def _call_any(
        self,
        site: object,
        callees: tuple[Term, ...],
        arguments: Arguments,
        facts: tuple[tuple[Fact, ...], ...] = (),
    ) -> Term | None:
        """Call each of several values, and return a choice of their results."""
        callees = tuple(one for one in callees if not is_none(one))  # None is not called
        results = [self.call_one(callee, arguments) for callee in callees]
        if not any(results):
            return None
        options = (
            result or self.opaque("call", (callee, *arguments.everything()), None)
            for result, callee in zip(results, callees, strict=True)
        )
        return self.choice(tuple(options), site, facts=facts)

    def call_one(self, callee: Term, arguments: Arguments) -> Term | None:
        made = self.blueprint_of(callee)
        if made is not None:
            return self.constructed(callee, made, arguments)
        if peel(callee).operation is QUALIFIED or self.is_called(callee):
            return self.call_value(None, callee, arguments, None)
        return None

    def constructed(self, callee: Term, blueprint: Blueprint, arguments: Arguments) -> Term:
        """Return an object of a visible class."""
        result = self.record(None, callee, blueprint, arguments)
        if result is None:
            what = f"call {blueprint.text.name}"
            result = self.opaque(what, (callee, *arguments.everything()), None)
        self.make(result, blueprint, arguments)
        return result

    def _call_carried(self, site: object, carried: Term, arguments: Arguments) -> Term | None:
        """Call what a loop replaces: in the first round, it is the object from before the loop."""
        objects = (one for one in carried.operands if peel(one).key in self.instances)
        first = [self.call_value(None, one, arguments, None) for one in objects]
        results = [result for result in first if result is not None]
        if not results:
            return None
        later = self.opaque("call", (carried, *arguments.everything()), None)
        return self.choice((*results, later), site)


def holds_names(container: Term) -> bool:
    """Whether a container is `module.__dict__`, `vars(module)` or `globals()`."""
    inner = peel(container)
    return inner.detail in ("call builtins.vars", _GLOBALS) or (
        inner.operation is QUALIFIED and inner.detail.endswith(".__dict__")
    )


def is_own_names(container: Term) -> bool:
    """Whether a container is `globals()`, the names of the module that calls it."""
    return bool(peel(container).detail == _GLOBALS)


def is_made(inner: Term) -> bool:
    """Whether a term is the result of an opaque call, as a framework's layer is."""
    return inner.operation is OPAQUE and "call" in str(inner.detail)


def kept_in(inner: Term) -> tuple[Term, ...]:
    """The values in a list or dictionary that is written out, or of a comprehension."""
    if is_dict(inner):
        return inner.operands[1::2]
    return inner.operands if is_display(inner) or inner.operation.name == "collect" else ()


def hold_callees(terms: tuple[Term, ...], is_known: Callable[[Term], bool]) -> bool:
    """Whether something in a collection is known to be callable, and the others may be."""
    others = [term for term in map(peel, terms) if not is_known(term)]
    return len(others) < len(terms) and all(
        term.operation is QUALIFIED or is_made(term) for term in others
    )
