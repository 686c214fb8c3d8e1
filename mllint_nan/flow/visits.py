"""Methods evaluated once more: with what other methods store, or as subclasses run them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.branches import Branches
from mllint_nan.flow.conditions import decided
from mllint_nan.flow.counts import counts_pairs
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.modules import Project
from mllint_nan.flow.operation_bits import COMPUTED, SINGULAR, TELLING
from mllint_nan.flow.overriding import is_abstract
from mllint_nan.flow.queries import attributes_read, length_of, names_within
from mllint_nan.flow.singular_parts import NO_PARTS, parts_of_singular
from mllint_nan.flow.state import (
    Analysis,
    Binding,
    Blueprint,
    CallInSight,
    Closure,
    Deferred,
    Scope,
    State,
)
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import CHOICE, CONSTANT, INPUT, Term, held, number_of, peel, walk

_LEFT_MOST: Final = 4
"""How many values of an attribute are distinguished."""
_PARTS_MOST: Final = 24
"""How many terms of an operation are searched for a parameter with a default."""


class Visits(Branches):
    """Evaluates methods again where the class as a whole, or a subclass, shows more about them."""

    __slots__ = (
        "by_defaults",
        "evaluated_methods",
        "judged",
        "made_here",
        "nested",
        "reading_set",
        "undecided",
    )

    def __init__(self, analysis: Analysis, build: Builder, project: Project | None = None) -> None:
        super().__init__(analysis, build, project)
        self.evaluated_methods: dict[Scope, list[tuple[Deferred, Blueprint]]] = {}
        """By class: the methods that have been evaluated in their own right."""
        self.judged: Mapping[Scope, list[tuple[Deferred, Blueprint]]] = self.evaluated_methods
        """Those of the analysed file, which may be another one."""
        self.by_defaults: list[tuple[Deferred, Blueprint | None]] = []
        """The functions in which something singular depends on a default."""
        self.undecided: set[Scope] = set()
        """The functions in which the default of a parameter decides a condition."""
        self.reading_set: list[tuple[Deferred, Blueprint | None]] = []
        """The functions that read what other code sets."""
        self.nested: list[Closure] = []
        """The functions that the body of the call being visited has defined so far."""
        self.made_here: list[tuple[Term, Blueprint, Arguments, Scope]] = []
        """The objects that the file makes, with the constructor's arguments."""

    def visit_again(self) -> None:
        """Evaluate functions once more for whatever tells more about what they read."""
        if self.home is None:
            self.visit_by_attributes()
            self.visit_by_settings()
            self.visit_by_overriding()
            self.visit_by_defaults()
        self.visit_made()

    def note_visit(self, deferred: Deferred, since: int) -> None:
        """Record a function that has been evaluated if it may have to be once more."""
        self._note_defaults(deferred, deferred.blueprint, since)
        self.note_read(deferred.scope, deferred.closure.body)
        if deferred.scope in self.set_to or deferred.scope in self.unanswered:
            self.reading_set.append((deferred, deferred.blueprint))

    def _note_defaults(self, deferred: Deferred, blueprint: Blueprint | None, since: int) -> None:
        """Record a function if an occurrence noted since it began depends on a default."""
        closure = deferred.closure
        is_undecided = deferred.scope in self.undecided
        has_defaults = is_undecided or any(one.default is not None for one in closure.parameters)
        if self.home is None and has_defaults and closure.name != ir.FIRST_METHODS[0]:
            noted = [one.term for one in self.analysis.occurrences[since:]]
            depends = _is_decided if is_undecided else _has_default
            if any(one.operation.bit & SINGULAR and depends(one) for one in noted):
                self.by_defaults.append((deferred, blueprint))

    def decided(self, test: Term) -> Truth:
        """Whether a condition holds; for a visit by defaults, if constructors use theirs too."""
        found = super().decided(test)
        if found is not Truth.UNKNOWN:
            return found
        if self.visiting is not None:
            if self.visiting.is_by_defaults:
                found = decided(test, self._left_at_default)
            if found is not Truth.UNKNOWN:  # unless constructors are given something else
                self.assume(test, found is Truth.YES)
            return found
        is_asked = self.recording and not self.depth and self.scope not in self.undecided
        if is_asked and decided(test, self._left_at_default) is not Truth.UNKNOWN:
            self.undecided.add(self.scope)
        return found

    def _left_at_default(self, term: Term) -> Term:
        """The default of a parameter that not all visible calls give a value; else the term."""
        inner = peel(term)
        if inner.operation is not INPUT or not inner.operands:
            return inner
        function, name = self.analysis.parameters.get(inner.key, (0, ""))
        calls = self.analysis.bindings.get(function, ())
        is_given = bool(calls) and all(name in one.arguments for one in calls)
        return inner if is_given else peel(inner.operands[0])

    def visit_by_defaults(self) -> None:
        """Evaluate functions as calls that give only the required arguments.

        A function whose calls in the file all give every default a value is left out.
        """
        for deferred, blueprint in self.by_defaults:
            closure = deferred.closure
            calls = self.analysis.bindings.get(closure.key, ())
            if calls and not any(_leaves_default(closure, one) for one in calls):
                continue
            seen = CallInSight(None, closure.scope, is_by_defaults=True)
            self._visit_method(deferred, blueprint, {}, seen)

    def visit_by_attributes(self) -> None:
        """Evaluate methods with what other methods store in the attributes that they read."""
        for owner, methods in self.evaluated_methods.items():
            stored = self._left_in(owner)
            for deferred, blueprint in methods if stored else ():
                body = deferred.closure.body
                read = attributes_read(body) if isinstance(body, tuple) else set()
                names = [one for one in stored if one in read and one not in deferred.scope.stores]
                if names:
                    self._visit_method(deferred, blueprint, {one: stored[one] for one in names})

    def visit_by_settings(self) -> None:
        """Evaluate functions with the numbers that other code sets what they read to."""
        parts = parts_of_singular(self.analysis) if self.unanswered else NO_PARTS
        for deferred, blueprint in self.reading_set:
            self.answer(deferred.scope, parts)
            for path, numbers in self.set_to.get(deferred.scope, {}).items():
                field = self.by_field.get((deferred.scope, path))
                if field is not None and not self.is_left_at_zero(*field):
                    numbers = tuple(one for one in numbers if one != 0)
                for number in numbers[:_LEFT_MOST]:
                    self.forced = {path: self.build.constant(number)}
                    self.forced_in = deferred.scope
                    setting = f"{path} = {number}"
                    seen = CallInSight(None, deferred.closure.scope, setting=setting)
                    self._visit_method(deferred, blueprint, {}, seen)
        self.forced, self.forced_in = {}, None

    def make(self, made: Term, blueprint: Blueprint, arguments: Arguments) -> None:
        super().make(made, blueprint, arguments)
        if self.recording:
            self.made_here.append((made, blueprint, arguments, self.scope))

    def visit_made(self) -> None:
        """Evaluate methods of the objects that the file makes, as if any of them were called.

        Only those that read what the constructor was given.
        """
        for made, blueprint, arguments, scope in self.made_here:
            given = {peel(one).key for one in arguments.everything() if self.is_telling(one)}
            for one in self.line_of(blueprint) if given else ():
                for deferred, _ in self.judged.get(one.scope, ()):
                    body = deferred.closure.body
                    if isinstance(body, tuple) and self._reads(made, body, given):
                        self._call_made(made, deferred.closure.name, scope)

    def _reads(self, made: Term, body: ir.Block, given: set[int]) -> bool:
        """Whether a body reads an attribute of an object that has one of the given values."""
        with self.apart(self.state):
            values = (self.attribute_of(made, name) for name in attributes_read(body))
            return any(one is not None and peel(one).key in given for one in values)

    def _call_made(self, made: Term, name: str, scope: Scope) -> None:
        """Evaluate a method of an object, given only what it requires."""
        method = self.method_of(made, name) if name != ir.FIRST_METHODS[0] else None
        if method is None or self._visits_left <= 0:
            return
        self._visits_left -= length_of(method.body)
        unknown = {
            one.name: self.build.leaf(INPUT, one.name, key=self.build.fresh())
            for one in method.parameters[1:]
            if one.default is None and not one.star
        }
        self.visiting = CallInSight(made.site, scope, self.elsewhere, (name,))
        self.apply_closure(method, Arguments((made,), unknown))
        self.visiting = None

    def visit_by_overriding(self) -> None:
        """Evaluate methods with those by which subclasses of the file override others."""
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
        """The classes of the module that leave methods to their subclasses."""
        return {
            owner.name
            for owner, methods in self.evaluated_methods.items()
            if any(is_abstract(owner, deferred.closure.name) for deferred, _ in methods)
        }

    def visit_as(self, path: str, file: str) -> None:
        """Evaluate methods of the module as an object of a subclass in another file runs them."""
        made = self.imported(path)
        blueprint = self.blueprint_of(made) if made is not None else None
        if blueprint is None:
            return
        own = {owner.name: owner for owner in self.evaluated_methods}
        for base in self.line_of(blueprint)[1:]:
            if base.text.name in own and self._is_seen_from_outside(base):
                self._visit_as(blueprint, own[base.text.name], file)

    def _is_seen_from_outside(self, blueprint: Blueprint) -> bool:
        """Whether a class is one of this file, as seen by the modules that import it."""
        file = self.project.file if self.project is not None else ""
        module = blueprint.module
        return (
            module is not None
            and bool(file)
            and os.path.abspath(module.file) == os.path.abspath(file)
        )

    def _left_in(self, owner: Scope) -> dict[str, Term]:
        """Return the attributes in which methods store only values of known range, or counts."""
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
            for path, term in self.forced.items():
                if "." not in path:
                    self.bind(path, held(term))
            for parameter in closure.parameters if self.visiting.is_by_defaults else ():
                self._bind_default(parameter)
            for name, term in stored.items():
                self.bind(f"self.{name}", held(term))
            self.run_body(closure)
        self.blueprint, self.visiting = outer, None

    def run_with_nested(self, closure: Closure) -> None:
        """Evaluate the body of a function that is called, and what it defines for others to call.

        A function that is returned, as `make_step(model)` returns `step`, knows the model too.
        """
        outside, self.nested = self.nested, []
        self.run_body(closure)
        for inner in self.nested:
            if isinstance(inner.body, tuple) and self._names_callable(closure, inner.body):
                self._visit_nested(inner)
        self.nested = outside

    def _names_callable(self, closure: Closure, body: ir.Block) -> bool:
        """Whether a body names a parameter of a function that holds something callable."""
        named, bound = names_within(body), self.state.environment
        values = (bound.own(one.name) for one in closure.parameters if one.name in named)
        return any(value is not None and self.is_callable(value) for value in values)

    def _visit_nested(self, closure: Closure) -> None:
        if self._visits_left <= 0:
            return
        self._visits_left -= length_of(closure.body)
        around = Environment(self.surroundings(closure))
        with self.apart(State(around, self.state.facts, self.state.contexts)):
            self.scope = Scope(closure.name, "function", closure.scope)
            for one in closure.parameters:
                key = self.build.fresh()
                self.bind(one.name, self.build.leaf(INPUT, one.name, key=key))
            self.run_with_nested(closure)

    def _bind_default(self, parameter: ir.Parameter) -> None:
        """Bind a parameter to its default, if that is known."""
        known = self.state.environment.own(parameter.name)
        default = peel(known).operands if known is not None else ()
        if default and not parameter.star:
            self.bind(parameter.name, default[0])

    def surroundings(self, closure: Closure) -> Environment:
        """Return the environment around a body when it is called, as late a one as is known."""
        around = scope_seen_by(closure)
        if around.kind == "module" and around.final is not None:
            return around.final
        if around is self.scope:  # its names are looked up when it is called
            return self.state.environment
        return closure.environment

    def _tells_of(self, value: Term, *, is_first: bool) -> bool:
        """Whether a stored value tells something; `is_first`: only the constructor stores it."""
        if is_first:  # layers and settings are known to all methods as they are
            return bool(peel(value).inside & COMPUTED) and not self.is_stateless(value)
        return bool(peel(value).inside & TELLING)


def _leaves_default(closure: Closure, call: Binding) -> bool:
    """Whether a call leaves some parameter at its default."""
    return any(
        one.name not in call.arguments
        for one in closure.parameters
        if one.default is not None and not one.star
    )


def _has_default(term: Term) -> bool:
    """Whether a parameter with a numeric default goes into an operation."""
    return any(
        part.operation is INPUT and part.operands and number_of(part.operands[0]) is not None
        for part in islice(walk(term), _PARTS_MOST)
    )


def _is_decided(term: Term) -> bool:
    """Whether what goes into an operation depends on the path, or on a numeric default."""
    is_choice = any(part.operation is CHOICE for part in islice(walk(term), _PARTS_MOST))
    return is_choice or _has_default(term)


def scope_seen_by(closure: Closure) -> Scope:
    """The scope whose names a body sees: methods do not see those of their class."""
    scope = closure.scope
    while scope.kind == "class" and scope.parent is not None:
        scope = scope.parent
    return scope
