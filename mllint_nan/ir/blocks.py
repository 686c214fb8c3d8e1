"""The blocks of statements, and the statements of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from mllint_nan.ir import program as ir


def statements(block: ir.Block) -> Iterator[ir.Statement]:
    """Every statement of a block and of the blocks in it."""
    for statement in block:
        yield statement
        if type(statement) in _BLOCKS_OF:
            for inner in blocks_of(statement):
                yield from statements(inner)


def blocks_of(statement: ir.Statement) -> tuple[ir.Block, ...]:
    """The blocks directly in a statement."""
    given_by = _BLOCKS_OF.get(type(statement))
    return given_by(statement) if given_by is not None else ()


def _only(statement: ir.With | ir.Function | ir.Class) -> tuple[ir.Block, ...]:
    return (statement.body,)


def _of_branches(statement: ir.If | ir.While | ir.For) -> tuple[ir.Block, ...]:
    return statement.body, statement.orelse


def _of_try(statement: ir.Try) -> tuple[ir.Block, ...]:
    handlers = (block for _, block in statement.handlers)
    return (statement.body, *handlers, statement.orelse, statement.finalbody)


def _of_match(statement: ir.Match) -> tuple[ir.Block, ...]:
    return tuple([case.body for case in statement.cases])


_BLOCKS_OF: Final[Mapping[type[Any], Callable[[Any], tuple[ir.Block, ...]]]] = {
    ir.If: _of_branches,
    ir.While: _of_branches,
    ir.For: _of_branches,
    ir.With: _only,
    ir.Function: _only,
    ir.Class: _only,
    ir.Try: _of_try,
    ir.Match: _of_match,
}


def own_statements(block: ir.Block) -> list[ir.Statement]:
    """Like `statements`, without the bodies of functions and classes."""
    found: list[ir.Statement] = []
    _add_own(block, found)
    return found


def _add_own(block: ir.Block, found: list[ir.Statement]) -> None:
    for statement in block:
        found.append(statement)
        kind = type(statement)
        if kind in _BLOCKS_OF and kind is not ir.Function and kind is not ir.Class:
            for inner in blocks_of(statement):
                if inner:
                    _add_own(inner, found)
