"""Objects that only keep their arguments: those of a `dataclass` or a `NamedTuple`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from mllint_nan.flow.class_values import ClassEvaluator
from mllint_nan.flow.conditions import OBJECT
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.state import Analysis, Blueprint, Instance, State
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import CONSTANT, Term, peel

_DATACLASS: Final = re.compile(r"(^|[ .])dataclass$")
_PLAIN_BASES: Final = ("builtins.object", "abc.ABC")


class Records(ClassEvaluator):
    """Evaluates the fields of records."""

    __slots__ = ("_records",)

    def __init__(self, analysis: Analysis, builder: Builder) -> None:
        super().__init__(analysis, builder)
        self._records: dict[Blueprint, bool] = {}
        """By class: whether its objects keep their arguments under the names of its fields."""

    def fields_of(self, blueprint: Blueprint) -> tuple[str, ...] | None:
        if not self._is_record(blueprint):
            return None
        bases = [str(peel(base).detail) for base in self._bases_of(blueprint)]
        if self.is_named_tuple(blueprint):
            return blueprint.text.fields
        # The first arguments belong to the bases.
        return () if any(base not in _PLAIN_BASES for base in bases) else blueprint.text.fields

    def _is_record(self, blueprint: Blueprint) -> bool:
        if not blueprint.text.fields:
            return False
        if blueprint not in self._records:
            with self.apart(State(Environment(blueprint.environment))):
                decorators = [peel(self.evaluate(one)) for one in blueprint.text.decorators]
            is_decorated = any(_DATACLASS.search(str(one.detail)) for one in decorators)
            self._records[blueprint] = is_decorated or self.is_named_tuple(blueprint)
        return self._records[blueprint]

    def known_in_call(self, term: Term) -> Term:
        inner = peel(term)
        made = self.instances.get(inner.key)
        is_record = made is not None and self._is_record(made.blueprint)
        return OBJECT if is_record else inner

    def is_named_tuple(self, blueprint: Blueprint) -> bool:
        return any(peel(base).detail == "typing.NamedTuple" for base in self._bases_of(blueprint))

    def given_by_default(self, blueprint: Blueprint, names: Iterable[str]) -> Mapping[str, Term]:
        written = {name: _default_written(blueprint.text.value(name)) for name in names}
        with self.apart(State(Environment(blueprint.environment))):
            terms = {name: peel(self.evaluate(value)) for name, value in written.items() if value}
        return {
            name: term
            for name, term in terms.items()
            if term.operation is CONSTANT or self.is_callable(term)
        }

    def field_given(self, receiver: Term, name: str) -> Term | None:
        made = self.instances.get(peel(receiver).key)
        line = self.line_of(made.blueprint) if made is not None else ()
        owner = next((one for one in line if name in one.text.fields), None)
        if made is None or owner is None or not all(map(self._is_record, line)):
            return None
        found = self.given_field(made, name)
        if found is None and not made.given.others:
            found = self.given_by_default(owner, (name,)).get(name)
        is_kept = found is not None and (self.visiting is not None or self.is_stateless(found))
        return found if is_kept else None

    def given_field(self, made: Instance, name: str) -> Term | None:
        """Return the argument that an object was given for a field, by name or by position."""
        if name in made.given.keywords:
            return made.given.keywords[name]
        fields = self.fields_of(made.blueprint) or ()
        place = fields.index(name) + 1 if name in fields else 0  # after the object itself
        return made.given.positional[place] if 0 < place < len(made.given.positional) else None


def _default_written(value: ir.Expression | None) -> ir.Expression | None:
    """Return the default of a field if it is a constant or a name: `-1`, `field(default=2.0)`."""
    match value:
        case ir.Call(_, ir.Name(_, "field") | ir.Attribute(_, _, "field"), arguments):
            named = (one.value for one in arguments if one.keyword == "default")
            return _default_written(next(named, None))
        case ir.Constant() | ir.Name() | ir.Attribute() | ir.Unary(_, _, ir.Constant()):
            return value
        case _:
            return None
