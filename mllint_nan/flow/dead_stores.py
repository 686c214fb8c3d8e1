"""Values that only go into variables that nothing reads: dead stores.

Liveness as in Aho, Lam, Sethi and Ullman, "Compilers" (2nd ed.), section 9.2.5, but by name: a
variable is dead if nothing names it, or if the block assigns it again before anything does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from mllint_nan.flow.queries import expressions, names_within
from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.flow.uses import links_of
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import blocks_of, own_statements, statements
from mllint_nan.ir.term import OPAQUE, Term, peel

_FOLLOWED_MOST: Final = 100
_READS_ALL: Final = frozenset(("locals", "vars", "eval", "exec", "globals"))
_NAMES: Final[frozenset[type[object]]] = frozenset((ir.Name,))


def is_stored_dead(analysis: Analysis, term: Term, scope: Scope) -> bool:
    """Whether a value of a function goes into its variables only, none of which is ever read."""
    body = getattr(scope.node, "body", None)
    if scope.kind != "function" or not isinstance(body, tuple):
        return False
    stores = _stores_of(analysis, term)
    if not stores:
        return False
    named = names_within(body)
    if not _READS_ALL.isdisjoint(named):
        return False
    names = {_name_of(store) for store in stores}
    unread = {name for name in names if _is_named_only_in(name, names, body, named)}
    overwritten = {name for name in names - unread if _is_overwritten(name, stores, body)}
    return names == unread | overwritten


def _stores_of(analysis: Analysis, term: Term) -> list[ir.Assign]:
    """The assignments that a value, and all that is computed from it, ends in; else none."""
    links, stores = links_of(analysis), list[ir.Assign]()
    pending, seen = [term], set[int]()
    while pending:
        current = pending.pop()
        key = current.key
        if key in seen:
            continue
        seen.add(key)
        is_kept = key in analysis.escaped or key in analysis.options_escaped
        if is_kept or key in analysis.conditions or current.operation is OPAQUE:
            return []
        further = [*analysis.consumers.get(key, ()), *links.joined.get(key, ())]
        defined = analysis.definitions.get(id(peel(current)))
        if defined is not None:
            stores.append(defined[0])
        elif not further:
            return []
        pending += further
        if len(seen) > _FOLLOWED_MOST:
            return []
    return stores


def _name_of(store: ir.Assign) -> str:
    (target,) = store.targets
    assert isinstance(target, ir.Name)
    return target.name


def _is_named_only_in(
    name: str, names: Collection[str], body: ir.Block, named: Collection[str]
) -> bool:
    """Whether a function names a variable only where it assigns one of some others."""
    found = 0
    for one in own_statements(body):
        match one:
            case ir.Assign(_, (ir.Name(_, target),)) if target in names:
                found += _mentions(one, name)
            case _:
                pass
    return found == sum(one == name for one in named)


def _mentions(statement: ir.Statement, name: str) -> int:
    found = expressions(statement, _NAMES)
    return sum(isinstance(one, ir.Name) and one.name == name for one in found)


def _is_overwritten(name: str, stores: Collection[ir.Assign], body: ir.Block) -> bool:
    """Whether a variable is assigned again after each store, before anything names it."""
    own = sum(_mentions(one, name) for one in own_statements(body))
    if own != names_within(body).count(name):
        return False  # a function within this one names it
    places = {
        id(one): block[place + 1 :]
        for block in _blocks_within(body)
        for place, one in enumerate(block)
    }
    of_name = [store for store in stores if _name_of(store) == name]
    return all(_is_assigned_first(name, places.get(id(one), ())) for one in of_name)


def _blocks_within(body: ir.Block) -> Iterator[ir.Block]:
    yield body
    for one in own_statements(body):
        yield from blocks_of(one)


def _is_assigned_first(name: str, rest: ir.Block) -> bool:
    """Whether the first of some statements that names a variable assigns it, and no more."""
    for one in rest:
        count = sum(_mentions(inner, name) for inner in statements((one,)))
        match one:
            case ir.Assign(_, (ir.Name(_, target),)) if target == name:
                return count == 1
            case _ if count:
                return False
            case _:
                pass
    return False
