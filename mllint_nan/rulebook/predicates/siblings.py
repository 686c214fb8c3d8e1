"""Questions about guards beside a match: what is kept from 0 there and is read bare here.

A guard counts for the operand that it constrains and for no other. For another, it is evidence:
whoever wrote it has seen the 0, or expects it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.state import Occurrence
from mllint_nan.ir.term import CHOICE, Fact, Term, behind_views, number_of, peel, walk
from mllint_nan.naming import names
from mllint_nan.rulebook.intent import is_infinite
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    made_from,
    name_of,
    passes_through,
    predicate,
    tells,
)
from mllint_nan.rulebook.predicates.members import Guard, Zero
from mllint_nan.rulebook.predicates.quotients import elements
from mllint_nan.rulebook.predicates.ranges import is_small
from mllint_nan.rulebook.predicates.vanishing import added_up

_EPSILON_MOST: Final = 1e-3
_COUNT_LEAST: Final = 1.0
"""The floor of a count that divides: `maximum(n, 1)`."""
_LOGARITHMS: Final = frozenset(("log", "log2", "log10"))
_ZERO_AT_ZERO: Final = frozenset(("square", "sqrt", "abs", "neg"))
_SMOOTHS: Final = names("smoothing")
_COMPARISONS: Final = frozenset(("gt", "ge", "eq", "ne"))
_is_view: Final = passes_through()
_is_scaled: Final = passes_through("mul", "div", "neg", "square")


@tells(Zero.BESIDE)
def is_guarded_beside(context: Context, x: Term) -> Truth:
    """Nearby code keeps x from 0 by an epsilon, a floor or a `where`, and this code does not.

    Or it keeps from 0 what x is a multiple, a power or a root of, or another factor or divisor of
    the same kind.
    """
    return known(
        any(_has_guarded_use(context, part) for part in _zeros_of(context, x))
        or _has_guarded_factor(context, x)
        or _has_guarded_twin(context, x)
    )


@tells(Zero.COMPLEMENT)
def is_complement_guarded(context: Context, x: Term) -> Truth:
    """Nearby code keeps 1 - x from 0 in a logarithm or a divisor: a probability may be 0 or 1.

    NO if 1 - x stays below 1, apart from the start value of a search for the minimum.
    """
    return known(
        any(
            _has_guarded_use(context, complement) and not _is_below_one(context, complement)
            for part in _zeros_of(context, x)
            for complement in _complements(context, part)
        )
    )


def is_edge_guarded(context: Context, x: Term) -> bool:
    """Whether nearby code keeps 1 - x**2 from 0: x may be 1 or -1, and is read bare here."""
    return any(
        square.operation.name == "square" and _has_guarded_use(context, complement)
        for _, square in made_from(context, x, _is_view)
        for complement in _complements(context, square)
    )


def _is_below_one(context: Context, p: Term) -> bool:
    """Whether all values that p is set to are below 1, apart from an initial infinity."""
    pending, seen, is_any = [p], set[int](), False
    while pending:
        inner = behind_views(pending.pop())
        if inner.key in seen or inner.detail == "loop":
            continue
        seen.add(inner.key)
        value = context.value(inner)
        if inner.operation is CHOICE and not value.hi < 1:
            pending.extend(inner.operands)
        elif not is_infinite(inner):
            is_any = True
            if not value.hi < 1:
                return False
    return is_any


@tells(Zero.ABOVE)
def is_guarded_above(context: Context, n: Term) -> Truth:
    """The dividend has an epsilon that would keep n, a sum of the same, from 0, and n has none."""
    if context.value(n).can_be(0.0) is Truth.NO:
        return Truth.NO
    dividend = behind_views(context.occurrence.term.operands[0])
    summed = {behind_views(part).key for part in (n, added_up(n), *_summands(n))}
    is_raised = dividend.operation.name == "add" and any(
        is_small(context, epsilon, _EPSILON_MOST) is Truth.YES
        and any(part.key in summed for part in elements(raised))
        for raised, epsilon in (dividend.operands, dividend.operands[::-1])
    )
    return known(
        is_raised
        or any(_is_floor(context, part, key) for part in elements(dividend) for key in summed)
    )


@predicate
def is_meant_for(context: Context, c: Term, d: Term) -> Truth:
    """The condition c is there to keep d from 0, or from numbers close to 0."""
    return known(any(_compares(part, d.key) for part in walk(c)))


@tells(Guard.ALONE)
def has_epsilon_alone(context: Context, y: Term) -> Truth:
    """One summand of y is an epsilon, which can only serve to keep y from 0.

    What smooths labels is no epsilon, however small it is.
    """
    pending = [y]
    while pending:
        inner = behind_views(pending.pop())
        if inner.operation.name in ("add", "sub"):
            pending.extend(inner.operands)
            if inner.operation.name == "add" and any(
                is_small(context, part, _EPSILON_MOST) is not Truth.NO
                and not _SMOOTHS.search(name_of(part))
                for part in inner.operands
            ):
                return Truth.YES
    return Truth.NO


def _zeros_of(context: Context, x: Term) -> Iterator[Term]:
    """Yield x, and what it is 0 with: factors, a dividend, the base of a power."""
    pending = [x]
    while pending:
        part = pending.pop()
        inner = behind_views(part)
        if any(context.value(one).can_be(0.0) is Truth.NO for one in (part, inner)):
            continue
        yield inner
        name = inner.operation.name
        exponent = number_of(inner.operands[1]) if name == "pow" else None
        if name == "mul" or name in _ZERO_AT_ZERO:
            pending.extend(inner.operands)
        elif name == "div" or (exponent is not None and exponent > 0):
            pending.append(inner.operands[0])


def _summands(n: Term) -> tuple[Term, ...]:
    inner = behind_views(n)
    return inner.operands if inner.operation.name in ("sum", "mean") else ()


def _complements(context: Context, part: Term) -> Iterator[Term]:
    """Yield p if part is 1 - p, and each 1 - part that is computed."""
    whole = _complement_of(part)
    if whole is not None:
        yield behind_views(whole)
    for key, consumer in made_from(context, part, _is_view):
        other = _complement_of(consumer)
        if other is not None and other.key == key:
            yield consumer


def _complement_of(term: Term) -> Term | None:
    if term.operation.name == "sub" and number_of(term.operands[0]) == 1:
        return term.operands[1]
    return None


def _has_guarded_use(context: Context, part: Term) -> bool:
    """Whether an operation that is singular at 0 reads it with a guard, on a path through here."""
    for key, floored in made_from(context, part, _is_view):
        if not _is_floor(context, floored, key):
            continue
        for used, user in made_from(context, floored, _is_scaled):
            if _is_singular(user, used) and _is_met(context, user):
                return True
    return False


def _is_floor(context: Context, term: Term, key: int, most: float = _COUNT_LEAST) -> bool:
    """Whether a term keeps the value with the key from 0."""
    name, operands = term.operation.name, term.operands
    if name == "where":
        return _is_replaced(term, key)
    if name == "clip":
        bound = term.settings.get("min")
        return operands[0].key == key and is_small(context, bound, most) is Truth.YES
    if name not in ("add", "maximum"):
        return False
    most = min(most, _EPSILON_MOST) if name == "add" else most
    return any(
        part.key == key and is_small(context, other, most) is Truth.YES
        for part, other in (operands, operands[::-1])
    )


def _is_replaced(where: Term, key: int) -> bool:
    """Whether this is `where(x > 0, x, 1)` or the like."""
    condition, *branches = where.operands
    numbers = [number_of(behind_views(branch)) for branch in branches]
    kept = [behind_views(branch).key == key or branch.key == key for branch in branches]
    is_filled = any(
        branch.operation.name == "ones_like" or (number is not None and number > 0)
        for branch, number in zip(map(behind_views, branches), numbers, strict=True)
    )
    return any(kept) and is_filled and any(_compares(part, key) for part in walk(condition))


def _compares(part: Term, key: int) -> bool:
    """Whether a part compares the value with the key to a number next to 0."""
    if part.operation.name not in _COMPARISONS:
        return False
    return any(
        _is_next_to_zero(bound) and _is_of_magnitude(side, key)
        for side, bound in (part.operands, part.operands[::-1])
    )


def _is_next_to_zero(bound: Term) -> bool:
    number = number_of(bound)
    return number is not None and abs(number) <= _EPSILON_MOST


def _is_of_magnitude(side: Term, key: int) -> bool:
    """Whether a side is the value with the key, or its absolute value."""
    inner = behind_views(side)
    looked_at = behind_views(inner.operands[0]) if inner.operation.name == "abs" else inner
    return key in (inner.key, looked_at.key)


def _is_singular(user: Term, key: int) -> bool:
    name = user.operation.name
    if name == "div":
        return user.operands[1].key == key
    return name in _LOGARITHMS or name in ("sqrt", "rsqrt")


def _is_met(context: Context, user: Term) -> bool:
    """Whether one run of the function may pass both places."""
    here = context.occurrence
    return any(
        place.term is user and place.scope is here.scope and not _excludes(place, here)
        for place in context.analysis.occurrences
    )


def _excludes(one: Occurrence, other: Occurrence) -> bool:
    """Whether a condition holds at one place and not at the other: they are in two branches."""
    holding = {_known(fact) for fact in one.state.facts}
    return any((key, not holds) in holding for key, holds in map(_known, other.state.facts))


def _known(fact: Fact) -> tuple[int, bool]:
    return peel(fact.test).key, fact.holds


def _has_guarded_factor(context: Context, x: Term) -> bool:
    """Whether another factor or divisor of the same kind has a guard: `norm(a) * (norm(b) + eps)`.

    Or `c / (norm(b) + eps) / norm(a)`.
    """
    inner, place = behind_views(x), context.occurrence.term
    bare, guarded = [inner], list[Term]()
    if inner.operation.name == "mul":
        bare = guarded = [behind_views(factor) for factor in inner.operands]
    elif place.operation.name == "div" and behind_views(place.operands[1]) is inner:
        dividend = behind_views(place.operands[0])
        guarded = [behind_views(dividend.operands[1])] if dividend.operation.name == "div" else []
    kinds = {_floored(context, part) for part in guarded} - {""}
    return any(
        part.operation.name in kinds
        and not _floored(context, part)
        and context.value(part).can_be(0.0) is not Truth.NO
        for part in bare
    )


def _floored(context: Context, term: Term) -> str:
    """The operation whose result a term keeps from 0; empty if there is no guard or operation."""
    for operand in term.operands[:2]:
        inner = behind_views(operand)
        if _is_floor(context, term, operand.key, _EPSILON_MOST):
            return inner.operation.name if inner.operation.kind != "leaf" else ""
    return ""


def _has_guarded_twin(context: Context, x: Term) -> bool:
    """Whether `n / (n + b + eps)` is beside `n / (n + a)`: both are 0 / 0 if n counts nothing."""
    quotient, divisor = context.occurrence.term, behind_views(x)
    if quotient.operation.name != "div" or divisor.operation.name != "add":
        return False
    counted = behind_views(quotient.operands[0]).key
    if not _adds(divisor, counted):
        return False
    for key, other in made_from(context, behind_views(quotient.operands[0]), _is_view):
        if other.operation.name != "div" or other.operands[0].key != key:
            continue
        below = behind_views(other.operands[1])
        is_guarded = any(
            _adds(behind_views(part), counted) and _is_floor(context, below, part.key)
            for part in below.operands
        )
        if is_guarded and _is_met(context, other):
            return True
    return False


def _adds(term: Term, key: int) -> bool:
    return term.operation.name == "add" and any(
        behind_views(part).key == key for part in term.operands
    )
