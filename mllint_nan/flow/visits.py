"""Methods evaluated once more: with what other methods leave, or as subclasses run them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from typing import Final

from mllint_nan.flow.branches import Branches
from mllint_nan.flow.counts import counts_pairs
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.modules import Project
from mllint_nan.flow.overriding import is_abstract
from mllint_nan.flow.queries import attributes_read, length_of
from mllint_nan.flow.state import (
    Analysis,
    Binding,
    Blueprint,
    CallInSight,
    Closure,
    Deferred,
    Scope,
)
from mllint_nan.flow.telling import COMPUTED, SINGULAR, TELLING
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import CONSTANT, INPUT, Term, held, number_of, peel, walk

_LEFT_MOST: Final = 4
"""How many values of an attribute are told apart."""
_PARTS_MOST: Final = 24
"""Of an operation, in which a parameter with a default is looked for."""


class Visits(Branches):
    """Evaluates methods again where the class as a whole, or another one, knows more of them."""

    __slots__ = ("by_defaults", "evaluated_methods")

    def __init__(self, analysis: Analysis, build: Builder, project: Project | None = None) -> None:
        super().__init__(analysis, build, project)
        self.evaluated_methods: dict[Scope, list[tuple[Deferred, Blueprint]]] = {}
        """By class: the methods that have been evaluated in their own right."""
        self.by_defaults: list[tuple[Deferred, Blueprint | None]] = []
        """The functions in which something singular depends on a default."""

    def note_defaults(self, deferred: Deferred, blueprint: Blueprint | None, since: int) -> None:
        """A function has been evaluated, and these occurrences have been noted since it began."""
        closure = deferred.closure
        has_defaults = any(one.default is not None for one in closure.parameters)
        if self.home is None and has_defaults and closure.name != ir.FIRST_METHODS[0]:
            noted = [one.term for one in self.analysis.occurrences[since:]]
            if any(one.operation.bit & SINGULAR and _has_default(one) for one in noted):
                self.by_defaults.append((deferred, blueprint))

    def visit_by_defaults(self) -> None:
        """Evaluate functions as calls that give nothing but what has to be given.

        Unless all calls in the file give something else.
        """
        for deferred, blueprint in self.by_defaults:
            closure = deferred.closure
            calls = self.analysis.bindings.get(closure.key, ())
            if calls and not any(_leaves_default(closure, one) for one in calls):
                continue
            seen = CallInSight(None, closure.scope, is_by_defaults=True)
            self.depth += 1
            self._visit_method(deferred, blueprint, {}, seen)
            self.depth -= 1

    def visit_by_attributes(self) -> None:
        """Evaluate methods with what other methods leave in the attributes that they read."""
        for owner, methods in self.evaluated_methods.items():
            stored = self._left_in(owner)
            for deferred, blueprint in methods if stored else ():
                body = deferred.closure.body
                read = attributes_read(body) if isinstance(body, tuple) else set()
                names = [one for one in stored if one in read and one not in deferred.scope.stores]
                if names:
                    self._visit_method(deferred, blueprint, {one: stored[one] for one in names})

    def visit_by_overriding(self) -> None:
        """Evaluate methods with those that subclasses of the file have in place of others."""
        blueprints = [methods[0][1] for methods in self.evaluated_methods.values()]
        for blueprint in blueprints:
            for base in self.line_of(blueprint)[1:]:
                self._visit_as(blueprint, base.scope, "")

    def _visit_as(self, blueprint: Blueprint, base: Scope, file: str) -> None:
        """Evaluate the methods of a base as an object of a subclass runs them."""
        for deferred, _ in self.evaluated_methods.get(base, ()):
            closure = deferred.closure
            body = closure.body
            if not isinstance(body, tuple) or blueprint.text.method(closure.name):
                continue
            if any(map(blueprint.text.method, attributes_read(body))):
                seen = CallInSight(None, blueprint.scope, file, (closure.name,))
                self._visit_method(deferred, blueprint, {}, seen)

    def classes_leaving_methods(self) -> set[str]:
        """The classes of the module that name methods which subclasses are to have."""
        return {
            owner.name
            for owner, methods in self.evaluated_methods.items()
            if any(is_abstract(owner, deferred.closure.name) for deferred, _ in methods)
        }

    def visit_as(self, path: str, file: str) -> None:
        """Evaluate methods of the module as an object of a class in another file runs them."""
        made = self.imported(path)
        blueprint = self.blueprint_of(made) if made is not None else None
        if blueprint is None:
            return
        own = {owner.name: owner for owner in self.evaluated_methods}
        for base in self.line_of(blueprint)[1:]:
            if base.text.name in own and self._is_seen_from_outside(base):
                self._visit_as(blueprint, own[base.text.name], file)

    def _is_seen_from_outside(self, blueprint: Blueprint) -> bool:
        """Whether it is a class of this file, as the modules that import it see it."""
        file = self.project.file if self.project is not None else ""
        module = blueprint.module
        return (
            module is not None
            and bool(file)
            and os.path.abspath(module.file) == os.path.abspath(file)
        )

    def _left_in(self, owner: Scope) -> dict[str, Term]:
        """Attributes in which methods of a class leave nothing but what has a range, or counts."""
        found: dict[str, Term] = {}
        setting = [(name, owner) for name in owner.attributes]
        setting += [(name, one) for name, one in owner.inherited.items() if name in one.attributes]
        for name, scope in setting:
            terms = scope.attributes.get(name, ())
            computed = [term for term in terms if peel(term).operation is not CONSTANT]
            left = self.choice(tuple(computed[:_LEFT_MOST])) if computed else None
            if left is not None and (
                all(self._tells_of(one, is_first=name not in scope.changing) for one in computed)
                or counts_pairs(left, self.analysis)
            ):
                found[name] = left
        return found

    def _visit_method(
        self,
        deferred: Deferred,
        blueprint: Blueprint | None,
        stored: Mapping[str, Term],
        seen: CallInSight | None = None,
    ) -> None:
        closure, outer = deferred.closure, self.blueprint
        if self._visits_left <= 0:
            return
        self._visits_left -= length_of(closure.body)
        around = Environment(self.surroundings(closure))
        self.blueprint = blueprint
        self.visiting = seen or CallInSight(None, closure.scope)
        with self.apart(deferred.state.where(around)):
            self.scope = deferred.scope
            self.bind_parameters(closure)
            for parameter in closure.parameters if self.visiting.is_by_defaults else ():
                self._bind_default(parameter)
            for name, term in stored.items():
                self.bind(f"self.{name}", held(term))
            self.run_body(closure)
        self.blueprint, self.visiting = outer, None

    def _bind_default(self, parameter: ir.Parameter) -> None:
        """A parameter whose default is known is that, and nothing else."""
        known = self.state.environment.own(parameter.name)
        default = peel(known).operands if known is not None else ()
        if default and not parameter.star:
            self.bind(parameter.name, default[0])

    def surroundings(self, closure: Closure) -> Environment:
        """What a body sees of its surroundings when it is called from where they are known."""
        around = scope_seen_by(closure)
        if around.kind == "module" and around.final is not None:
            return around.final
        if around is self.scope:  # its names are looked up when it is called
            return self.state.environment
        return closure.environment

    def _tells_of(self, value: Term, *, is_first: bool) -> bool:
        """Whether something is told of what a method leaves, or the constructor alone."""
        if is_first:  # layers and settings are known to all methods as they are
            return bool(peel(value).inside & COMPUTED) and not self.is_stateless(value)
        return bool(peel(value).inside & TELLING)


def _leaves_default(closure: Closure, call: Binding) -> bool:
    """Whether a call gives less than it could of what is a number by default."""
    return any(
        one.name not in call.arguments
        for one in closure.parameters
        if one.default is not None and not one.star
    )


def _has_default(term: Term) -> bool:
    """Whether a parameter goes into an operation that is a number by default."""
    return any(
        part.operation is INPUT and part.operands and number_of(part.operands[0]) is not None
        for part in islice(walk(term), _PARTS_MOST)
    )


def scope_seen_by(closure: Closure) -> Scope:
    """What a body sees the names of: methods do not see those of their class."""
    scope = closure.scope
    while scope.kind == "class" and scope.parent is not None:
        scope = scope.parent
    return scope
