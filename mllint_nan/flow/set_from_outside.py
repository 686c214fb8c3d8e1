"""Attributes and variables that other code than their own class or module sets, too."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from mllint_nan.flow.class_values import is_arithmetic
from mllint_nan.flow.constructions import Constructions
from mllint_nan.flow.modules import Module, Project
from mllint_nan.flow.outside_stores import UNSET, OutsideStores, Place, Read, Settings
from mllint_nan.flow.queries import names_read
from mllint_nan.flow.singular_parts import Parts
from mllint_nan.flow.state import Analysis, Blueprint, Scope
from mllint_nan.flow.storage import path_of
from mllint_nan.flow.uses import links_of
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import ATTRIBUTE, CONSTANT, INPUT, NOTHING, Term, constant_of, peel

_FLOORS: Final = frozenset(("add", "maximum", "clip"))
_NUMBERS: Final = (int, float)


class _Question(NamedTuple):
    """An attribute that a parameter or other code sets."""

    read: Read
    owner: Blueprint
    parameter: Term | None


class SetFromOutside(Constructions):
    """Evaluates what may be set from outside: to everything that visible code sets it to."""

    __slots__ = ("by_field", "outside", "project", "set_to", "set_variables", "unanswered")

    def __init__(
        self, analysis: Analysis, builder: Builder, project: Project | None = None
    ) -> None:
        super().__init__(analysis, builder)
        self.project = project
        self.outside: OutsideStores | None = None
        """What sets attributes; `None` while another file is evaluated for its calls."""
        self.set_to: dict[Scope, dict[str, tuple[int | float, ...]]] = {}
        """By function, and path in it: the numbers that other code sets what it reads to."""
        self.unanswered: dict[Scope, dict[str, _Question]] = {}
        """By function, and path in it: what is asked about other code once all calls are known."""
        self.by_field: dict[tuple[Scope, str], tuple[Blueprint, str]] = {}
        """By function, and path in it: the field whose default of 0.0 is among these numbers."""
        self.set_variables: dict[str, tuple[int | float, ...]] = {}
        """By variable of the module: the numbers that functions and other files set it to."""

    def look_outside(self, program: ir.Block) -> None:
        """Look for what sets attributes in a program, and in the other files of its project."""
        self.outside = OutsideStores(self.project, program)

    def attribute_of(self, receiver: Term, name: str) -> Term | None:
        path = f"{path_of(receiver)}.{name}" if path_of(receiver) else ""
        forced = self.forced.get(path) if self.scope is self.forced_in else None
        found = super().attribute_of(receiver, name)
        if forced is not None and not self._is_set_here(path):
            return forced
        is_first = self.scope.name == ir.FIRST_METHODS[0]
        if self.outside is None or is_first or not self._may_be_set(found):
            return found
        return self._joined(receiver, name, found, path)

    def _may_be_set(self, found: Term | None) -> bool:
        """Whether the value that a class gives an attribute is a setting, or not known."""
        if found is None or found.operation is CONSTANT or self._is_parameter(found):
            return True
        return is_arithmetic(peel(found))

    def _joined(self, receiver: Term, name: str, found: Term | None, path: str) -> Term | None:
        """The value of an attribute, which is `found` unless other code sets it."""
        assert self.outside is not None
        inner, owner = peel(receiver), self._owner(receiver, name)
        is_made, is_visited = inner.key in self.instances, self.visiting is not None
        if owner is None or (is_made and (is_visited or found is None)):
            return found
        if found is None and not (_is_number(owner, name) or name in (owner.attributes or ())):
            return found
        read, is_set_here = self._read(receiver, owner, name), self._is_set_here(path)
        if (found is None or self._is_parameter(found)) and not is_set_here:
            if self._is_noted(path) and not is_made:
                self.unanswered.setdefault(self.scope, {})[path] = _Question(read, owner, found)
            return found  # which proves nothing
        settings = self.outside.of_attribute(read)
        if settings == UNSET:
            return found
        if is_set_here or found is None:
            return None
        if is_made:
            settings = Settings((), True)  # of another object, or this one by another name
        self._note_numbers(path, settings.numbers)
        if not is_arithmetic(peel(found)):
            return None  # a placeholder
        return self._any_of(found, receiver, name, settings)

    def answer(self, scope: Scope, parts: Parts) -> None:
        """Record the numbers that attributes read by a function may be set to, if these matter."""
        for path, asked in self.unanswered.pop(scope, {}).items():
            read, owner, found = asked
            is_part = (
                read.name in parts.attributes if found is None else peel(found).key in parts.keys
            )
            if is_part and self.outside is not None:
                numbers = (*self.outside.numbers_of_attribute(read), *_defaults_of_zero(found))
                is_of_zero = found is None and _is_field_of_zero(owner, read.name)
                if is_of_zero and not self.outside.of_attribute(read).is_open:
                    self.by_field[scope, path] = (owner, read.name)
                    numbers = (*numbers, 0.0)
                if numbers:
                    self.set_to.setdefault(scope, {})[path] = numbers

    def _is_parameter(self, value: Term) -> bool:
        """Whether an attribute is a parameter of the constructor."""
        return peel(value).key in self.analysis.parameters

    def _is_set_here(self, path: str) -> bool:
        return bool(path) and self.state.environment.own(path) is not None

    def _note_numbers(self, path: str, numbers: tuple[int | float, ...]) -> None:
        """Record the numbers for which the function is evaluated once more."""
        if numbers and self._is_noted(path):
            self.set_to.setdefault(self.scope, {})[path] = numbers

    def _is_noted(self, path: str) -> bool:
        """Whether it is recorded here what other code sets a path to."""
        return bool(path) and self.recording and self.visiting is None

    def _read(self, receiver: Term, owner: Blueprint, name: str) -> Read:
        line = tuple(map(self._place_of, self._line(peel(receiver))))
        is_shared = owner.text.value(name) is not None
        is_exact = peel(receiver).key in self.instances
        return Read(line, self._place_of(owner), name, self.scope.name, is_shared, is_exact)

    def _place_of(self, blueprint: Blueprint) -> Place:
        return self._file_of(blueprint.module), blueprint.text.name

    def _file_of(self, module: Module | None) -> str:
        if module is not None:
            return os.path.abspath(module.file) if module.file else module.name
        return self.outside.file if self.outside is not None else ""

    def _any_of(self, known: Term, base: Term, name: str, settings: Settings) -> Term:
        """The known value, or a number that is set, or another value if it is open."""
        key = self.build.number("set from outside", name, base.key)
        unknown = Term(ATTRIBUTE, (base,), key, None, NOTHING, None, name)
        numbers = tuple(self.build.constant(one) for one in settings.numbers)
        return self.choice((known, *numbers, *((unknown,) if settings.is_open else ())))

    def is_left_at_zero(self, blueprint: Blueprint, name: str) -> bool:
        """Whether a field is added to something, as a floor, and not every object is given it.

        A field that is a divisor itself has to be set: its 0.0 stands for no value.
        """
        read = links_of(self.analysis).read.get(name, ())
        if not any(one.operation.name in _FLOORS for key in read for one in self._made_of(key)):
            return False
        made = [one for one in self.instances.values() if blueprint in self.line_of(one.blueprint)]
        return not made or any(self.given_field(one, name) is None for one in made)

    def _made_of(self, key: int) -> list[Term]:
        return self.analysis.consumers.get(key, [])

    def note_variables(self) -> None:
        """Join the numbers of the module with what functions and other files set them to.

        What a function sets after `global` is known only if all such values are.
        """
        if self.outside is None:
            return
        for name, term in [*self.state.environment.names()]:
            if "." in name or not is_arithmetic(peel(term)):
                continue
            settings = self.outside.of_variable(self.outside.file, name)
            is_known = name not in self.volatile or not settings.is_open
            if settings != UNSET and is_known:
                self.set_variables[name] = settings.numbers
                base = self.build.leaf(INPUT, name)
                self.bind(name, self._any_of(peel(term), base, name, settings))

    def note_read(self, scope: Scope, body: ir.Block | ir.Expression) -> None:
        """Record which variables that other code sets a function reads."""
        if self.set_variables and isinstance(body, tuple):
            for name in names_read(body).intersection(self.set_variables) - scope.assigned:
                self.set_to.setdefault(scope, {})[name] = self.set_variables[name]

    def member_behind(self, member: Term, path: str, module: Module | None, value: Term) -> Term:
        """The number of another module that `module.EPS` reads, which other files may set."""
        if path in self.forced and self.scope is self.forced_in:
            return self.forced[path]
        if self.outside is None or module is None:
            return value
        name = path.rpartition(".")[2]
        settings = self.outside.of_variable(self._file_of(module), name)
        if settings == UNSET:
            return value
        self._note_numbers(path, settings.numbers)
        return self._any_of(value, member, name, settings)


def _defaults_of_zero(parameter: Term | None) -> tuple[int | float, ...]:
    """The default of a constructor's parameter, if that is 0.0."""
    operands = peel(parameter).operands if parameter is not None else ()
    default = constant_of(operands[0]) if operands else None
    return (default,) if isinstance(default, float) and default == 0 else ()


def _is_field_of_zero(owner: Blueprint, name: str) -> bool:
    """Whether an attribute is a field with the default 0.0, as of a `dataclass`."""
    match owner.text.value(name) if name in owner.text.fields else None:
        case ir.Constant(_, float(number)):
            return number == 0
        case _:
            return False


def _is_number(owner: Blueprint, name: str) -> bool:
    """Whether the body of a class sets an attribute to a number."""
    value = owner.text.value(name)
    return isinstance(value, ir.Constant) and type(value.value) in _NUMBERS
