"""Products that a loop carries from round to round: with factors below 1, they underflow to 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mllint_nan.ir.term import (
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Term,
    behind_views,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context

_SCAN: Final = "call jax.lax.scan"
_COUNTED: Final = "call jax.lax.fori_loop"
_PRODUCTS: Final = frozenset(("matmul", "dot", "einsum"))
_TOTALS: Final = frozenset(("sum", "mean", "max"))
_FACTORS_MOST: Final = 16
_AT_LEAST: Final = 0.5
"""A factor that is never below this takes hundreds of rounds to vanish."""
_AT_MOST: Final = 1.01


@dataclass(frozen=True, slots=True)
class _Round:
    """A round of a loop: what it starts with, its result, and what is passed for its parameter."""

    start: int
    initial: Term | None
    result: Term
    given: Term | None = None
    parameter: int = 0


def shrinks_by_rounds(context: Context, x: Term) -> bool:
    """Whether each round of a loop multiplies x by nonnegative factors, one of them at most 1.

    A density is such a factor, too: wherever it is above 1, the product overflows instead.
    """
    return any(_shrinks(context, one) for one in _rounds(context, behind_views(x)))


def scanned(context: Context, parameter: Term) -> Term | None:
    """The array whose elements `scan` passes to a function, if the function has no other use."""
    key, name = context.analysis.parameters.get(parameter.key, (0, ""))
    scope = context.analysis.functions.get(key)
    uses = context.analysis.consumers.get(key, ())
    if scope is None or scope.parameters[1:2] != (name,) or len(uses) != 1:
        return None
    use = uses[0]
    is_scan = use.operation is OPAQUE and use.detail == _SCAN and len(use.operands) > 3
    return use.operands[3] if is_scan else None


def passed_by_scan(context: Context, parameter: Term) -> tuple[Term, ...]:
    """What `scan` passes to a function for its first parameter: the start, then its own result."""
    key, name = context.analysis.parameters.get(parameter.key, (0, ""))
    scope = context.analysis.functions.get(key)
    uses = context.analysis.consumers.get(key, ())
    if scope is None or scope.parameters[:1] != (name,) or len(uses) != 1:
        return ()
    use = uses[0]
    if use.operation is not OPAQUE or use.detail != _SCAN or len(use.operands) <= 3:
        return ()
    results = [peel(one) for one in scope.returned]
    firsts = [one.operands[0] for one in results if one.operation is SEQUENCE and one.operands]
    return (use.operands[2], *firsts)


def _rounds(context: Context, x: Term) -> Iterator[_Round]:
    """Yield the rounds of the loop that x is the result or the start of."""
    if x.operation is CHOICE and x.detail == "exit":
        yield from _written_rounds(context, x.operands[-1])
    elif x.operation is CHOICE and x.detail == "loop":
        final = context.analysis.carried.get(x.key)
        if final is not None:
            yield from _written_rounds(context, final[0])
    elif x.operation.name == "mul" or x.detail == "update":
        yield from _written_rounds(context, x)
    elif x.operation is OPAQUE:
        yield from _handed_rounds(context, x)


def _written_rounds(context: Context, result: Term) -> Iterator[_Round]:
    inner = peel(result)
    for part in walk(inner):
        if part.operation is CHOICE and part.detail == "loop" and part.operands:
            final = context.analysis.carried.get(part.key)
            if final is not None and peel(final[0]).key == inner.key:
                is_written = inner.detail == "update" and len(inner.operands) == 2
                made = inner.operands[1] if is_written else inner
                yield _Round(part.key, part.operands[0], made)


def _handed_rounds(context: Context, x: Term) -> Iterator[_Round]:
    """Yield the round of `fori_loop(start, stop, body, initial)`, or of `scan(step, initial, xs)`.

    For `scan`, x must be the first part of its result.
    """
    is_first = x.detail == "part 0"
    call = peel(x.operands[0]) if is_first and x.operands else x
    if call.detail == _COUNTED and len(call.operands) == 5 and not is_first:
        body, initial, place, given = call.operands[3], call.operands[4], 1, None
    elif call.detail == _SCAN and len(call.operands) > 3 and is_first:
        body, initial, place, given = call.operands[1], call.operands[2], 0, call.operands[3]
    else:
        return
    function = peel(body)
    scope = context.analysis.functions.get(function.key)
    if function.operation is not FUNCTION or scope is None or len(scope.returned) != 1:
        return
    result = peel(scope.returned[0])
    if given is not None:
        if result.operation is not SEQUENCE or not result.operands:
            return
        result = peel(result.operands[0])
    parameters = {
        context.analysis.parameters[part.key][1]: part.key
        for part in walk(result)
        if part.operation is INPUT
        and context.analysis.parameters.get(part.key, (0, ""))[0] == function.key
    }
    names = scope.parameters
    start = parameters.get(names[place]) if len(names) == 2 else None
    if start is not None:
        yield _Round(start, initial, result, given, parameters.get(names[1 - place], 0))


def _shrinks(context: Context, turn: _Round) -> bool:
    """Whether a round starts with a nonnegative number, and nonnegative factors shrink it."""
    if turn.initial is None or context.value(turn.initial).lo < 0:
        return False
    found = list(_factors(turn))
    others = [term for term, _ in found if term.key != turn.start]
    if not others:  # each round only reads a part, or reshapes
        return False
    if len(found) - len(others) != 1 or any(context.value(one).lo < 0 for one in others):
        return False
    return any(is_by_element and is_below_one(context, one) for one, is_by_element in found)


def _factors(turn: _Round) -> Iterator[tuple[Term, bool]]:
    """Yield the factors of a round's result, and whether each multiplies element by element."""
    pending, count = [(turn.result, True)], 0
    while pending and count < _FACTORS_MOST:
        count += 1
        term, is_by_element = pending.pop()
        inner = behind_views(term)
        if inner.key == turn.parameter and turn.given is not None:
            inner = behind_views(turn.given)
        name, operands = inner.operation.name, inner.operands
        holds_start = any(part.key == turn.start for part in walk(inner))
        if name == "mul" and holds_start:
            pending += [(operand, is_by_element) for operand in operands]
        elif name in _PRODUCTS and holds_start:
            pending += [(operand, False) for operand in operands[-2:]]
        elif name in _TOTALS and holds_start:
            pending.append((operands[0], is_by_element))
        else:
            yield inner, is_by_element


def is_below_one(context: Context, factor: Term) -> bool:
    """Whether a factor is a share, a probability, exp of what is at most 0, or such a density."""
    inner = behind_views(factor)
    if inner.operation.name == "div" and context.value(inner.operands[1]).lo >= 0:
        return behind_views(inner.operands[0]).operation.name == "exp" and is_below_one(
            context, inner.operands[0]
        )
    if inner.operation is CONSTANT or inner.operation in (INPUT, OPAQUE):
        return False
    value = context.value(inner)
    return value.lo >= 0 and value.lo <= _AT_LEAST and value.hi <= _AT_MOST and not value.integer
