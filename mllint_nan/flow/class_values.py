"""Visible objects and classes: their methods, and the attributes that never change."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.applied_models import (
    given_to_apply,
    gives_state,
    is_flax_module,
)
from mllint_nan.flow.arguments import bind_arguments, keeps_function
from mllint_nan.flow.call_expressions import CallEvaluator
from mllint_nan.flow.containers import ANY_KEY, is_chain, is_display, is_super
from mllint_nan.flow.conversions import cast_by_layer, is_layer_of_torch
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.formats import is_made_layer
from mllint_nan.flow.generators import is_generator
from mllint_nan.flow.looked_up import is_looked_up
from mllint_nan.flow.modules import Module
from mllint_nan.flow.scratch_states import Apart
from mllint_nan.flow.several_callees import hold_callees, is_made, kept_in
from mllint_nan.flow.state import (
    Analysis,
    Blueprint,
    Closure,
    Deferred,
    Instance,
    Scope,
    State,
)
from mllint_nan.flow.storage import is_tensor
from mllint_nan.flow.summaries import is_check, is_property, is_simple, makes_own, summary
from mllint_nan.flow.unrecorded import runs_within
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import (
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    LAYER,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Fact,
    Term,
    number_of,
    peel,
    walk,
)

_LINE_LONGEST: Final = 24
"""How many classes, an object's own and its bases, are considered."""
_MAKES_PARAMETERS: Final = ("Parameter", "Variable", "add_weight", "get_variable", "param")
_MAY_BE_KNOWN: Final = (ir.Call, ir.Name, ir.Constant, ir.Unary, ir.Binary)
_BY_SETTINGS: Final = ("branch", "conditional", ANY_KEY)
"""The kinds of choices that are made once for an object, when it is constructed."""


def _trains(module: Module | None) -> bool:
    """Whether the text of another file creates parameters of a model."""
    return module is not None and any(map(module.mentions, _MAKES_PARAMETERS))


def _is_being_made(blueprint: Blueprint) -> bool:
    """Whether the constructor of a class is being evaluated."""
    deferred = blueprint.deferred
    return deferred is not None and deferred.is_begun and deferred.scope.final is None


def _that_speak_of(name: str, line: tuple[Blueprint, ...]) -> list[Blueprint]:
    """The classes whose text may say something about an attribute."""
    return [one for one in line if one.module is None or one.module.mentions(name)]


def _is_unset(term: Term, path: str) -> bool:
    """Whether nothing has been assigned to a path of attributes."""
    return term.operation is INPUT and term.detail == path


def is_arithmetic(term: Term) -> bool:
    """Whether a term is a number, or computed from numbers: `math.log(2.0)`."""
    return all(
        part.operation.kind == "elementwise" or number_of(part) is not None for part in walk(term)
    )


