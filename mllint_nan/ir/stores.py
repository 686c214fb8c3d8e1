"""What a program sets attributes of objects, classes and modules to, outside of constructors.

Whose attribute it is follows from names alone: those that are bound once in their scope.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import own_statements

HERE: Final = ":"
"""Precedes the path of a definition of the same text."""
_MADE: Final = "made"
"""An object that the path's call returns: one of the class, if it is a class."""
_OWN: Final = "own"
"""`self` in a method of a class."""
_TYPED: Final = "typed"
"""A parameter that is annotated with a class."""
_BODY: Final = "body"
"""The class, in its own body."""
_ITSELF: Final = "itself"
"""The class or module of the path."""
_HANDS_BACK: Final = frozenset(("to", "cuda", "cpu", "eval", "train", "half", "float", "double"))
"""Methods of a model that return the model."""
_WRAPS: Final = frozenset(("compile", "script", "copy", "deepcopy", "convert_sync_batchnorm"))
"""Functions that return an object like the one that they are given."""
_DEEPEST: Final = 6
"""How many names are followed."""
_LARGEST: Final = 2**1023
"""No integer from here on is a number of any format."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose attribute it is; an unknown object has no path."""

    path: str = ""
    """The qualified name of a class, function or module; `:C` if the text defines it itself."""
    kind: str = ""

    @property
    def may_be_derived(self) -> bool:
        """Whether the object may be of a class that is derived from the one of the path."""
        return self.kind in (_OWN, _TYPED)

    @property
    def is_self(self) -> bool:
        """Whether it is `self` in a method of the class."""
        return self.kind == _OWN

    @property
    def is_body(self) -> bool:
        """Whether it is the class, in its own body."""
        return self.kind == _BODY

    @property
    def is_itself(self) -> bool:
        """Whether it is the class or module itself, and no object."""
        return self.kind == _ITSELF


UNKNOWN: Final = Holder()
OF_MODULE: Final = Holder(HERE, _ITSELF)
"""The module itself, whose variable a function assigns after `global`."""


@dataclass(frozen=True, slots=True)
class Store:
    """One place that sets an attribute."""

    name: str
    """The attribute; empty if it may be any."""
    holder: Holder
    value: float | None
    """The number; `None` if it is not written there."""
    is_whole: bool = False
    """Whether the number is an `int`."""
    function: str = ""
    """The function that contains it."""
    is_call: bool = False
    """Whether it is a call of `setattr`."""

    @property
    def number(self) -> int | float | None:
        """The number, of the type in which it is written."""
        return int(self.value) if self.is_whole and self.value is not None else self.value


@dataclass(frozen=True, slots=True)
class Stores:
    """What a text sets attributes to, and what it says about its classes."""

    by_name: Mapping[str, tuple[Store, ...]]
    """By attribute; under the empty name those of any attribute."""
    bases: Mapping[str, tuple[str, ...]]
    """By class that the text defines: the paths of its bases, as far as they are names."""
    methods: Mapping[str, frozenset[str]]
    """By class that the text defines: its methods."""

    def of(self, name: str) -> tuple[Store, ...]:
        """Those that may set an attribute of a name."""
        return (*self.by_name.get(name, ()), *self.by_name.get("", ()))


NOTHING_STORED: Final = Stores({}, {}, {})


def stores_in(program: ir.Block, names: Collection[str] | None = None) -> Stores:
    """The attributes that a program sets; with `names`, only those."""
    return _Text(program).stores(names)


