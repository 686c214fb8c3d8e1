"""Calls of one of several values: of what a condition, a key or a loop over a list has chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mllint_nan.flow.closures import Closures
from mllint_nan.flow.containers import ANY_KEY, ELEMENT, is_dict, is_display, is_none, is_text
from mllint_nan.flow.given import Arguments
from mllint_nan.flow.state import Blueprint
from mllint_nan.flow.storage import is_tensor
from mllint_nan.frameworks import registry
from mllint_nan.ir.term import CHOICE, CONSTANT, OPAQUE, QUALIFIED, Term, constant_of, peel

_GLOBALS: Final = "call builtins.globals"
CALLEES_MOST: Final = 16
"""Values among which a key chooses, and which are called one by one."""


class SeveralCallees(Closures):
    """Calls each of the values that a callee may be: the result is one of theirs."""

    __slots__ = ()

    def call_value(
        self, site: object, callee: Term, arguments: Arguments, written_at: object
    ) -> Term | None:
        """The result of calling a value; `None` if it is not understood."""
        raise NotImplementedError

    def blueprint_of(self, callee: Term) -> Blueprint | None:
        """The class that is called, if it is in sight."""
        raise NotImplementedError

    def make(self, made: Term, blueprint: Blueprint, arguments: Arguments) -> None:
        """A term is an object of a class that is in sight."""
        raise NotImplementedError

    def record(
        self, site: object, callee: Term, made: Blueprint | None, arguments: Arguments
    ) -> Term | None:
        """An object of a class that only keeps what it is given, by name."""
        raise NotImplementedError

    def members_of(self, namespace: Term) -> tuple[Term, ...]:
        """The functions and classes of a module of the project, or of what holds its names."""
        raise NotImplementedError

    def named_member(self, site: object, owner: Term, name: Term) -> Term | None:
        """`getattr(owner, name)`: of a module what can be called, if the name is not known."""
        if is_text(name):
            return self._attribute(site, owner, str(constant_of(name)))
        members = self.members_of(owner)
        return self.choice(members, site, ANY_KEY) if members else None

    def kept_at(self, container: Term, key: Term, site: object) -> Term | None:
        """What a dictionary of functions, classes or objects holds, by a key that is not known."""
        if not is_dict(container):
            if is_own_names(container) and is_text(key):
                name = str(constant_of(key))
                return self.state.environment.outermost.own(name) or self.unbound(name)
            is_any = constant_of(key) is None and holds_names(container)
            members = self.members_of(container) if is_any else ()
            return self.choice(members, site, ANY_KEY) if members else None
        if constant_of(key) is not None:
            return None
        kept = peel(container).operands[1::2]
        if not 0 < len(kept) <= CALLEES_MOST or not self.are_callable(kept):
            return None
        return self.choice(kept, site, ANY_KEY)

    def _attribute(self, site: object, base: Term, name: str) -> Term:
        """`base.name`."""
        raise NotImplementedError

    def can_take(self, callee: Term, arguments: Arguments) -> bool:
        """Whether a call of a function or a class in sight gives it what it needs."""
        raise NotImplementedError

    def are_callable(self, terms: tuple[Term, ...]) -> bool:
        """Whether something in a collection is known to be called, and nothing is a tensor."""
        return hold_callees(terms, self.is_callable)

    def hold_functions(self, kept: Sequence[Term]) -> bool:
        """The same of what is kept by index or key: a pair may hold a weight beside a function."""
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
        """Whether a value is known to be called, or is a class or a function in sight."""
        inner = peel(term)
        if self.is_called(inner) or self.blueprint_of(inner) is not None:
            return True
        if inner.operation is not QUALIFIED or registry.framework_of(str(inner.detail)) is not None:
            return False
        found = self.imported(str(inner.detail))
        return found is not None and self.is_called(found)

    def is_one_made(self, term: Term) -> bool:
        """Whether a function in sight makes one of some that are called, by what it is given."""
        inner = peel(term)
        is_returned = inner.operation is CHOICE and inner.detail == "return"
        return is_returned and any(inner.facts) and any(map(self.is_callable, inner.operands))

    def call_choice(self, site: object, chosen: Term, arguments: Arguments) -> Term | None:
        """A call of what may be one of several values."""
        if chosen.detail == "loop":
            return self._call_carried(site, chosen, arguments)
        if chosen.detail == "exit":
            return None
        if chosen.detail == ELEMENT and not self.are_callable(chosen.operands):
            return None
        callees = chosen.operands
        if chosen.detail == ANY_KEY:  # what would not take the arguments is not meant
            callees = tuple(one for one in callees if self.can_take(one, arguments))
        return self._call_any(site, callees, arguments)

    def _call_any(
        self, site: object, callees: tuple[Term, ...], arguments: Arguments
    ) -> Term | None:
        """One of several values is called: what it gives is one of theirs."""
        callees = tuple(one for one in callees if not is_none(one))  # which is not called
        results = [self._call_one(callee, arguments) for callee in callees]
        if not any(results):
            return None
        options = (
            result or self.opaque("call", (callee, *arguments.everything()), None)
            for result, callee in zip(results, callees, strict=True)
        )
        return self.choice(tuple(options), site)

    def _call_one(self, callee: Term, arguments: Arguments) -> Term | None:
        made = self.blueprint_of(callee)
        if made is not None:
            return self.constructed(callee, made, arguments)
        if peel(callee).operation is QUALIFIED or self.is_called(callee):
            return self.call_value(None, callee, arguments, None)
        return None

    def constructed(self, callee: Term, blueprint: Blueprint, arguments: Arguments) -> Term:
        """An object of a class that is in sight."""
        result = self.record(None, callee, blueprint, arguments)
        if result is None:
            what = f"call {blueprint.text.name}"
            result = self.opaque(what, (callee, *arguments.everything()), None)
        self.make(result, blueprint, arguments)
        return result

    def _call_carried(self, site: object, carried: Term, arguments: Arguments) -> Term | None:
        """What a loop replaces is called: at first it is the object that it was before."""
        objects = (one for one in carried.operands if peel(one).key in self.instances)
        first = [self.call_value(None, one, arguments, None) for one in objects]
        results = [result for result in first if result is not None]
        if not results:
            return None
        later = self.opaque("call", (carried, *arguments.everything()), None)
        return self.choice((*results, later), site)


def holds_names(container: Term) -> bool:
    """`module.__dict__`, `vars(module)` or `globals()`."""
    inner = peel(container)
    return inner.detail in ("call builtins.vars", _GLOBALS) or (
        inner.operation is QUALIFIED and inner.detail.endswith(".__dict__")
    )


def is_own_names(container: Term) -> bool:
    """`globals()`: the names of the module that asks."""
    return bool(peel(container).detail == _GLOBALS)


def is_made(inner: Term) -> bool:
    """What a call gives that is not understood, as a layer of a framework."""
    return inner.operation is OPAQUE and "call" in str(inner.detail)


def kept_in(inner: Term) -> tuple[Term, ...]:
    """What a list or a dictionary holds that is written out, or made by a comprehension."""
    if is_dict(inner):
        return inner.operands[1::2]
    return inner.operands if is_display(inner) or inner.operation.name == "collect" else ()


def hold_callees(terms: tuple[Term, ...], is_known: Callable[[Term], bool]) -> bool:
    """Whether some of a collection is known to be called, and the others may be."""
    others = [term for term in map(peel, terms) if not is_known(term)]
    return len(others) < len(terms) and all(
        term.operation is QUALIFIED or is_made(term) for term in others
    )
