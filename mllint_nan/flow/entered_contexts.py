"""The contexts of a `with` statement that an attribute, a helper or a generator stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mllint_nan.flow.arguments import PARTIAL, bind_arguments
from mllint_nan.flow.conversions import has_name
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.precision import kept_by, region_told, stored_by
from mllint_nan.flow.queries import expressions
from mllint_nan.flow.regions import CONVERTING
from mllint_nan.flow.state import Closure, State
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import statements
from mllint_nan.ir.term import FUNCTION, INPUT, OPAQUE, QUALIFIED, Term, peel

if TYPE_CHECKING:
    from mllint_nan.flow.branches import Branches

_CASTS: Final = frozenset(("autocast", "to", "type", *CONVERTING.values()))
_NAMED: Final = frozenset((ir.Name, ir.Attribute))
_SUSPENSIONS: Final = frozenset((ir.Suspension,))
_DEEPEST: Final = 3
_ENTERED_MOST: Final = 4
"""How many statements before the `yield` of a generator are evaluated."""


class Entered(NamedTuple):
    """The contexts behind one item of a `with` statement."""

    contexts: tuple[Term, ...]
    converted: tuple[tuple[Term, Term], ...] = ()
    """The arguments that a generator casts to another format, each with its cast term."""


def entered_by(at: Branches, item: Term) -> Entered:
    """The contexts that an item enters, outermost first; the item itself if no more is known."""
    item = kept_by(at, peel(item))
    if item.operation is not OPAQUE or not item.operands:
        return Entered((item,))
    first = peel(item.operands[0])
    told = region_told(at, first) if item.detail == "call autocast" else None
    if told is not None:
        return Entered((told,))
    closure: Closure | None = None
    if first.operation is FUNCTION:
        closure = first.detail
    elif first.operation is QUALIFIED:
        found = at.imported(str(first.detail))
        made = peel(found) if found is not None else first
        closure = made.detail if made.operation is FUNCTION else None
    given = Arguments(item.operands[1:], {})
    if closure is None and first.operation is INPUT and first.detail == "self":
        name = str(item.detail).removeprefix("call ")
        stored = stored_by(at, first, name)
        if stored is not None:
            return _called(at, item, stored)
        closure = at.method_of(first, name)
        given = Arguments(item.operands, {})
    if closure is not None:
        return _generated(at, item, closure, given) or Entered((item,))
    return _called(at, item, first)


def _called(at: Branches, item: Term, callee: Term) -> Entered:
    """The context that a stored function or `functools.partial` returns, else the item itself."""
    if callee.operation is OPAQUE and callee.detail == f"call {PARTIAL}" and callee.operands[1:]:
        made = at.opaque(f"call {peel(callee.operands[1]).detail}", callee.operands[1:], None)
        return Entered((made,))
    result = None
    if callee.operation is FUNCTION:
        result = at.call_value(None, callee, Arguments((), {}), None)
    return Entered((item if result is None else peel(result),))


def _generated(at: Branches, item: Term, closure: Closure, given: Arguments) -> Entered | None:
    """What a generator enters before its first `yield`; `None` if it is no generator that casts."""
    body = closure.body
    if not isinstance(body, tuple) or not _yields(body) or not _may_cast(body):
        return None
    bound = bind_arguments(closure, given)
    if bound is None or at.budget <= 0 or at.depth >= _DEEPEST:
        return None
    at.budget -= _ENTERED_MOST
    at.depth += 1
    contexts: list[Term] = []
    with at.apart(State(Environment(at.surroundings(closure)), (), at.state.contexts)):
        starred = _bind(at, closure, bound, given)
        changed = {one.key: one for one in _until_yield(at, body, contexts, starred)}
        for parameter in closure.parameters:
            known = at.state.environment.own(parameter.name)
            if known is not None and peel(known).key in at.converted:
                changed[peel(known).key] = peel(known)
    at.depth -= 1
    converted = [
        (one, cast)
        for one in given.everything()
        for cast in changed.values()
        if has_name(one) and peel(one).site is cast.site and peel(one).operands is cast.operands
    ]
    return Entered((item, *contexts), tuple(converted))


def _bind(
    at: Branches, closure: Closure, bound: dict[str, Term], given: Arguments
) -> dict[str, tuple[Term, ...]]:
    """Bind the parameters; return what those with a star collect."""
    starred: dict[str, tuple[Term, ...]] = {}
    for place, parameter in enumerate(closure.parameters):
        if parameter.star == "*" and parameter.name:
            starred[parameter.name] = given.positional[place:]
        elif parameter.name in bound:
            at.bind(parameter.name, peel(bound[parameter.name]))
        elif parameter.default is not None and not parameter.star:
            at.bind(parameter.name, peel(at.evaluate(parameter.default)))
    return starred


def _until_yield(
    at: Branches, body: ir.Block, contexts: list[Term], starred: dict[str, tuple[Term, ...]]
) -> list[Term]:
    """Evaluate what precedes the `yield`; return the modules that loops over arguments convert."""
    changed: list[Term] = []
    for statement in body[:_ENTERED_MOST]:
        match statement:
            case ir.With(_, items, inside) if _yields(inside):
                contexts += [at.evaluate(expression) for expression, _ in items]
                return changed + _until_yield(at, inside, contexts, starred)
            case ir.Try(_, inside) if _yields(inside):
                return changed + _until_yield(at, inside, contexts, starred)
            case ir.For(_, ir.Name(_, name), ir.Name(_, iterable), inside) if iterable in starred:
                for element in starred[iterable]:
                    at.bind(name, peel(element))
                    at.block(inside)
                    known = at.state.environment.own(name)
                    if known is not None and peel(known).key in at.converted:
                        changed.append(peel(known))
            case _ if _yields((statement,)):
                return changed
            case _:
                at.statement(statement)
    return changed


def _may_cast(body: ir.Block) -> bool:
    """Whether a body names a cast, or enters a context that is stored under a name."""
    for one in statements(body):
        named = expressions(one, _NAMED)
        if any(isinstance(e, (ir.Name, ir.Attribute)) and e.name in _CASTS for e in named):
            return True
        if isinstance(one, ir.With) and not all(isinstance(item, ir.Call) for item, _ in one.items):
            return True
    return False


def _yields(body: ir.Block) -> bool:
    return any(expressions(one, _SUSPENSIONS) for one in statements(body))