class _Scope:
    """The names that a function, a method or the module binds, with what they are bound to."""

    def __init__(
        self,
        body: ir.Block,
        parent: _Scope | None = None,
        owner: str = "",
        function: ir.Function | None = None,
    ) -> None:
        self.function = function.name if function is not None else ""
        self.body = body
        self.parent = parent
        self.owner = owner
        """The class whose method it is, or is nested in."""
        self.bound: dict[str, list[ir.Expression | Holder]] = {}
        self.shared: list[str] = []
        """The names that it declares to be those of the module."""
        for place, one in enumerate(function.parameters if function is not None else ()):
            is_self = place == 0 and owner and parent is not None and parent.owner != owner
            self._bind(one.name, self._of_parameter(one) if not is_self else self._of_self(one))
        for statement in own_statements(body):
            self._note(statement)

    def _of_self(self, parameter: ir.Parameter) -> Holder:
        kind = _ITSELF if parameter.name == "cls" else _OWN
        return Holder(f"{HERE}{self.owner}", kind) if parameter.name in ("self", "cls") else UNKNOWN

    def _of_parameter(self, parameter: ir.Parameter) -> ir.Expression | Holder:
        written = parameter.annotation
        if written is None or parameter.star:
            return UNKNOWN
        return ir.Unknown(None, (written,), _TYPED)

    def _bind(self, name: str, value: ir.Expression | Holder) -> None:
        self.bound.setdefault(name, []).append(value)

    def _note(self, statement: ir.Statement) -> None:
        match statement:
            case ir.Assign(_, targets, value):
                for target in targets:
                    if isinstance(target, ir.Name):
                        self._bind(target.name, value)
                    else:
                        self._bind_unknown(target)
            case ir.Augment(_, ir.Name(_, name)):
                self._bind(name, UNKNOWN)
            case ir.For(_, target):
                self._bind_unknown(target)
            case ir.With(_, items):
                for _, entered in items:
                    if entered is not None:
                        self._bind_unknown(entered)
            case ir.Function(_, name):
                self._bind(name, UNKNOWN)
            case ir.Global(_, names):
                self.shared += names
            case _:
                pass

    def _bind_unknown(self, target: ir.Target) -> None:
        for place in ir.targets_of(target):
            if isinstance(place, ir.Name):
                self._bind(place.name, UNKNOWN)

    def around(self, name: str) -> _Scope | None:
        """The scope that binds a name here."""
        scope: _Scope | None = self
        while scope is not None and name not in scope.bound:
            scope = scope.parent
        return scope


