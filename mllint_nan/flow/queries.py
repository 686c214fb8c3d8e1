"""What a block of a program contains and may bind, without evaluating it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final, get_args

from mllint_nan.flow.storage import SHARING
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import blocks_of, own_statements, statements


def length_of(body: ir.Block | ir.Expression, most: int | None = None) -> int:
    """Count the statements of a body, nested ones included; stop counting beyond `most`."""
    if not isinstance(body, tuple):
        return 1
    count, pending = 0, [body]
    while pending and (most is None or count <= most):
        block = pending.pop()
        count += len(block)
        for statement in block:
            pending += blocks_of(statement)
    return count


def assigned(block: ir.Block) -> list[str]:
    """The names, dotted ones too, that a block may bind."""
    names: dict[str, None] = {}
    for statement in own_statements(block):
        for target in targets(statement):
            for place in ir.targets_of(target):
                names[written_path(place)] = None
        if isinstance(statement, (ir.Function, ir.Class)):
            names[statement.name] = None
        if isinstance(statement, ir.Match):
            names.update((name, None) for case in statement.cases for name in case.names)
        for expression in expressions(statement, _BINDING):
            match expression:
                case ir.NamedExpression(_, name):
                    names[name] = None
                case ir.Call():
                    names.update((written_path(place), None) for place in filled_by(expression))
                case _:
                    pass
    return [name for name in names if name]


def assigned_in(statement: ir.While | ir.For | ir.Try) -> tuple[str, ...]:
    """The names that a statement's body may bind, cached in it as it may be evaluated often."""
    if statement.assigned is None:
        statement.assigned = tuple(assigned(statement.body))
    found = statement.assigned
    assert isinstance(found, tuple)
    return found


def binds(block: ir.Block, name: str) -> bool:
    """Whether a block assigns a name, which makes that a variable of its own."""
    return any(
        isinstance(place, ir.Name) and place.name == name
        for statement in own_statements(block)
        for target in targets(statement)
        for place in ir.targets_of(target)
    )


def attributes_read(block: ir.Block) -> set[str]:
    """The attributes of `self` that a body names, without nested functions."""
    return {
        expression.name
        for statement in own_statements(block)
        for expression in expressions(statement, _READING)
        if isinstance(expression, ir.Attribute)
        and isinstance(expression.base, ir.Name)
        and expression.base.name == "self"
    }


def names_read(block: ir.Block) -> set[str]:
    """The names that a body names, without nested functions."""
    return {
        expression.name
        for statement in own_statements(block)
        for expression in expressions(statement, _NAMING)
        if isinstance(expression, ir.Name)
    }


def names_within(block: ir.Block) -> list[str]:
    """The names that a body and the functions in it name, as often as they do."""
    return [
        expression.name
        for statement in statements(block)
        for expression in expressions(statement, _NAMING)
        if isinstance(expression, ir.Name)
    ]


def is_in_place(name: str) -> bool:
    """Whether a method writes into its operand: in PyTorch, it ends in an underscore."""
    return name.endswith("_") and not name.startswith("_")


_FILLING: Final = frozenset(
    (
        *("fill", "put", "partition", "setfield", "__setitem__"),
        *(f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "pow", "mod")),
    )
)
"""Methods that write into their array without a trailing underscore."""
_INTO_FIRST: Final = frozenset(
    ("copyto", "putmask", "place", "put", "put_along_axis", "fill_diagonal", "shuffle")
)
"""NumPy's functions that write into their first argument."""


def is_float(expression: ir.Expression) -> bool:
    """Whether an expression is `float("-inf")` or the like."""
    match expression:
        case ir.Call(_, ir.Name(_, "float"), (ir.Argument(ir.Constant()),)):
            return True
        case _:
            return False


def fills(name: str) -> bool:
    """Whether a method writes into its array."""
    return is_in_place(name) or name in _FILLING


def filled_by(call: ir.Call) -> list[ir.Expression]:
    """The places into whose elements a call writes, as far as its text shows."""
    found = [one.value for one in call.arguments if one.keyword == "out"]
    callee = call.callee
    if not isinstance(callee, ir.Attribute):
        return found
    if fills(callee.name):
        found.append(callee.base)
    is_of_ufunc = callee.name == "at" and isinstance(callee.base, ir.Attribute)
    if callee.name in _INTO_FIRST or is_of_ufunc:
        found += [one.value for one in call.arguments[:1]]
    return found


def written_path(place: ir.Expression | ir.Target) -> str:
    """The variable whose elements a place has: `p` of `p.clamp_(0).mul_(2)` or of `p.T[0]`."""
    while True:
        match place:
            case ir.Subscript(_, base) | ir.Call(_, ir.Attribute(_, base)):
                place = base
            case ir.Attribute(_, base, name) if name in SHARING:
                place = base
            case ir.Name() | ir.Attribute():
                return place_path(place)
            case _:
                return ""


