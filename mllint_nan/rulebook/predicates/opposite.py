"""Questions about infinities of both signs that are added: NaN, whatever the limit is."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import Context, known, predicate

_DEEPEST: Final = 8


@predicate
def meets_opposite_pole(context: Context, result: Term, x: Term) -> Truth:
    """The code adds to the log of x a quotient by x that is infinite at 0 with the opposite sign.

    So do the densities `-a * log(x) - b / x` of the inverse gamma distribution and its kin.
    """
    return known(_meets(context, result, x, -1, _DEEPEST))


def _meets(context: Context, part: Term, x: Term, sign: int, depth: int) -> bool:
    """Whether something computed from `part` is added to a pole at x = 0 of the opposite sign."""
    if depth == 0:
        return False
    for consumer in context.analysis.consumers.get(part.key, ()):
        name, operands = consumer.operation.name, consumer.operands
        if name == "neg" or consumer.operation.kind == "view":
            turned = -sign if name == "neg" else sign
            if _meets(context, consumer, x, turned, depth - 1):
                return True
        elif name == "mul":
            factors = [_sign(context, one) for one in operands if one.key != part.key]
            turned = sign * factors[0] if len(factors) == 1 else 0
            if turned and _meets(context, consumer, x, turned, depth - 1):
                return True
        elif name in ("add", "sub"):
            is_left = operands[0].key == part.key
            own = sign if name == "add" or is_left else -sign
            other = operands[1] if is_left else operands[0]
            turns = -1 if name == "sub" and is_left else 1
            if turns * _pole(context, other, x, depth) == -own:
                return True
            if _meets(context, consumer, x, own, depth - 1):
                return True
    return False


def _pole(context: Context, term: Term, x: Term, depth: int) -> int:
    """The sign of the infinity that a term tends to as x falls to 0; 0 if it has no pole there."""
    inner = behind_views(term)
    name, operands = inner.operation.name, inner.operands
    if depth == 0:
        return 0
    if name == "neg":
        return -_pole(context, operands[0], x, depth - 1)
    if name == "div" and behind_views(operands[1]).key == behind_views(x).key:
        return _sign(context, operands[0])
    if name == "mul":
        poles = [_pole(context, one, x, depth - 1) for one in operands]
        signs = [_sign(context, one) for one in operands]
        return poles[0] * signs[1] or poles[1] * signs[0]
    if name in ("add", "sub"):
        second = -1 if name == "sub" else 1
        found = {
            _pole(context, operands[0], x, depth - 1),
            second * _pole(context, operands[1], x, depth - 1),
        } - {0}
        return found.pop() if len(found) == 1 else 0
    return 0


def _sign(context: Context, term: Term) -> int:
    """The sign of a factor that is 0 at most by underflow; 0 for any other."""
    number = number_of(term)
    if number is not None:
        return (number > 0) - (number < 0)
    inner = behind_views(term)
    if inner.operation.name in ("square", "abs"):
        return abs(_sign(context, inner.operands[0]))
    if inner.operation.name in ("mul", "div"):
        return _sign(context, inner.operands[0]) * _sign(context, inner.operands[1])
    value = context.value(term)
    return int(value.lo > 0) - int(value.hi < 0)
