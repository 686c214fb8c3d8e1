"""Names and the definitions that reach them: the immutable environment of a scope.

The reaching definitions of Aho, Lam, Sethi and Ullman, "Compilers" (2nd ed.), section 9.2, as a
persistent map.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mllint_nan.flow.storage import may_share, roots_within
from mllint_nan.ir.term import QUALIFIED, Term

_DELTA_LARGEST = 48


class _Bindings(dict[str, Term]):
    """Bindings that do not change any more."""

    def __init__(self, terms: Mapping[str, Term]) -> None:
        super().__init__(terms)
        self._names: dict[int, list[tuple[str, Term]]] | None = None
        self._modules: tuple[str, ...] | None = None

    @property
    def modules(self) -> tuple[str, ...]:
        """The names of modules and of their members."""
        if self._modules is None:
            found = [name for name, term in self.items() if term.operation is QUALIFIED]
            self._modules = tuple(found)
        return self._modules

    def having(self, root: int) -> Sequence[tuple[str, Term]]:
        """The names, and their terms, that share elements with the value of this key."""
        if self._names is None:
            self._names = {}
            for name, term in self.items():
                for key in roots_within(term):
                    self._names.setdefault(key, []).append((name, term))
        return self._names.get(root, ())


_NO_BINDINGS: Final = _Bindings({})


class Environment:
    """Names and the terms that reach them; `bind` returns a new one that shares the old data.

    Recent bindings live in a small dictionary above a large frozen one, so that a binding costs
    the same in a script of a thousand names as in a function of ten.
    """

    __slots__ = ("_base", "_delta", "_is_computed", "_parent")

    def __init__(
        self,
        parent: Environment | None = None,
        base: _Bindings = _NO_BINDINGS,
        delta: dict[str, Term] | None = None,
    ) -> None:
        self._is_computed = False
        """Whether `own` finds names beyond those that were bound."""
        self._parent = parent
        self._base = base
        self._delta = delta if delta is not None else {}

    def lookup(self, name: str) -> Term | None:
        """The definition that reaches `name` here, or in an enclosing scope."""
        scope: Environment | None = self
        while scope is not None:
            # Called a million times for a package, so no further call for the bound names.
            if name in scope._delta:
                return scope._delta[name]
            if name in scope._base:
                return scope._base[name]
            if scope._is_computed:
                found = scope.own(name)
                if found is not None:
                    return found
            scope = scope._parent
        return None

    def own(self, name: str) -> Term | None:
        if name in self._delta:
            return self._delta[name]
        return self._base.get(name)

    def bind(self, name: str, term: Term) -> Environment:
        delta = self._delta.copy()  # `{**delta, name: term}` takes twice as long
        delta[name] = term
        if len(delta) <= _DELTA_LARGEST:
            return Environment(self._parent, self._base, delta)
        return Environment(self._parent, _Bindings({**self._base, **delta}))

    def changed_since(self, other: Environment) -> list[str]:
        """Names bound differently here than in `other`, an earlier state of this scope."""
        mine, others, base = self._delta, other._delta, self._base
        if mine is others and base is other._base:
            return []
        if base is not other._base:
            names = {**base, **mine, **other._base, **others}
            return [name for name in names if self.own(name) is not other.own(name)]
        changed = []
        for name in mine:
            if name not in others or mine[name] is not others[name]:
                before = others[name] if name in others else base.get(name)
                if mine[name] is not before:
                    changed.append(name)
        for name in others:
            if name not in mine and others[name] is not base.get(name):
                changed.append(name)
        return changed

    def sharing(self, written: frozenset[int]) -> list[tuple[str, Term]]:
        """The names of this scope, and their terms, that share elements with the `written` values.

        A container shares the elements of what it holds.
        """
        if not written:
            return []
        base, delta = self._base, self._delta
        known = [one for root in written for one in base.having(root) if one[0] not in delta]
        known += [one for one in delta.items() if may_share(one[1], written)]
        return known

    def modules(self) -> Iterator[tuple[str, str]]:
        """The visible names of modules and their members with their paths, inner scopes first."""
        scope: Environment | None = self
        while scope is not None:
            for name in dict.fromkeys((*scope._base.modules, *scope._delta)):
                term = scope.own(name)
                if term is not None and term.operation is QUALIFIED and self.lookup(name) is term:
                    yield name, str(term.detail)
            scope = scope._parent

    def names(self) -> Iterator[tuple[str, Term]]:
        """All visible names, inner scopes first."""
        seen: set[str] = set()
        scope: Environment | None = self
        while scope is not None:
            for name, term in {**scope._base, **scope._delta}.items():
                if name not in seen:
                    seen.add(name)
                    yield name, term
            scope = scope._parent

    @property
    def outermost(self) -> Environment:
        """The environment of the module."""
        scope = self
        while scope._parent is not None:
            scope = scope._parent
        return scope

    def of_self(self) -> dict[str, Term]:
        """The attributes of `self` that this scope binds, with their values."""
        return {
            name.removeprefix("self."): term
            for name, term in {**self._base, **self._delta}.items()
            if name.startswith("self.") and name.count(".") == 1
        }