class ClassEvaluator(CallEvaluator):
    """Evaluates objects whose class is visible."""

    __slots__ = ("_altered", "flows_on", "lines", "returned")

    def __init__(self, analysis: Analysis, builder: Builder) -> None:
        super().__init__(analysis, builder)
        self.flows_on = True
        self.returned: list[tuple[Term, tuple[Fact, ...]]] = []
        """The values that the function has returned so far, and the facts there."""
        self.lines: dict[Blueprint, tuple[Blueprint, ...]] = {}
        """By class: the class and its visible bases."""
        self._altered: set[int] = set()
        """The keys of objects whose attributes were set from outside."""

    def apart(self, state: State) -> Apart:
        """A context manager that evaluates in another state and records nothing."""
        return Apart(self, state)

    def closure_of(
        self, function: ir.Function, environment: Environment, scope: Scope, *, simple: bool
    ) -> Closure:
        """A function as a value."""
        given = {parameter.name for parameter in function.parameters}
        return Closure(
            function.name,
            function.parameters,
            runs_within(function) if simple else function.body,
            environment,
            scope,
            self.build.fresh(),
            simple=simple,
            is_check=not simple and not function.decorators and is_check(function),
            is_property=is_property(function),
            written_into=summary(function).written_into if simple else (),
            returns=function.returns,
            computes=summary(function).computes,
            filled=tuple([name for name in summary(function).filled if "." not in name]),
            augmented=tuple([name for name in summary(function).augmented if name in given]),
        )

    def is_seen_through(self, function: ir.Function, environment: Environment) -> bool:
        """Whether calls of a function are inlined, with the decorators that it has."""
        if not function.decorators or is_property(function):
            return is_simple(function)
        if not is_simple(function, is_wrapped=False):
            return False
        with self.apart(State(Environment(environment))):
            decorators = [self.evaluate(one) for one in function.decorators]
        return is_simple(function, is_wrapped=not all(map(keeps_function, decorators)))

    def class_value(self, blueprint: Blueprint) -> Term:
        """A class as a value, under its name."""
        key = self.build.fresh()
        self.blueprints[key] = blueprint
        return self.build.leaf(INPUT, blueprint.text.name, key=key)

    def blueprint_of(self, callee: Term) -> Blueprint | None:
        """The class that is called, if it is visible."""
        inner = callee
        while inner.operation is REFERENCE:
            inner = inner.operands[0]
        if inner.operation is QUALIFIED:
            found = self.imported(inner.detail)
            inner = peel(found) if found is not None else inner
        return self.blueprints.get(inner.key)

    def make(self, made: Term, blueprint: Blueprint, arguments: Arguments) -> None:
        """Record that a term is a new object of a visible class."""
        self.instances[made.key] = Instance(blueprint, arguments.after(made))
        self.analysis.classes[made.key] = blueprint.scope
        constructor = self.method_of(made, ir.FIRST_METHODS[0])
        bound = None
        if constructor is not None and not arguments.others:
            bound = bind_arguments(constructor, arguments.after(made))
        for one in self.line_of(blueprint):
            is_own = constructor is not None and constructor.scope is one.scope
            one.scope.made_with.append(bound if is_own else None)
        bases = (base for one in self.line_of(blueprint) for base in self._bases_of(one))
        self.call_hooks(made, bases, blueprint, arguments)

    def forget_instance(self, term: Term) -> None:
        """Forget the class of an object whose attributes are set from outside."""
        made = self.instances.get(peel(term).key)
        if made is not None:
            self._altered.update(key for key, one in self.instances.items() if one is made)
            kept = {key: one for key, one in self.instances.items() if one is not made}
            self.instances = kept

    def is_of_class(self, receiver: Term) -> bool:
        """Whether the class of an object is visible, or the object is a visible class."""
        return bool(self._line(peel(receiver)))

    def method_of(self, receiver: Term, name: str) -> Closure | None:
        """The method of an object whose class is visible."""
        for blueprint in self._line(peel(receiver)):
            if blueprint.module is None or blueprint.module.mentions(name):
                found = self.known_method(blueprint, name)
                if found is not None:
                    return found
        return None

    def call_instance(self, site: object, instance: Term, arguments: Arguments) -> Term | None:
        for name in ir.CALLED_BY_NAME:
            method = self.method_of(instance, name)
            if method is not None:
                is_layer = name == "call"
                taken = cast_by_layer(self, instance, method, arguments) if is_layer else arguments
                return self.call_own(site, method, taken.after(instance))
        return None

    def apply_module(self, site: object, module: Term, arguments: Arguments) -> Term | None:
        line = self._line(peel(module))
        if not is_flax_module(base for one in line for base in self._bases_of(one)):
            return None
        method, given = arguments.keywords.get("method"), given_to_apply(arguments)
        if method is None:
            result = self.call_instance(site, module, given)
        else:
            inner = peel(method)
            name = inner.detail.name if inner.operation is FUNCTION else str(inner.detail)
            named = self.method_of(module, name.rpartition(".")[2])
            result = self.call_own(site, named, given.after(module)) if named is not None else None
        if result is None or not gives_state(arguments):
            return result
        state = self.opaque("state", (), None)
        return self.build.leaf(SEQUENCE, "tuple", (result, state), site, result.framework)

    def _bases_of(self, blueprint: Blueprint) -> tuple[Term, ...]:
        if blueprint.bases is None:
            blueprint.bases = ()
            with self.apart(State(Environment(blueprint.environment))):
                blueprint.bases = tuple(self.evaluate(base) for base in blueprint.text.bases)
        return blueprint.bases

    def own_method(self, blueprint: Blueprint, function: ir.Function) -> Closure:
        """The closure of a method: the known one, or a new one if a later method replaces it."""
        known = self.known_method(blueprint, function.name)
        if known is not None and known.body is function.body:
            return known
        return self._method(blueprint, function)

    def is_derived(self, blueprint: Blueprint | None, base_name: re.Pattern[str]) -> bool:
        """Whether a class is derived from one of a library, by its qualified name."""
        line = self.line_of(blueprint) if blueprint is not None else ()
        names = (str(peel(base).detail) for one in line for base in self._bases_of(one))
        return any(base_name.search(name) for name in names)

    def known_method(self, blueprint: Blueprint, name: str) -> Closure | None:
        if name not in blueprint.methods:
            function = blueprint.text.method(name)
            method = self._method(blueprint, function) if function is not None else None
            blueprint.methods[name] = method
        return blueprint.methods[name]

    def _method(self, blueprint: Blueprint, function: ir.Function) -> Closure:
        simple = self.is_seen_through(function, blueprint.environment)
        simple = simple and not summary(function).attributes
        method = self.closure_of(function, blueprint.environment, blueprint.scope, simple=simple)
        first = function.parameters[0].name if function.parameters else ""
        method.takes_object = first == "self" and not function.decorators
        method.makes_own = makes_own(function)
        return method

    def attribute_of(self, receiver: Term, name: str) -> Term | None:
        """The stateless value of an attribute of an object whose class is visible."""
        owner = self._owner(receiver, name)
        if owner is None:
            return self.field_given(receiver, name)
        if owner.attributes is None or name not in owner.attributes:
            return (
                self.field_given(receiver, name)
                or self._set_by_class(owner, name)
                or self.registered_in(receiver, name)
            )
        kept = owner.attributes[name]
        found = self.given_to(receiver, owner, kept)
        if found is None or found.key in self._altered:
            return None
        is_kept = self.visiting is not None or name not in owner.scope.changing
        is_kept = is_kept and not (peel(receiver).key in self.filled and is_tensor(peel(found)))
        is_given = found is not kept and is_kept
        return found if is_given or self.is_stateless(found) else None

    def field_given(self, receiver: Term, name: str) -> Term | None:
        """The value of a field of one object of a `dataclass`."""
        raise NotImplementedError

    def registered_in(self, receiver: Term, name: str) -> Term | None:
        """The value of an attribute of a registry that decorators have filled."""
        raise NotImplementedError

    def _set_by_class(self, blueprint: Blueprint, name: str) -> Term | None:
        """The layer, class or number that the body of a class assigns to an attribute."""
        if name not in blueprint.shared:
            value = blueprint.text.value(name)
            found: Term | None = None
            if isinstance(value, _MAY_BE_KNOWN) and name not in blueprint.text.fields:
                with self.apart(State(Environment(blueprint.environment))):
                    made = peel(self.evaluate(value))
                is_kept = made.operation is LAYER or is_chain(made) or made.key in self.blueprints
                found = made if is_kept or is_arithmetic(made) else None
            blueprint.shared[name] = found
        return blueprint.shared[name]

    def is_foreign(self, receiver: Term, name: str) -> bool:
        """Whether the class that sets an attribute is in another file."""
        owner = self._owner(receiver, name)
        return owner is not None and owner.module is not None

    def _owner(self, receiver: Term, name: str) -> Blueprint | None:
        """The first class of an object that sets an attribute."""
        inner = peel(receiver)
        line = self._line(inner)
        if not line:
            return None
        if inner.key in self.blueprints or (inner.operation is INPUT and inner.detail == "cls"):
            return None
        for blueprint in _that_speak_of(name, line):
            if name in blueprint.text.stored:
                is_made = inner.key in self.instances
                is_known = blueprint.attributes is not None or _is_being_made(blueprint)
                if not is_known and blueprint.text.may_keep(name, given=is_made):
                    self.find_attributes(blueprint)
                return blueprint
        return None

    def note_base(self, receiver: Term, name: str) -> None:
        inner = peel(receiver)
        is_object = inner.key in self.instances or inner.key in self.typed
        if is_object:
            heirs = [self._line(inner)[0].scope]
        elif inner.operation is INPUT and inner.detail == "self":
            own, owner = self.blueprint, self.scope.owner
            if own is None or (own.module is None and name in own.text.stored):
                return
            # A method of a base may be evaluated for the class that inherits it.
            heirs = [own.scope] if owner is None or owner is own.scope else [own.scope, owner]
        else:
            return
        setting = self._owner(receiver, name)
        if setting is None:
            return
        if is_object:
            self.analysis.classes[inner.key] = heirs[0]
        for heir in heirs:
            if heir is not setting.scope:
                heir.inherited.setdefault(name, setting.scope)
        if setting.attributes is None and _trains(setting.module):
            self.find_attributes(setting)

    def find_attributes(self, blueprint: Blueprint) -> None:
        """Find the attributes that one method sets once, to a value that never changes."""
        blueprint.attributes = found = {}
        for first in dict.fromkeys((*ir.FIRST_METHODS, *blueprint.text.builders)):
            method = blueprint.text.method(first)
            if method is not None:
                for name, term in self._attributes_set_by(method, blueprint).items():
                    term = self._where_set(name, term, blueprint)
                    if is_layer_of_torch(peel(term)):
                        self.layers.setdefault(blueprint.scope, {})[name] = term
                    is_given = is_looked_up(term, self.analysis.parameters)
                    is_kept = is_given or self.is_stateless(term) or self.is_one_made(term)
                    if is_kept and blueprint.text.may_keep(name, given=True):
                        found[name] = term

    def _where_set(self, name: str, term: Term, blueprint: Blueprint) -> Term:
        """The value of an attribute without the paths of the constructor that leave it unset.

        Those are kept if a class of its line sets the attribute elsewhere.
        """
        inner = peel(term)
        if inner.operation is not CHOICE or inner.detail not in _BY_SETTINGS:
            return term
        places = [
            place for place, one in enumerate(inner.operands) if not _is_unset(one, f"self.{name}")
        ]
        if len(places) == len(inner.operands) or self._is_told_by_class(name, blueprint):
            return term
        options = tuple(inner.operands[place] for place in places)
        return self.choice(options, None, str(inner.detail), tuple(inner.facts[p] for p in places))

    def _is_told_by_class(self, name: str, blueprint: Blueprint) -> bool:
        line = _that_speak_of(name, self.line_of(blueprint))
        return any(
            one.text.value(name) is not None or (one is not blueprint and name in one.text.stored)
            for one in line
        )

    def _attributes_set_by(self, method: ir.Function, blueprint: Blueprint) -> dict[str, Term]:
        """The values of the attributes of `self` at the end of a method."""
        deferred = blueprint.deferred
        if deferred is not None and deferred.closure.body is method.body:
            final = self.after(deferred)
            if final is not None:
                blueprint.constructor = deferred.closure.key
                return final.of_self()
        self.budget -= len(method.body) if blueprint.module is not None else 0
        if self.budget <= 0:
            return {}
        outer, self.blueprint = self.blueprint, blueprint
        try:
            with self.apart(State(Environment(blueprint.environment))):
                self.scope = Scope(method.name, "function", blueprint.scope)
                closure = self.closure_of(method, self.state.environment, self.scope, simple=False)
                if method.name == ir.FIRST_METHODS[0]:
                    blueprint.constructor = closure.key
                self.bind_parameters(closure)
                self.run_body(closure)
                return self.state.environment.of_self()
        finally:
            self.blueprint = outer

    def after(self, deferred: Deferred) -> Environment | None:
        """The definitions at the end of a function, if the code around it has run to its end."""
        raise NotImplementedError

    def bind_parameters(self, closure: Closure) -> None:
        """Bind the parameters of a function that is evaluated on its own."""
        raise NotImplementedError

    def run_body(self, closure: Closure) -> None:
        """Evaluate the body of a function."""
        raise NotImplementedError

    def is_stateless(self, term: Term) -> bool:
        """Whether a value never changes, whoever holds it."""
        inner = peel(term)
        if inner.operation in (CONSTANT, QUALIFIED, LAYER, FUNCTION) or is_chain(inner):
            return True
        if self._is_set_once(inner):
            return any(map(self.is_callable, inner.operands)) and all(
                is_made(peel(one)) or self.is_stateless(one) for one in inner.operands
            )
        if is_arithmetic(inner) or is_generator(inner):
            return True
        if inner.key in self.instances or inner.key in self.blueprints:
            return True
        if inner.key in self.wrapped or is_made_layer(inner):
            return True
        if inner.key in self.models or (inner.operation is INPUT and bool(inner.operands)):
            return True
        return self.hold_functions(kept_in(inner))

    def _is_set_once(self, inner: Term) -> bool:
        """Whether a setting chooses: what a function returns, if all of these are objects."""
        if inner.operation is not CHOICE:
            return False
        if inner.detail == "return":
            return bool(self.elsewhere) or all(map(self.is_object, inner.operands))
        return inner.detail in _BY_SETTINGS

    def is_list_of_layers(self, term: Term) -> bool:
        """Whether a list is written out that holds known callables."""
        return is_display(term) and hold_callees(peel(term).operands, self.is_called)

    def is_called(self, term: Term) -> bool:
        inner = peel(term)
        operation = inner.operation
        if operation is LAYER or operation is FUNCTION:
            return True
        if self._is_set_once(inner):
            return any(map(self.is_called, inner.operands))
        if operation is CHOICE and inner.detail == "loop":
            return any(peel(one).key in self.instances for one in inner.operands)
        if self.is_object(inner):
            return True
        return operation is SEQUENCE and is_chain(inner)

    def _line(self, receiver: Term) -> tuple[Blueprint, ...]:
        """The class of an object and its bases, first to last."""
        operation = receiver.operation
        typed = self.typed.get(receiver.key)
        if typed is not None:
            return self.line_of(typed)
        if operation is OPAQUE and is_super(receiver) and self.blueprint is not None:
            line = self.line_of(self.blueprint)
            own = [place for place, one in enumerate(line) if one.scope is self.scope.owner]
            return line[own[0] + 1 :] if own else ()
        if receiver.key in self.instances:
            return self.line_of(self.instances[receiver.key].blueprint)
        if operation is INPUT:
            named = self.blueprints.get(receiver.key)
        elif operation is QUALIFIED:
            named = self.blueprint_of(receiver)
        else:
            return ()
        if named is not None:
            return self.line_of(named)
        is_own = operation is INPUT and receiver.detail in ("self", "cls")
        return self.line_of(self.blueprint) if is_own and self.blueprint is not None else ()

    def line_of(self, blueprint: Blueprint) -> tuple[Blueprint, ...]:
        """The class and its bases."""
        known = self.lines.get(blueprint)
        if known is None:
            self.lines[blueprint] = (blueprint,)  # ends the recursion at a circle of bases
            bases = map(self.blueprint_of, self._bases_of(blueprint))
            lines = [self.line_of(base) for base in bases if base is not None]
            found = dict.fromkeys(one for line in lines for one in line)
            found.pop(blueprint, None)
            known = (blueprint, *tuple(found)[: _LINE_LONGEST - 1])
            self.lines[blueprint] = known
        return known

    def given_to(self, receiver: Term, blueprint: Blueprint, value: Term) -> Term | None:
        """The value of an attribute of one object: the constructor's argument for a parameter."""
        raise NotImplementedError
