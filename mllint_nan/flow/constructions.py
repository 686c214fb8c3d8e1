"""The arguments of constructors: those of calls, and those passed on to base classes."""

from __future__ import annotations

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.applied_models import OF_STATE, transformed
from mllint_nan.flow.arguments import bind_arguments
from mllint_nan.flow.base_arguments import given_to_base
from mllint_nan.flow.conditions import decided
from mllint_nan.flow.containers import RECORD, is_text, pairs, part_of
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.looked_up import GETS, lookups
from mllint_nan.flow.records import Records
from mllint_nan.flow.state import Blueprint, Closure
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import statements
from mllint_nan.ir.program import FIRST_METHODS
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    Fact,
    Term,
    peel,
    qualified,
)


class Constructions(Records):
    """Evaluates what the objects of visible classes are constructed with."""

    __slots__ = ()

    def can_take(self, callee: Term, arguments: Arguments) -> bool:
        blueprint, inner = self.blueprint_of(callee), qualified(callee)
        closure: Closure | None = inner.detail if inner.operation is FUNCTION else None
        if blueprint is not None:
            closure, arguments = self._constructor_of(blueprint), arguments.after(callee)
        elif inner.operation is QUALIFIED:
            found = self.imported(str(inner.detail))
            known = peel(found) if found is not None else inner
            closure = known.detail if known.operation is FUNCTION else None
        if closure is None or not closure.body:  # nothing is known of a body that is not read
            return True
        if closure.given is not None:
            arguments = arguments.behind(closure.given)
        bound = bind_arguments(closure, arguments)
        return bound is not None and (
            bool(arguments.others)
            or all(
                one.star or one.name in bound or one.default is not None
                for one in closure.parameters
            )
        )

    def _constructor_of(self, blueprint: Blueprint) -> Closure | None:
        methods = (self.known_method(one, FIRST_METHODS[0]) for one in self.line_of(blueprint))
        return next((one for one in methods if one is not None), None)

    def class_of(self, receiver: Term) -> Term:
        """The class of an object, as its class methods receive it."""
        made = self.instances.get(peel(receiver).key)
        if made is not None:
            return self.class_value(made.blueprint)
        return self.build.leaf(INPUT, "cls", key=self.build.fresh())

    def given_to(self, receiver: Term, blueprint: Blueprint, value: Term) -> Term | None:
        """The value of an attribute of one object: the constructor's argument for a parameter.

        Of a choice, the option that the constructor takes with the arguments of this object.
        """
        made = self.instances.get(peel(receiver).key)
        if made is None:
            return value
        inner = peel(value)
        if inner.operation is CHOICE and any(inner.facts):
            chosen = self._chosen_by(receiver, blueprint, inner)
            return value if chosen is inner else self.given_to(receiver, blueprint, chosen)
        function, name = self.analysis.parameters.get(inner.key, (0, ""))
        if not function and lookups(inner):
            return self._looked_up(receiver, blueprint, inner) or value
        if not function or function != blueprint.constructor:
            return value
        constructor = self.method_of(receiver, FIRST_METHODS[0])
        if constructor is None:
            return value
        given = bind_arguments(constructor, made.given)
        if constructor.scope is blueprint.scope:
            if given is None or name in given or made.given.others or self.visiting is None:
                return given.get(name, value) if given is not None else None
            return next(iter(peel(value).operands), value)  # the default, without an argument
        handed = given_to_base(self, made.blueprint, constructor.scope, given, blueprint)
        return handed.get(name, value) if handed is not None else value

    def _looked_up(self, receiver: Term, blueprint: Blueprint, lookup: Term) -> Term | None:
        """What a lookup finds with the arguments of one object; `None` if they do not tell."""
        (asked,) = lookups(lookup)
        given = self.given_to(receiver, blueprint, asked)
        if given is None or given is asked:
            return None
        if lookup.operation is ATTRIBUTE:
            return self._attribute(None, given, str(lookup.detail))
        if lookup.operation is OPAQUE and lookup.detail == GETS:
            return self.named_member(None, lookup.operands[1], given) if is_text(given) else None
        if lookup.operation is OPAQUE:
            return self.call_value(None, given, Arguments((), {}), None)
        return part_of(peel(lookup.operands[0]), given)

    def attribute_of(self, receiver: Term, name: str) -> Term | None:
        """The stateless value of an attribute, or in a visit a number set by its class's body."""
        found = super().attribute_of(receiver, name)
        is_made = self.visiting is not None and peel(receiver).key in self.instances
        owner = self._owner(receiver, name) if found is None and is_made else None
        value = owner.text.value(name) if owner is not None else None
        if not isinstance(value, ir.Constant) or type(value.value) not in (int, float):
            return found
        return self.build.constant(value.value)

    def _chosen_by(self, receiver: Term, blueprint: Blueprint, choice: Term) -> Term:
        """The only option of a choice that the constructor's arguments leave, else the choice.

        A parameter without an argument has its default.
        """
        made = self.instances[peel(receiver).key]
        constructor = self.method_of(receiver, FIRST_METHODS[0])
        is_own = constructor is not None and constructor.scope is blueprint.scope
        takes_defaults = is_own and not made.given.others

        def known(term: Term) -> Term:
            inner = peel(term)
            function, _ = self.analysis.parameters.get(inner.key, (0, ""))
            if not function or function != blueprint.constructor:
                return inner
            given = peel(self.given_to(receiver, blueprint, inner) or inner)
            is_left_out = given is inner and takes_defaults and bool(inner.operands)
            return peel(inner.operands[0]) if is_left_out else given

        left = [
            option
            for option, facts in zip(choice.operands, choice.facts, strict=True)
            if not any(_is_excluded(fact, decided(fact.test, known)) for fact in facts)
        ]
        return left[0] if len(left) == 1 else choice

    def call_own(self, site: object, method: Closure, arguments: Arguments) -> Term | None:
        heir, scope = self.blueprint, self.scope
        is_first = method.name == FIRST_METHODS[0] == scope.name
        if is_first and heir is not None and scope.owner is heir.scope:
            heir.handed_up[method.scope] = arguments
        return super().call_own(site, method, arguments)

    def call_transformed(
        self, site: object, receiver: Term, method: str, arguments: Arguments
    ) -> Term | None:
        blueprint = self.blueprint_of(receiver) if method == OF_STATE[1] else None
        if blueprint is not None and not arguments.positional:
            bases = (base for one in self.line_of(blueprint) for base in self._bases_of(one))
            if any(peel(base).detail == OF_STATE[0] for base in bases):
                return self.opaque(RECORD, pairs(self, arguments.keywords), site)
        applied = transformed(receiver) if method == "apply" else None
        if applied is not None:
            function, before = applied
            given = Arguments(arguments.positional[before:], {}, arguments.others)
            return self.call_value(site, function, given, None)
        return None

    def starts_empty(self, receiver: Term, name: str) -> bool:
        """Whether the constructor of an object sets an attribute to a dictionary without keys."""
        made = self.instances.get(peel(receiver).key)
        for blueprint in self.line_of(made.blueprint) if made is not None else ():
            method = blueprint.text.method(FIRST_METHODS[0])
            for one in statements(method.body) if method is not None else ():
                match one:
                    case ir.Assign(_, (ir.Attribute(_, ir.Name(_, "self"), set_to),), value):
                        if set_to == name:
                            return _is_empty(value)
        return False


def _is_excluded(fact: Fact, outcome: Truth) -> bool:
    return outcome is (Truth.NO if fact.holds else Truth.YES)


def _is_empty(value: ir.Expression) -> bool:
    """Whether an expression is `{}` or `dict()`."""
    match value:
        case ir.Unknown(_, (), "dict") | ir.Call(_, ir.Name(_, "dict" | "OrderedDict"), ()):
            return True
        case _:
            return False