class _Text:
    """One text, with its scopes."""

    def __init__(self, program: ir.Block) -> None:
        self._imports: dict[str, str] = {}
        self._classes: dict[str, ir.Class] = {}
        self._scopes: list[_Scope] = []
        self._kept: dict[tuple[str, str], list[tuple[ir.Expression, _Scope]]] = {}
        """By class and attribute: what its methods set the attribute of `self` to."""
        self._known: dict[tuple[_Scope, str], Holder | None] = {}
        """By scope and name: whose object it is; `None` while that is being found out."""
        self._module = _Scope(program)
        self._enter(self._module)
        for scope in self._scopes:
            self._note_kept(scope)

    def _enter(self, scope: _Scope) -> None:
        self._scopes.append(scope)
        for statement in own_statements(scope.body):
            match statement:
                case ir.Import(_, bindings):
                    self._imports.update(bindings)
                case ir.Function(_, _, _, body):
                    self._enter(_Scope(body, scope, scope.owner, statement))
                case ir.Class(_, name, _, body):
                    self._classes[name] = statement
                    for item in body:
                        if isinstance(item, ir.Function):
                            self._enter(_Scope(item.body, scope, name, item))
                case _:
                    pass

    def _note_kept(self, scope: _Scope) -> None:
        for statement in own_statements(scope.body) if scope.owner else ():
            match statement:
                case ir.Assign(_, targets, value):
                    for target in targets:
                        if isinstance(target, ir.Attribute) and is_self_name(target.base):
                            place = (scope.owner, target.name)
                            self._kept.setdefault(place, []).append((value, scope))
                case _:
                    pass

    def stores(self, names: Collection[str] | None) -> Stores:
        found = [one for scope in self._scopes for one in self._stores_of(scope, names)]
        for name, one in self._classes.items():
            found += self._stores_of_body(Holder(f"{HERE}{name}", _BODY), one.body)
        by_name: dict[str, list[Store]] = {}
        for store in dict.fromkeys(found):
            by_name.setdefault(store.name, []).append(store)
        return Stores(
            {name: tuple(of_name) for name, of_name in by_name.items()},
            {name: tuple(self._bases_of(one)) for name, one in self._classes.items()},
            {
                name: frozenset(item.name for item in one.body if isinstance(item, ir.Function))
                for name, one in self._classes.items()
            },
        )

    def _bases_of(self, statement: ir.Class) -> Iterator[str]:
        for base in statement.bases:
            holder = self._holder(base, self._module, 0)
            if holder.is_itself:
                yield holder.path

    def _stores_of(self, scope: _Scope, names: Collection[str] | None) -> Iterator[Store]:
        for base, name, value, is_call in _stored(scope.body):
            if names is None or not name or name in names:
                holder = self._holder(base, scope, 0)
                number = self._number(value, scope) if value is not None else None
                plain = float(number) if number is not None else None
                yield Store(name, holder, plain, isinstance(number, int), scope.function, is_call)
        for name in scope.shared if names is None else ():
            for bound in scope.bound.get(name, ()):
                number = self._number(bound, scope) if not isinstance(bound, Holder) else None
                plain = float(number) if number is not None else None
                yield Store(name, OF_MODULE, plain, isinstance(number, int), scope.function)

    def _stores_of_body(self, owner: Holder, body: ir.Block) -> Iterator[Store]:
        for item in body:
            match item:
                case ir.Assign(_, targets, value):
                    number = self._number(value, self._module)
                    plain = float(number) if number is not None else None
                    for target in targets:
                        if isinstance(target, ir.Name):
                            yield Store(target.name, owner, plain, isinstance(number, int))
                case _:
                    pass

    def _number(self, value: ir.Expression, scope: _Scope, depth: int = 0) -> int | float | None:
        """The number that an expression is: a literal, or a name that is bound once to one."""
        match value:
            case ir.Constant(_, bool()):
                return None
            case ir.Constant(_, int() | float() as number):
                return number if isinstance(number, float) or abs(number) < _LARGEST else None
            case ir.Unary(_, "-", operand):
                positive = self._number(operand, scope, depth)
                return -positive if positive is not None else None
            case ir.Name(_, name) if depth < _DEEPEST:
                binding = scope.around(name)
                bound = binding.bound[name] if binding is not None else []
                if binding is None or len(bound) != 1 or isinstance(bound[0], Holder):
                    return None
                return self._number(bound[0], binding, depth + 1)
            case _:
                return None

    def _holder(self, expression: ir.Expression | Holder, scope: _Scope, depth: int) -> Holder:
        """Whose attribute is set, for the object that an expression evaluates to."""
        if isinstance(expression, Holder):
            return expression
        if depth > _DEEPEST:
            return UNKNOWN
        match expression:
            case ir.Name(_, name):
                return self._named(name, scope, depth)
            case ir.Attribute(_, base, name):
                return self._attribute(self._holder(base, scope, depth + 1), name, depth)
            case ir.Call(_, ir.Name(_, "type"), (argument,)):
                return _class_of(self._holder(argument.value, scope, depth + 1))
            case ir.Call(_, ir.Attribute(_, base, method)) if method in _HANDS_BACK:
                return self._holder(base, scope, depth + 1)
            case ir.Call(_, ir.Attribute(_, _, wraps) | ir.Name(_, wraps), (argument, *_)) if (
                wraps in _WRAPS
            ):
                return self._holder(argument.value, scope, depth + 1)
            case ir.Call(_, callee):
                made = self._holder(callee, scope, depth + 1)
                return Holder(made.path, _MADE) if made.is_itself else UNKNOWN
            case ir.Unknown(_, (written,), "typed"):
                made = self._holder(_unquoted(written), self._module, depth + 1)
                return Holder(made.path, _TYPED) if made.is_itself else UNKNOWN
            case _:
                return UNKNOWN

    def _named(self, name: str, scope: _Scope, depth: int) -> Holder:
        binding = scope.around(name)
        if binding is not None:
            return self._bound(name, binding, depth)
        if name in self._imports:
            return Holder(self._imports[name], _ITSELF)
        return Holder(f"{HERE}{name}", _ITSELF) if name in self._classes else UNKNOWN

    def _bound(self, name: str, scope: _Scope, depth: int) -> Holder:
        place = (scope, name)
        if place not in self._known:
            self._known[place] = None
            found = {
                self._holder(one, scope, depth + 1)
                for one in scope.bound[name]
                if not self._is_handed_back(one, place)
            }
            self._known[place] = found.pop() if len(found) == 1 else UNKNOWN
        return self._known[place] or UNKNOWN

    def _is_handed_back(self, value: ir.Expression | Holder, place: tuple[_Scope, str]) -> bool:
        """Whether a variable keeps its object: `model = model.to(device)`."""
        match value:
            case ir.Call(_, ir.Attribute(_, ir.Name(_, name), method)):
                return method in _HANDS_BACK and name == place[1]
            case _:
                return False

    def _attribute(self, owner: Holder, name: str, depth: int) -> Holder:
        if name == "__class__":
            return _class_of(owner)
        if owner.is_itself:
            return Holder(f"{owner.path}.{name}", _ITSELF)
        kept = self._kept.get((owner.path.removeprefix(HERE), name), ())
        if not owner.path.startswith(HERE) or not kept:
            return UNKNOWN
        found = {self._holder(value, scope, depth + 1) for value, scope in kept}
        return found.pop() if len(found) == 1 else UNKNOWN


