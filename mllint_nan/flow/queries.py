"""What a block of a program contains and may bind, without evaluating it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Final, get_args

from mllint_nan.ir import program as ir

_KEPT_MOST: Final = 2048


def statements(block: ir.Block) -> Iterator[ir.Statement]:
    """Every statement of a block and of the blocks in it."""
    for statement in block:
        yield statement
        for inner in blocks_of(statement):
            yield from statements(inner)


def blocks_of(statement: ir.Statement) -> tuple[ir.Block, ...]:
    match statement:
        case ir.If(_, _, body, orelse) | ir.While(_, _, body, orelse):
            return body, orelse
        case ir.For(_, _, _, body, orelse):
            return body, orelse
        case ir.With(_, _, body):
            return (body,)
        case ir.Try(_, body, handlers, orelse, finalbody):
            return (body, *(block for _, block in handlers), orelse, finalbody)
        case ir.Match(_, _, cases):
            return tuple(case.body for case in cases)
        case ir.Function(_, _, _, body) | ir.Class(_, _, _, body):
            return (body,)
        case _:
            return ()


def own_statements(block: ir.Block) -> Iterator[ir.Statement]:
    """Like `_statements`, without the bodies of functions and classes."""
    for statement in block:
        yield statement
        if not isinstance(statement, ir.Function | ir.Class):
            for inner in blocks_of(statement):
                yield from own_statements(inner)


def assigned(block: ir.Block) -> list[str]:
    """The names, dotted ones too, that a block may bind."""
    names: dict[str, None] = {}
    for statement in own_statements(block):
        for target in targets(statement):
            for place in ir.targets_of(target):
                path = place_path(place)
                if path:
                    names[path] = None
        if isinstance(statement, ir.Function | ir.Class):
            names[statement.name] = None
        if isinstance(statement, ir.Match):
            names.update((name, None) for case in statement.cases for name in case.names)
        for expression in expressions(statement):
            match expression:
                case ir.NamedExpression(_, name):
                    names[name] = None
                case ir.Call(_, ir.Attribute(_, base, method)) if is_in_place(method):
                    names.update((path, None) for path in (_root_path(base),) if path)
                case _:
                    pass
    return list(names)


@lru_cache(_KEPT_MOST)
def written_into(block: ir.Block) -> tuple[str, ...]:
    """The names of what a block changes parts of, without assigning the names themselves."""
    places: list[ir.Expression] = []
    for statement in own_statements(block):
        for target in targets(statement):
            written = ir.targets_of(target)
            places += [place for place in written if not isinstance(place, ir.Name)]
        for expression in expressions(statement):
            match expression:
                case ir.Call(_, ir.Attribute(_, base, method)) if (
                    method in ir.MUTATORS or is_in_place(method)
                ):
                    places.append(base)
                case _:
                    pass
    return tuple(dict.fromkeys(place_path(place).partition(".")[0] for place in places))


def is_in_place(name: str) -> bool:
    """PyTorch's convention: a trailing underscore writes into the operand."""
    return name.endswith("_") and not name.startswith("_")


def _root_path(expression: ir.Expression) -> str:
    """The variable at the root of a chain of calls: `p` of `p.clamp_(0).mul_(2)`."""
    while isinstance(expression, ir.Call) and isinstance(expression.callee, ir.Attribute):
        expression = expression.callee.base
    return place_path(expression)


def expressions(statement: ir.Statement) -> Iterator[ir.Expression]:
    """Every expression that a statement evaluates itself, blocks in it left out."""
    whole: Any = statement
    pending: list[Any] = [
        getattr(whole, name)
        for name in _parts(type(whole))  # type: ignore[arg-type]
        if name not in _BLOCKS
    ]
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind is tuple:
            pending.extend(value)
            continue
        if kind in _EXPRESSIONS:
            yield value
        for name in _parts(kind):  # type: ignore[arg-type]
            pending.append(getattr(value, name))


_BLOCKS: Final = ("body", "orelse", "handlers", "finalbody", "cases")
_EXPRESSIONS: Final[frozenset[type[Any]]] = frozenset(get_args(ir.Expression))


@cache
def _parts(kind: type[Any]) -> tuple[str, ...]:
    """The names of what a statement, a target or an expression consists of."""
    if not dataclasses.is_dataclass(kind):
        return ()
    return tuple(field.name for field in dataclasses.fields(kind) if field.name != "site")