def expressions(
    statement: ir.Statement, kinds: frozenset[type[Any]] | None = None
) -> list[ir.Expression]:
    """Every expression that a statement evaluates itself, without its blocks.

    If `kinds` is given, only expressions of these kinds.
    """
    wanted = _EXPRESSIONS if kinds is None else kinds
    found: list[ir.Expression] = []
    pending: list[Any] = [_PARTS[type(statement)](statement)]
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind is tuple:
            pending += value
            continue
        if kind in wanted:
            found.append(value)
        parts_of = _INNER.get(kind)
        if parts_of is not None:
            parts = parts_of(value)
            if type(parts) is tuple:
                pending += parts
            else:
                pending.append(parts)
    return found


_BLOCKS: Final = ("body", "orelse", "handlers", "finalbody", "cases")
_STATEMENTS: Final[frozenset[type[Any]]] = frozenset(get_args(ir.Statement))
_EXPRESSIONS: Final[frozenset[type[Any]]] = frozenset(get_args(ir.Expression))
_BINDING: Final[frozenset[type[Any]]] = frozenset((ir.NamedExpression, ir.Call))
_NAMING: Final[frozenset[type[Any]]] = frozenset((ir.Name,))
_READING: Final[frozenset[type[Any]]] = frozenset((ir.Attribute,))
_HOLDING: Final = frozenset(
    (
        *("annotation", "annotations", "arguments", "base", "bases", "body", "callee"),
        *("children", "clauses", "conditions", "decorators", "default", "element", "elements"),
        *("indices", "items", "iterable", "left", "operand", "orelse", "parameters", "parts"),
        *("returns", "right", "subject", "target", "targets", "test", "value"),
    )
)
"""The names of the fields that hold nodes: mypyc keeps no types to tell them by."""


def _fields_in(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a node that hold others, without the blocks of a statement."""
    if kind is ir.Constant:
        return ()
    without = _BLOCKS if kind in _STATEMENTS else ()
    names = (field.name for field in dataclasses.fields(kind))
    return tuple(name for name in names if name in _HOLDING and name not in without)


def _nothing_in(node: Any) -> tuple[Any, ...]:
    return ()


def _parts(kind: type[Any]) -> Callable[[Any], Any]:
    """Return a getter of the fields of a node that hold others: one field, or a tuple of all."""
    names = _fields_in(kind)
    return attrgetter(*names) if names else _nothing_in


_PARTS: Final[Mapping[type[Any], Callable[[Any], Any]]] = {
    kind: _parts(kind)
    for kind in (
        *get_args(ir.Statement),
        *get_args(ir.Expression),
        *get_args(ir.Target),
        ir.Argument,
        ir.Clause,
        ir.Parameter,
    )
}
_INNER: Final[Mapping[type[Any], Callable[[Any], Any]]] = {
    kind: parts for kind, parts in _PARTS.items() if _fields_in(kind)
}
"""`_PARTS` without the nodes that hold no others."""


def appended(block: ir.Block) -> list[str]:
    names: dict[str, None] = {}
    for statement in own_statements(block):
        match statement:
            case ir.Evaluate(_, ir.Call(_, ir.Attribute(_, listed, "append" | "insert"))):
                if isinstance(listed, (ir.Name, ir.Attribute)) and (path := place_path(listed)):
                    names[path] = None
            case _:
                pass
    return list(names)


def filled(block: ir.Block) -> list[tuple[str, ir.Expression]]:
    """The variables of which a block sets a single element or key, and to what."""
    found = []
    for statement in own_statements(block):
        match statement:
            case ir.Assign(targets=(ir.Subscript(_, base, (_,)),), value=value):
                if isinstance(base, (ir.Name, ir.Attribute)) and (path := place_path(base)):
                    found.append((path, value))
            case _:
                pass
    return found


def targets(statement: ir.Statement) -> tuple[ir.Target, ...]:
    given_by = _TARGETS_OF.get(type(statement))
    return given_by(statement) if given_by is not None else ()


def _all_of(statement: ir.Assign | ir.Delete) -> tuple[ir.Target, ...]:
    return statement.targets


def _one_of(statement: ir.Augment | ir.For) -> tuple[ir.Target, ...]:
    return (statement.target,)


def _of_items(statement: ir.With) -> tuple[ir.Target, ...]:
    return tuple([target for _, target in statement.items if target is not None])


_TARGETS_OF: Final[Mapping[type[Any], Callable[[Any], tuple[ir.Target, ...]]]] = {
    ir.Assign: _all_of,
    ir.Delete: _all_of,
    ir.Augment: _one_of,
    ir.For: _one_of,
    ir.With: _of_items,
}


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
            not isinstance(statement, (ir.While, ir.For, ir.Function, ir.Class))
            and any(map(can_break, blocks_of(statement)))
        )
        for statement in block
    )