def _class_of(holder: Holder) -> Holder:
    return Holder(holder.path, _ITSELF) if holder.path and not holder.is_itself else UNKNOWN


def _unquoted(annotation: ir.Expression) -> ir.Expression:
    """An annotation; one that is written as a text is a name if it looks like one."""
    match annotation:
        case ir.Constant(_, str() as text) if text.replace(".", "_").isidentifier():
            first, *rest = text.split(".")
            found: ir.Expression = ir.Name(None, first)
            for name in rest:
                found = ir.Attribute(None, found, name)
            return found
        case _:
            return annotation


def is_self_name(expression: ir.Expression) -> bool:
    return isinstance(expression, ir.Name) and expression.name == "self"


_Set: TypeAlias = tuple[ir.Expression, str, ir.Expression | None, bool]
"""An object, its attribute, the value if it is visible, and whether `setattr` sets it."""


def _stored(body: ir.Block) -> Iterator[_Set]:
    """Yield what the statements of a block set attributes to."""
    for statement in own_statements(body):
        match statement:
            case ir.Assign(_, targets, value):
                for target in targets:
                    yield from _set_by(target, value if isinstance(target, ir.Attribute) else None)
            case ir.Augment(_, target) | ir.For(_, target):
                yield from _set_by(target, None)
            case ir.With(_, items):
                for _, entered in items:
                    if entered is not None:
                        yield from _set_by(entered, None)
            case ir.Evaluate(_, ir.Comprehension(_, _, ir.Call() as call) | (ir.Call() as call)):
                yield from _set_by_call(call)
            case _:
                pass


def _set_by(target: ir.Target, value: ir.Expression | None) -> Iterator[_Set]:
    for place in ir.targets_of(target):
        if isinstance(place, ir.Attribute):
            yield place.base, place.name, value, False


def _set_by_call(call: ir.Call) -> Iterator[_Set]:
    match call:
        case ir.Call(_, ir.Name(_, "setattr"), (of, named, given)):
            name = named.value.value if isinstance(named.value, ir.Constant) else None
            is_known = isinstance(name, str)
            yield of.value, str(name) if is_known else "", given.value if is_known else None, True
        case _:
            pass
