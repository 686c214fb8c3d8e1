"""What a block of a program contains and may bind, without evaluating it."""

from __future__ import annotations

from collections.abc import Iterator

from mllint_nan.ir import program as ir


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
            return tuple(block for _, _, block in cases)
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
        match statement:
            case ir.Evaluate(_, ir.Call(_, ir.Attribute(_, base, method))) if method.endswith(
                "_"
            ) and not method.startswith("_"):
                path = place_path(base)
                if path:
                    names[path] = None
            case _:
                pass
    return list(names)


def appended(block: ir.Block) -> list[str]:
    names: dict[str, None] = {}
    for statement in own_statements(block):
        match statement:
            case ir.Evaluate(_, ir.Call(_, ir.Attribute(_, ir.Name(_, name), "append"))):
                names[name] = None
            case _:
                pass
    return list(names)


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


def self_attributes(block: ir.Block) -> Iterator[str]:
    for statement in own_statements(block):
        for target in targets(statement):
            for place in ir.targets_of(target):
                match place:
                    case ir.Attribute(_, ir.Name(_, "self"), name):
                        yield name
                    case _:
                        pass
