"""Questions about quotients whose dividend and divisor vanish at one point, as sin(x) / x does.

The intended function has a value there; what is computed is 0 / 0. The same holds for a share of
two errors that are both 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import INPUT, Term, behind_views, number_of, peel, walk
from mllint_nan.rulebook.predicates.accumulators import is_divided_by_own_squares
from mllint_nan.rulebook.predicates.context import (
    Context,
    is_self,
    known,
    name_of,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.counted_up import add_up_nothing
from mllint_nan.rulebook.predicates.guarded_shares import are_shares_of_nothing
from mllint_nan.rulebook.predicates.guards import is_tested
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.selections import is_mask, is_more_than_statistic
from mllint_nan.rulebook.predicates.sequences import is_mean_of_sequence
from mllint_nan.rulebook.predicates.tables import begins_with_nothing

_VANISH: Final = frozenset(
    (
        *("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"),
        *("expm1", "log1p", "erf"),
    )
)
"""Functions that are 0 where their operand is, and about as large as it nearby."""
_ARE_ONE: Final = frozenset(("exp", "cos", "cosh"))
"""Functions that are 1 where their operand is 0."""
_CHOSEN: Final = 1e-3
"""An offset below this is there to keep the operand from 0."""
_DEEPEST: Final = 8

_Line = tuple[frozenset[tuple[int, float]], float]
"""A sum of terms, up to a factor: their coefficients by key, and a number."""


@tells(Zero.TOGETHER)
def vanish_together(context: Context, b: Term, d: Term) -> Truth:
    """b and d are 0 at the same point of an operand, as in sin(x) / x, or where two values meet.

    So are a total and a count that a loop adds up, if it may find nothing to add, and a step and
    the root of a sum of its squares that begins with zeros, and products and sums of guarded shares
    of one count. UNKNOWN for an operand that is not an argument, or that may be a plain Python
    number.
    """
    above, below = ([*_zeros(context, side, _DEEPEST)] for side in (b, d))
    answer = Truth.NO
    for operand, is_curved in above:
        line = _line(operand)
        for other, other_is_curved in below:
            if (is_curved or other_is_curved) and line is not None and line == _line(other):
                answer = answer.or_(_is_reached(context, operand).and_(_is_reached(context, other)))
    if answer is Truth.YES and _is_part_of_own_size(d):
        answer = Truth.UNKNOWN
    if is_mean_of_sequence(context, b, d):
        answer = answer.or_(is_more_than_statistic(context, context.occurrence.term))
    if add_up_nothing(context, b, d) or are_shares_of_nothing(context, b, d):
        answer = answer.or_(is_more_than_statistic(context, context.occurrence.term))
    return answer.or_(
        known(
            _meet(context, b, d)
            or _count_nothing(context, b, d)
            or is_divided_by_own_squares(context, b, d)
        )
    )


def _count_nothing(context: Context, b: Term, d: Term) -> bool:
    """Whether all summands of d, and so b, are 0 if nothing is counted: `2 * p * r / (p + r)`.

    A subtracted summand must share a factor with b, as the count i in `i / (m + n - i)`.
    """
    above = {factor.key for factor in _factors(b, _DEEPEST)}
    summands = [
        (is_added, [*_factors(one, _DEEPEST)]) for one, is_added in _summands(d, True, _DEEPEST)
    ]
    counted = [factors for is_added, factors in summands if is_added]
    if len(counted) < 2:
        return False
    common = frozenset.intersection(*(frozenset(f.key for f in each) for each in counted))

    def is_nothing(factor: Term) -> bool:
        is_common = factor.key in common and _is_masked_sum(context, factor)
        return is_common or _may_count_nothing(context, factor)

    if not all(any(map(is_nothing, each)) for each in counted):
        return False
    shared = [is_added for is_added, factors in summands if any(f.key in above for f in factors)]
    return bool(shared) and shared.count(False) == len(summands) - len(counted)


def _summands(term: Term, is_added: bool, depth: int) -> Iterator[tuple[Term, bool]]:
    """Yield the summands, and whether each is added, not subtracted."""
    inner = behind_views(term)
    if depth > 0 and inner.operation.name in ("add", "sub") and len(inner.operands) == 2:
        others = is_added if inner.operation.name == "add" else not is_added
        yield from _summands(inner.operands[0], is_added, depth - 1)
        yield from _summands(inner.operands[1], others, depth - 1)
    else:
        yield inner, is_added


def _factors(term: Term, depth: int) -> Iterator[Term]:
    """Yield a product and all of its factors, including those of a dividend."""
    inner = behind_views(term)
    yield inner
    if depth > 0 and inner.operation.name in ("mul", "div"):
        for operand in inner.operands[: 1 if inner.operation.name == "div" else None]:
            yield from _factors(operand, depth - 1)


def _may_count_nothing(context: Context, factor: Term) -> bool:
    """Whether a factor is a count that attains 0, or one that begins with 0."""
    value = context.value(factor)
    if value.integer and value.lo == 0 and value.can_be(0.0) is Truth.YES:
        return True
    return begins_with_nothing(context, factor)


def _is_masked_sum(context: Context, term: Term) -> bool:
    """Whether a mask multiplies what is added up, as the predictions in `sum(y_true * y_pred)`."""
    inner = behind_views(term)
    if inner.operation.name not in ("sum", "mean"):
        return False
    product = behind_views(inner.operands[0])
    return product.operation.name == "mul" and any(
        is_mask(context, factor) is Truth.YES for factor in product.operands
    )


def _meet(context: Context, b: Term, d: Term) -> bool:
    """Whether this is `v / (1 - iou + v)` of a squared difference v: 0 / 0 for two equal boxes."""
    total = behind_views(d)
    if total.operation.name != "add" or not _is_squared_difference(context, b):
        return False
    for own, other in _either_way(total.operands):
        rest = behind_views(other)
        is_beside = behind_views(own).key == behind_views(b).key and rest.operation.name == "sub"
        if is_beside and number_of(rest.operands[0]) == 1:
            return context.value(rest.operands[1]).hi >= 1 and not _is_below_one(rest.operands[1])
    return False


def _is_squared_difference(context: Context, term: Term) -> bool:
    inner = behind_views(term)
    if inner.operation.name == "mul":
        varied = [one for one in inner.operands if context.value(one).lo <= 0]
        return len(varied) == 1 and _is_squared_difference(context, varied[0])
    if inner.operation.name != "square":
        return False
    return behind_views(inner.operands[0]).operation.name == "sub"


def _is_below_one(ratio: Term) -> bool:
    """Whether a ratio is a quotient to whose divisor alone something small is added."""
    inner = behind_views(ratio)
    while inner.operation.name in ("clip", "minimum", "maximum"):
        inner = behind_views(inner.operands[0])
    if inner.operation.name != "div":
        return False
    above, below = (any(map(_is_offset, _parts(side, _DEEPEST))) for side in inner.operands)
    return below and not above


def _zeros(context: Context, term: Term, depth: int) -> Iterator[tuple[Term, bool]]:
    """Yield the operands that a term vanishes with, and whether it is no mere multiple of them."""
    inner = behind_views(term)
    name = inner.operation.name
    if depth == 0 or number_of(inner) is not None:
        return
    if name in ("neg", "div", "square"):
        yield from _zeros(context, inner.operands[0], depth - 1)
    elif name == "mul":
        for factor in inner.operands:
            yield from _zeros(context, factor, depth - 1)
    elif name in _VANISH:
        yield _uncapped(context, inner.operands[0]), True
    else:
        curved = _less_one(inner)
        yield (inner, False) if curved is None else (_uncapped(context, curved), True)


def _uncapped(context: Context, term: Term) -> Term:
    """The operand of a bound that does not change it around 0: `minimum(x, 20)`."""
    inner = behind_views(term)
    name = inner.operation.name
    if name == "clip":
        low, high = (inner.settings.get(bound) for bound in ("min", "max"))
        is_free = (low is None or context.value(low).hi < 0) and (
            high is None or context.value(high).lo > 0
        )
        return inner.operands[0] if is_free else inner
    if name in ("minimum", "maximum") and len(inner.operands) == 2:
        for side, bound in _either_way(inner.operands):
            value = context.value(bound)
            if value.lo > 0 if name == "minimum" else value.hi < 0:
                return side
    return inner


def _less_one(term: Term) -> Term | None:
    """The operand of `exp(x) - 1`, `1 - cos(x)` or `log(1 + x)`."""
    name = term.operation.name
    if name == "log":
        inner = behind_views(term.operands[0])
        sides = inner.operands if inner.operation.name == "add" and len(inner.operands) == 2 else ()
        return next((x for x, one in _either_way(sides) if number_of(one) == 1), None)
    if name not in ("sub", "add") or len(term.operands) != 2:
        return None
    one = 1 if name == "sub" else -1
    for side, number in _either_way(term.operands):
        inner = behind_views(side)
        if number_of(number) == one and inner.operation.name in _ARE_ONE:
            return inner.operands[0]
    return None


def _either_way(sides: tuple[Term, ...]) -> tuple[tuple[Term, Term], ...]:
    return ((sides[0], sides[1]), (sides[1], sides[0])) if len(sides) == 2 else ()


def _line(term: Term) -> _Line | None:
    """A term as a sum up to a factor, so that `x / y`, `-x` and `2 * x` are one."""
    summands: dict[int, float] = {}
    constant = _add_to(summands, term, 1.0, _DEEPEST)
    least = min((key for key, factor in summands.items() if factor != 0), default=None)
    if least is None:
        return None
    scale = summands[least]
    parts = frozenset((key, round(factor / scale, 9)) for key, factor in summands.items() if factor)
    return parts, round(constant / scale, 9)


def _add_to(summands: dict[int, float], term: Term, factor: float, depth: int) -> float:
    """Add a term to a sum, and return what it adds as a number."""
    inner = behind_views(term)
    number, name = number_of(inner), inner.operation.name
    if number is not None:
        return factor * number
    if depth > 0 and name == "neg":
        return _add_to(summands, inner.operands[0], -factor, depth - 1)
    if depth > 0 and name in ("add", "sub"):
        others = -factor if name == "sub" else factor
        signs = (factor, *(others for _ in inner.operands[1:]))
        sides = zip(inner.operands, signs, strict=True)
        return sum(_add_to(summands, side, sign, depth - 1) for side, sign in sides)
    if depth > 0 and name in ("mul", "div"):
        scale, rest = _scaled(inner)
        if rest is not None and scale != 0:
            return _add_to(summands, rest, factor * scale, depth - 1)
    summands[inner.key] = summands.get(inner.key, 0.0) + factor
    return 0.0


def _scaled(term: Term) -> tuple[float, Term | None]:
    """`2 * x` and `x / 2` as a number and x; a divisor that is not a number counts as 1."""
    if term.operation.name == "div":
        by = number_of(term.operands[1])
        return (1.0 if not by else 1.0 / by), term.operands[0]
    numbers = [number_of(factor) for factor in term.operands]
    others = [one for one, number in zip(term.operands, numbers, strict=True) if number is None]
    scale = 1.0
    for number in numbers:
        scale *= 1.0 if number is None else number
    return scale, others[0] if len(others) == 1 else None


def _is_reached(context: Context, operand: Term) -> Truth:
    """Whether an operand reaches 0: an argument as it is passed, or shifted by numbers."""
    if context.oracle.excludes(operand, 0.0, context.facts):
        return Truth.NO
    parts = list(_parts(operand, _DEEPEST))
    if any(is_tested(context, part) is Truth.YES for part in (operand, *parts)):
        return Truth.NO
    if any(_is_offset(part) for part in parts):
        return Truth.NO
    if context.kind(operand) is not Kind.NUMBER and any(_is_argument(context, p) for p in parts):
        return Truth.YES
    return Truth.UNKNOWN


def _is_part_of_own_size(divisor: Term) -> bool:
    """Whether a divisor is a part up to some share of its size: half of a grid around 0."""
    for view in through_views(divisor):
        if view.operation.name != "subscript":
            continue
        whole = peel(view.operands[0]).key
        for part in walk(view.operands[1]):
            if part.operation.name == "div" and any(
                one.operation.name in ("size", "shape") and peel(one.operands[0]).key == whole
                for one in walk(part)
            ):
                return True
    return False


def _parts(term: Term, depth: int) -> Iterator[Term]:
    """Yield what is added up, without the factors that scale it."""
    inner = behind_views(term)
    if depth > 0 and inner.operation.name in ("add", "sub", "neg", "mul"):
        for operand in inner.operands:
            yield from _parts(operand, depth - 1)
    elif depth > 0 and inner.operation.name == "div":
        yield from _parts(inner.operands[0], depth - 1)
    else:
        yield inner


def _is_offset(part: Term) -> bool:
    number = number_of(part)
    if number is not None:
        return 0 < abs(number) < _CHOSEN
    return is_epsilon_name(name_of(part))


def _is_argument(context: Context, part: Term) -> bool:
    inner = peel(part)
    return (
        inner.operation is INPUT and not is_self(inner) and context.kind(inner) is not Kind.NUMBER
    )
