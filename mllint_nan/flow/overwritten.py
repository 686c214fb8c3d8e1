"""Attributes of `self` that a block sets again before other code can read them.

Such a store is dead to all other methods: Aho, Lam, Sethi and Ullman, "Compilers" (2006), 9.1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from mllint_nan.flow.queries import expressions
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import statements
from mllint_nan.ir.stores import is_self_name

_SIMPLE: Final = (ir.Assign, ir.Augment, ir.Evaluate)
_CALLING: Final = frozenset((ir.Call, ir.Name, ir.Attribute))


def dead_stores(method: ir.Function, methods: Collection[str]) -> frozenset[int]:
    """The identities of the targets `self.x` that are dead, in a class with these methods."""
    blocks = [method.body, *(block for one in statements(method.body) for block in _blocks(one))]
    return frozenset(found for block in blocks for found in _dead_in(block, methods))


def _blocks(statement: ir.Statement) -> tuple[ir.Block, ...]:
    match statement:
        case ir.If(_, _, body, orelse):
            return body, orelse
        case ir.With(_, _, body):
            return (body,)
        case _:
            return ()


def _dead_in(block: ir.Block, methods: Collection[str]) -> Iterator[int]:
    names = [target.name for statement in block for target in _targets(statement)]
    if len(set(names)) == len(names):
        return  # as in most blocks, nothing is set again
    for place, statement in enumerate(block):
        for target in _targets(statement):
            if _is_set_again(target.name, block[place + 1 :], methods):
                yield id(target)


def _targets(statement: ir.Statement) -> list[ir.Attribute]:
    """The attributes of `self` that a statement sets, and nothing else."""
    match statement:
        case ir.Assign(_, targets):
            found = targets
        case ir.Augment(_, target):
            found = (target,)
        case _:
            found = ()
    return [one for one in found if isinstance(one, ir.Attribute) and is_self_name(one.base)]


def _is_set_again(name: str, following: ir.Block, methods: Collection[str]) -> bool:
    for statement in following:
        if not isinstance(statement, _SIMPLE) or _may_read(statement, methods):
            return False
        if any(target.name == name for target in _targets(statement)):
            return True
    return False


def _may_read(statement: ir.Statement, methods: Collection[str]) -> bool:
    """Whether a statement calls a method of the class, or hands on the object."""
    alone = 0
    for one in expressions(statement, _CALLING):
        match one:
            case ir.Call(_, ir.Attribute(_, base, name)) if is_self_name(base) and name in methods:
                return True
            case ir.Call(_, ir.Name(_, "super")):
                return True
            case ir.Name(_, "self"):
                alone += 1
            case ir.Attribute(_, base) if is_self_name(base):
                alone -= 1
            case _:
                pass
    return alone > 0
