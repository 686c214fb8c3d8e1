"""Functions and classes whose names are bound again before anything can have used them."""

from __future__ import annotations

from typing import Final

from mllint_nan.flow.queries import expressions
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import blocks_of, statements

_NAMES: Final = frozenset((ir.Name,))


def note_replaced(block: ir.Block) -> None:
    """Mark the definitions of a block, and of the blocks in it, that a later one replaces.

    The later one is in the same block, and nothing between the two mentions the name. A decorated
    definition is not marked: it may be kept elsewhere.
    """
    first: dict[str, int] = {}
    for place, statement in enumerate(block):
        if isinstance(statement, (ir.Function, ir.Class)):
            before = first.get(statement.name)
            if before is not None and not _is_named(block[before + 1 : place + 1], statement.name):
                replaced = block[before]
                assert isinstance(replaced, (ir.Function, ir.Class))
                replaced.is_replaced = True
            first.pop(statement.name, None)
            if not statement.decorators:
                first[statement.name] = place
        for inner in blocks_of(statement):
            note_replaced(inner)


def _is_named(between: ir.Block, name: str) -> bool:
    return any(
        isinstance(one, ir.Name) and one.name == name
        for statement in statements(between)
        for one in expressions(statement, _NAMES)
    )