def is_plain(block: ir.Block) -> bool:
    """Whether a call of the block gives what it returns: it neither yields nor awaits."""
    return not any(
        isinstance(expression, ir.Suspension)
        for statement in own_statements(block)
        for expression in expressions(statement)
    )


class OwnClass:
    """A class of the file itself, as its text."""

    def __init__(self, statement: ir.Class) -> None:
        self._builders: tuple[str, ...] | None = None
        self.name = statement.name
        self.bases = statement.bases
        self.decorators = statement.decorators
        self._methods = {
            item.name: item for item in statement.body if isinstance(item, ir.Function)
        }
        methods = self._methods.values()
        self._counts = Counter(name for one in methods for name in self_attributes(one.body))
        later = (one for one in methods if one.name != "__init__")
        self._counts.update(name for one in later for name in grown_attributes(one.body))
        self.stored = {*assigned(statement.body), *self._counts}
        is_reset = any(name in self._counts for name in statement.fields)
        self.fields = () if is_reset else statement.fields

    @property
    def builders(self) -> tuple[str, ...]:
        """The methods that set an attribute to what a class or a `lambda` gives."""
        if self._builders is None:
            methods = self._methods.items()
            self._builders = tuple(name for name, one in methods if any(map(_builds, one.body)))
        return self._builders

    def may_keep(self, name: str, *, given: bool) -> bool:
        """Whether an attribute is set in one place."""
        return self._counts[name] == 1

    def method(self, name: str) -> ir.Function | None:
        """The method of that name, the last if there are several."""
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


@lru_cache(_KEPT_MOST)
def is_simple(function: ir.Function) -> bool:
    """Straight statements and one return: such a call is seen through."""
    if function.decorators and not is_property(function):
        return False
    inside = list(islice(statements(function.body), ir.SEEN_THROUGH_LONGEST + 1))
    return (
        len(inside) <= ir.SEEN_THROUGH_LONGEST
        and not any(isinstance(item, ir.Class) for item in inside)
        and is_plain(function.body)
    )


def is_property(function: ir.Function) -> bool:
    """Whether a method is called by naming it."""
    match function.decorators:
        case (ir.Name(_, name) | ir.Attribute(_, _, name),):
            return name in ir.PROPERTIES
        case _:
            return False


def appended(block: ir.Block) -> list[str]:
    names: dict[str, None] = {}
    for statement in own_statements(block):
        match statement:
            case ir.Evaluate(_, ir.Call(_, ir.Attribute(_, ir.Name(_, name), "append" | "insert"))):
                names[name] = None
            case _:
                pass
    return list(names)


def grown_attributes(block: ir.Block) -> Iterator[str]:
    """The attributes of `self` that a block adds to, or takes from."""
    for statement in own_statements(block):
        for expression in expressions(statement):
            match expression:
                case ir.Call(
                    _, ir.Attribute(_, ir.Attribute(_, ir.Name(_, "self"), name), method)
                ) if method in ir.MUTATORS:
                    yield name
                case _:
                    pass


def targets(statement: ir.Statement) -> tuple[ir.Target, ...]:
    match statement:
        case ir.Assign(_, targets) | ir.Delete(_, targets):
            return targets
        case ir.Augment(_, target) | ir.For(_, target):
            return (target,)
        case ir.With(_, items):
            return tuple(target for _, target in items if target is not None)
        case _:
            return ()


def place_path(place: ir.Expression) -> str:
    match place:
        case ir.Name(_, name):
            return name
        case ir.Attribute(_, base, name):
            inner = place_path(base)
            return f"{inner}.{name}" if inner else ""
        case ir.Subscript(_, base):
            return place_path(base)
        case _:
            return ""


def can_break(block: ir.Block) -> bool:
    """Whether a `break` of the block leaves the loop whose body it is."""
    return any(
        (isinstance(statement, ir.Jump) and statement.leaves)
        or (
            not isinstance(statement, ir.While | ir.For | ir.Function | ir.Class)
            and any(map(can_break, blocks_of(statement)))
        )
        for statement in block
    )


def self_attributes(block: ir.Block) -> Iterator[str]:
    for statement in own_statements(block):
        for target in targets(statement):
            for place in ir.targets_of(target):
                match place:
                    case ir.Attribute(_, ir.Name(_, "self"), name):
                        yield name
                    case _:
                        pass
