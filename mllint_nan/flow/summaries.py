"""What the body of a function, or the text of a class, contains, without evaluating it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final, Protocol

from mllint_nan.flow.annotations import annotation_given
from mllint_nan.flow.formats import FORMAT_SETTERS
from mllint_nan.flow.queries import (
    assigned,
    expressions,
    filled_by,
    length_of,
    place_path,
    targets,
    written_path,
)
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import own_statements, statements

_NO_ELEMENTS: Final = frozenset(("requires_grad_", "share_memory_"))
"""Methods in place that write no elements."""
_ON_GRADIENTS: Final = frozenset(
    ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "unscale_", "scale")
)
"""Functions and methods whose order decides what a step of training does."""
_SUMMED_UP: Final[frozenset[type[Any]]] = frozenset((ir.Suspension, ir.Call, ir.Binary))


@dataclass(frozen=True, slots=True)
class Summary:
    """What the body of a function contains, without nested functions."""

    is_plain: bool
    """Whether a call gives what the body returns: it neither yields nor awaits."""
    written_into: tuple[str, ...]
    """The names whose values it changes in part, without assigning the names themselves."""
    filled: tuple[str, ...]
    """The variables, dotted or not, into whose elements it writes without assigning them."""
    augmented: tuple[str, ...]
    """The variables that it updates by `+=` and the like, which may be numbers."""
    attributes: tuple[str, ...]
    """The attributes of `self` that it sets, each as often as it is set."""
    grown: tuple[str, ...]
    """The attributes of `self` that it adds to or removes from, each as often as that happens."""
    returns: bool
    """Whether it has a `return` at all."""
    refuses: bool
    """Whether it raises an error, or asserts something."""
    has_effects: bool
    """Whether it calls, by its name, what acts on gradients or sets a format for what follows."""
    computes: bool
    """Whether it has arithmetic, an operation by its name, or a call of an attribute of `self`."""


def summary(function: ir.Function) -> Summary:
    """Return the summary of a function, which is computed in one walk and kept with it."""
    if function.summary is None:
        function.summary = _summary(function.body)
    found = function.summary
    assert isinstance(found, Summary)
    return found


def _summary(block: ir.Block) -> Summary:
    places: list[ir.Expression] = []
    parts: list[ir.Expression] = []
    augmented: dict[str, None] = {}
    own: set[str] = set()
    attributes: list[str] = []
    grown: list[str] = []
    is_plain, returns, refuses, computes, has_effects = True, False, False, False, False
    for statement in own_statements(block):
        if type(statement) is ir.Return:
            returns = True
        elif type(statement) is ir.Raise or type(statement) is ir.Assert:
            refuses = True
        if isinstance(statement, ir.Augment) and isinstance(statement.target, ir.Name):
            augmented[statement.target.name] = None
        for target in targets(statement):
            for place in ir.targets_of(target):
                if not isinstance(place, ir.Name):
                    places.append(place)
                elif type(statement) is not ir.Augment:
                    own.add(place.name)
                if isinstance(place, ir.Subscript):
                    parts.append(place)
                match place:
                    case ir.Attribute(_, ir.Name(_, "self"), name):
                        attributes.append(name)
                    case _:
                        pass
        for expression in expressions(statement, _SUMMED_UP):
            if isinstance(expression, ir.Suspension):
                is_plain = False
            computes = computes or _computes(expression)
            has_effects = has_effects or _has_effect(expression)
            if not isinstance(expression, ir.Call):
                continue
            filled_here = filled_by(expression)
            places += filled_here
            if not isinstance(expression.callee, ir.Attribute):
                parts += filled_here
                continue
            base, method = expression.callee.base, expression.callee.name
            if method in ir.MUTATORS:
                places.append(base)
            if method not in _NO_ELEMENTS:
                parts += filled_here
            match base:
                case ir.Attribute(_, ir.Name(_, "self"), name) if method in ir.MUTATORS:
                    grown.append(name)
                case _:
                    pass
    written = dict.fromkeys(place_path(place).partition(".")[0] for place in places)
    filled = dict.fromkeys(name for one in parts if (name := written_path(one)) and name not in own)
    return Summary(
        is_plain,
        tuple(written),
        tuple(filled),
        tuple([name for name in augmented if name not in own]),
        tuple(attributes),
        tuple(grown),
        returns,
        refuses,
        has_effects,
        computes,
    )


def _has_effect(expression: ir.Expression) -> bool:
    match expression:
        case ir.Call(_, ir.Attribute(name="step"), arguments):  # of a scaler, not of an optimizer
            return len(arguments) > 0
        case ir.Call(_, ir.Attribute(name=name) | ir.Name(name=name)):
            return name in FORMAT_SETTERS or name in _ON_GRADIENTS
        case _:
            return False


def _computes(expression: ir.Expression) -> bool:
    match expression:
        case ir.Binary():
            return True
        case ir.Call(_, ir.Attribute(_, ir.Name(_, "self"))):
            return True
        case ir.Call(_, ir.Attribute(name=name) | ir.Name(name=name)):
            return name in registry.SPELLED
        case _:
            return False


class OwnClass:
    """The text of a class in the analysed file."""

    def __init__(self, statement: ir.Class) -> None:
        self._builders: tuple[str, ...] | None = None
        self.name = statement.name
        self.bases = statement.bases
        self.decorators = statement.decorators
        self._methods = {
            item.name: item for item in statement.body if isinstance(item, ir.Function)
        }
        self._counts: Counter[str] = Counter()
        """How many methods set an attribute, or change what it holds."""
        for method in self._methods.values():
            self._counts.update(set(summary(method).attributes))
            if method.name != "__init__":
                self._counts.update(summary(method).grown)
        self._values = {
            target.name: item.value
            for item in statement.body
            if isinstance(item, ir.Assign)
            for target in item.targets
            if isinstance(target, ir.Name)
        }
        self.stored = {*assigned(statement.body), *self._counts}
        is_reset = any(name in self._counts for name in statement.fields)
        self.fields = () if is_reset else statement.fields
        self._annotations = dict(zip(statement.fields, statement.annotations, strict=False))

    def annotation(self, name: str) -> ir.Expression | None:
        """Return the annotation of an attribute, in the body or in the constructor that sets it."""
        if self._counts[name] > 1:
            return None
        if name in self._annotations:
            return self._annotations[name]
        return annotation_given(self._methods.get(ir.FIRST_METHODS[0]), name)

    @property
    def builders(self) -> tuple[str, ...]:
        """The methods that set an attribute to a new object of a class or to a `lambda`."""
        if self._builders is None:
            methods = self._methods.items()
            self._builders = tuple(name for name, one in methods if any(map(_builds, one.body)))
        return self._builders

    def may_keep(self, name: str, *, given: bool) -> bool:
        """Whether one method sets an attribute, and no other changes it."""
        return self._counts[name] == 1

    def value(self, name: str) -> ir.Expression | None:
        """Return the value that the body of the class gives an attribute, if no method sets it."""
        return self._values.get(name) if name not in self._counts else None

    def method(self, name: str) -> ir.Function | None:
        """Return the method of that name, the last if there are several."""
        return self._methods.get(name)


def _builds(statement: ir.Statement) -> bool:
    match statement:
        case ir.Assign(_, (ir.Attribute(_, ir.Name(_, "self")),), ir.Lambda()):
            return True
        case ir.Assign(
            _,
            (ir.Attribute(_, ir.Name(_, "self")),),
            ir.Call(_, ir.Name(_, called) | ir.Attribute(_, _, called)),
        ):
            return called[:1].isupper()
        case _:
            return False


def is_simple(function: ir.Function, *, is_wrapped: bool = True) -> bool:
    """Whether a function is short and returns a value, so that its calls are inlined.

    `is_wrapped`: its decorators, if any, may change what it gives.
    """
    if function.decorators and is_wrapped and not is_property(function):
        return False
    most = ir.SEEN_THROUGH_LONGEST
    return (
        length_of(function.body, most) <= most
        and not any(isinstance(item, ir.Class) for item in statements(function.body))
        and summary(function).is_plain
        and summary(function).returns
    )


def is_check(function: ir.Function) -> bool:
    """Whether a function is short, and is called for what it refuses or for its effects."""
    most = ir.SEEN_THROUGH_LONGEST
    found = summary(function)
    does_something = found.refuses or found.has_effects
    return does_something and found.is_plain and length_of(function.body, most) <= most


def makes_own(function: ir.Function) -> bool:
    """Whether a class method returns objects of its class: `return cls(...)`."""
    if not function.decorators or not function.parameters or function.parameters[0].name != "cls":
        return False
    given = [one.value for one in own_statements(function.body) if isinstance(one, ir.Return)]
    calls = [one.callee for one in given if isinstance(one, ir.Call)]
    return 0 < len(calls) == len(given) and all(
        isinstance(one, ir.Name) and one.name == "cls" for one in calls
    )


def methods_handed(constructor: ir.Function) -> list[str]:
    """The methods that a constructor passes to calls whose results it keeps: `jit(self.step)`."""
    pending = [one.value for one in own_statements(constructor.body) if isinstance(one, ir.Assign)]
    found: list[str] = []
    while pending:
        call = pending.pop()
        for argument in call.arguments if isinstance(call, ir.Call) else ():
            match argument.value:
                case ir.Attribute(_, ir.Name(_, "self"), name):
                    found.append(name)
                case inner:
                    pending.append(inner)
    return found


def is_property(function: ir.Function) -> bool:
    """Whether a method is called by naming it, as a property is."""
    match function.decorators:
        case (ir.Name(_, name) | ir.Attribute(_, _, name),):
            return name in ir.PROPERTIES
        case _:
            return False


class Decorator(Protocol):
    """A function that takes another one."""

    @property
    def body(self) -> ir.Block | ir.Expression: ...

    @property
    def parameters(self) -> tuple[ir.Parameter, ...]: ...


def keeps_what_is_given(decorator: Decorator) -> bool:
    """Whether a decorator keeps what a function gives: a timer, a log, or the function itself."""
    body, parameters = decorator.body, decorator.parameters
    if not isinstance(body, tuple) or len(parameters) != 1:
        return False
    last = body[-1].value if body and isinstance(body[-1], ir.Return) else None
    if isinstance(last, ir.Name) and last.name == parameters[0].name:
        return True
    wrappers = [one for one in body if isinstance(one, ir.Function)]
    if len(wrappers) != 1 or not isinstance(body[-1], ir.Return):
        return False
    given = body[-1].value
    if not isinstance(given, ir.Name) or given.name != wrappers[0].name:
        return False
    within = list(own_statements(wrappers[0].body))
    results = {
        target.name
        for one in within
        if isinstance(one, ir.Assign) and _hands_all_to(one.value, parameters[0].name)
        for target in one.targets
        if isinstance(target, ir.Name)
    }
    bound = [
        place.name
        for one in within
        for target in targets(one)
        for place in ir.targets_of(target)
        if isinstance(place, ir.Name)
    ]
    results = {name for name in results if bound.count(name) == 1}
    returned = [one.value for one in within if isinstance(one, ir.Return)]
    return bool(returned) and all(
        (isinstance(one, ir.Name) and one.name in results)
        or (one is not None and _hands_all_to(one, parameters[0].name))
        for one in returned
    )


def decorator_made_by(factory: Decorator) -> ir.Function | None:
    """The decorator that a factory returns, as `register` does in `@register("name")`."""
    body = factory.body if isinstance(factory.body, tuple) else ()
    last = body[-1].value if body and isinstance(body[-1], ir.Return) else None
    made = [one for one in body if isinstance(one, ir.Function)]
    is_given = isinstance(last, ir.Name) and len(made) == 1 and last.name == made[0].name
    return made[0] if is_given else None


def _hands_all_to(call: ir.Expression, function: str) -> bool:
    """Whether a call is `function(*args, **kwargs)`."""
    if not isinstance(call, ir.Call) or not isinstance(call.callee, ir.Name):
        return False
    stars = {one.star for one in call.arguments}
    return call.callee.name == function and stars <= {"*", "**"} and "*" in stars
