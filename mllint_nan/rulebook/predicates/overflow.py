"""Questions about the ends of a range: what overflows, underflows, or is cut off there."""

from __future__ import annotations

from math import inf
from typing import Final

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.inner_products import distances_of_pairs
from mllint_nan.flow.relations import is_logistic
from mllint_nan.flow.unit_vectors import are_cosines
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    number_of,
    signed_factors,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    has_inputs,
    known,
    made_from,
    name_of,
    passed_for,
    passes_through,
    predicate,
    tells,
)
from mllint_nan.rulebook.predicates.differentiation import shows_training
from mllint_nan.rulebook.predicates.gradients import gradient_may_flow
from mllint_nan.rulebook.predicates.members import Infinity, Role, Use, Zero
from mllint_nan.rulebook.predicates.one_number import is_surprise
from mllint_nan.rulebook.predicates.parameters import is_unbounded_output
from mllint_nan.rulebook.predicates.ranges import A_FEW_DOZEN

EXP_OVERFLOWS: Final = {"float16": 11.09, "bfloat16": 88.73, "float32": 88.73, "float64": 709.79}
_EXP_UNDERFLOWS: Final = {
    "float16": -17.33,
    "bfloat16": -92.9,
    "float32": -103.98,
    "float64": -745.14,
}
_LARGEST: Final = FORMATS["float64"].max
PROBABILITIES: Final = frozenset(("softmax", "sigmoid"))
_CENTRED: Final = frozenset(("tanh", "sin", "cos", "cosine_similarity", "erf", "normal", "sign"))
_ORDERED: Final = frozenset(("max", "maximum", "min", "minimum", "size", "square", "sum"))
_COORDINATES_DEEPEST: Final = 12


@tells(Role.DIFFERENCE)
def is_difference(context: Context, x: Term) -> Truth:
    """x is the difference of two quantities of one kind: 0 where they are equal."""
    if context.value(x).can_be(0.0) is Truth.NO:
        return Truth.NO
    inner = behind_views(x)
    if inner.operation.name == "mul":
        return known(any(is_difference(context, part) is Truth.YES for part in inner.operands))
    if inner.operation.name == "relu":
        return is_difference(context, inner.operands[0])
    if inner.operation.name == "gradient":
        return Truth.YES
    if inner.operation.name != "sub":
        return Truth.UNKNOWN
    left, right = (behind_views(operand) for operand in inner.operands)
    if not (has_inputs(left) and has_inputs(right)):
        return Truth.UNKNOWN
    return known(_is_coordinate(left) and _is_coordinate(right)).or_(Truth.UNKNOWN)


def _is_coordinate(term: Term) -> bool:
    """Whether a term is read from somewhere, shifted or scaled, and not computed from several."""
    for _ in range(_COORDINATES_DEEPEST):
        inner = behind_views(term)
        if inner.operation in (INPUT, ATTRIBUTE):
            return True
        if inner.operation is OPAQUE:
            return not str(inner.detail).startswith("call")
        if inner.operation.name in ("mean", "sum") and inner.operands:
            term = inner.operands[0]
            continue
        parts = [part for part in inner.operands if number_of(part) is None]
        if inner.operation.name not in ("mul", "div", "add", "sub") or len(parts) != 1:
            return False
        term = parts[0]
    return False


@predicate
def is_phase(context: Context, y: Term, x: Term) -> Truth:
    """y and x are a sine and a cosine: they are not both 0."""
    above, below = ({part.operation.name for part in walk(term)} for term in (y, x))
    return known(("sin" in above and "cos" in below) or ("cos" in above and "sin" in below))


@tells(Role.PROBABILITY)
def saturates(context: Context, p: Term) -> Truth:
    """p is the output of a softmax or a sigmoid, which reaches 0 and 1 by rounding."""
    inner = behind_views(p)
    if inner.operation is CHOICE:
        answers = {saturates(context, option) for option in inner.operands}
        return answers.pop() if len(answers) == 1 else Truth.NO
    if inner.operation.name == "sub" and number_of(inner.operands[0]) == 1:
        return saturates(context, inner.operands[1])
    if inner.operation.name not in PROBABILITIES and not is_logistic(inner):
        return Truth.NO
    return known(context.value(inner).can_be(0.0) is Truth.YES)


@tells(Use.TRAINED)
def is_trained_on(context: Context, p: Term) -> Truth:
    """The source, or the formula itself, shows that something is trained through the match."""
    is_shown = shows_training(context, p) or is_surprise(context, p)
    return known(gradient_may_flow(context, p) is Truth.YES and is_shown)


@tells(Infinity.GIVEN)
def can_overflow(context: Context, x: Term) -> Truth:
    """exp(x) overflows for a value that x attains.

    Anything else that may be large is NO: almost every exponential has an operand about which
    nothing is shown.
    """
    value = context.value(x)
    limit = EXP_OVERFLOWS[dtype_of(context.occurrence.term)]
    if value.hi <= limit:
        return Truth.NO
    if any(limit < point < _LARGEST for point in value.attained):
        return Truth.YES
    return known(_bound(x, "max", "minimum") > limit or _is_sharpened(context, x, limit))


@tells(Infinity.TRAINED)
def grows_with_weights(context: Context, x: Term) -> Truth:
    """exp(x) overflows for some weights: a layer computes x, and nothing bounds it afterwards.

    UNKNOWN for a fraction of such an output, as half of a log-variance: the layer has to give a
    multiple of the bound, and whatever reads the whole output has overflowed long before. Also for
    a decay `-relu(y) * t`, positive only for a negative t, and where a factor is passed that is.
    """
    limit = EXP_OVERFLOWS[dtype_of(context.occurrence.term)]
    if context.value(x).hi <= limit or not is_unbounded_output(context, x):
        return Truth.NO
    is_less = _is_scaled_down(x) or _is_decay(context, x) or _is_negative_as_called(context, x)
    return Truth.UNKNOWN if is_less else Truth.YES


def _is_negative_as_called(context: Context, x: Term) -> bool:
    """Whether x is a product that is not above 0 with what the visible calls pass as factors."""
    sign, factors = signed_factors(behind_views(x), behind_views)
    for factor in factors:
        given = passed_for(context, factor) if factor.operation is INPUT else ()
        values = [context.value(one) for one in given or (factor,)]
        if all(value.hi <= 0 for value in values):
            sign = -sign
        elif not all(value.lo >= 0 for value in values):
            return False
    return sign < 0


def _is_decay(context: Context, x: Term) -> bool:
    """Whether x is minus a product in which only factors that are never negative have no bound."""
    inner = behind_views(x)
    if inner.operation.name not in ("mul", "neg"):
        return False
    sign, factors = signed_factors(inner, behind_views)
    is_below = (sign < 0) is not (inner.operation.name == "neg")
    others = [one for one in factors if context.value(one).lo < 0]
    is_cut = len(others) < len(factors)
    return is_below and is_cut and not any(is_unbounded_output(context, one) for one in others)


def _is_scaled_down(x: Term) -> bool:
    inner = behind_views(x)
    if inner.operation.name == "div":
        number = number_of(inner.operands[1])
        return number is not None and abs(number) > 1
    numbers = [number_of(part) for part in inner.operands]
    return inner.operation.name == "mul" and any(
        number is not None and 0 < abs(number) < 1 for number in numbers
    )


@tells(Infinity.SUM)
def overflows_when_summed(context: Context, result: Term, x: Term) -> Truth:
    """exp(x) is finite at the bound that clips x, but a sum of a few dozen such terms is not."""
    limit = EXP_OVERFLOWS[dtype_of(context.occurrence.term)] - A_FEW_DOZEN
    if context.value(x).hi <= limit or _bound(x, "max", "minimum") <= limit:
        return Truth.NO
    return known(
        any(
            consumer.operation.name in ("sum", "mean", "cumsum")
            for _, consumer in made_from(context, result, passes_through())
        )
    )


def _bound(x: Term, setting: str, operation: str, absent: float = -inf) -> float:
    """The literal that x is clipped at; `absent` if it is not."""
    inner = behind_views(x)
    if inner.operation.name == "clip":
        number = number_of(inner.settings.get(setting))
        return absent if number is None or abs(number) > _LARGEST else float(number)
    if inner.operation.name == operation:
        numbers = [float(n) for n in map(number_of, inner.operands) if n is not None]
        return numbers[0] if numbers and abs(numbers[0]) <= _LARGEST else absent
    return absent


def _is_sharpened(context: Context, x: Term, limit: float) -> bool:
    """Whether x is a similarity of unit vectors times a number: equal vectors attain that."""
    inner = behind_views(x)
    if inner.operation.name not in ("mul", "div"):
        return False
    left, right = inner.operands
    if inner.operation.name == "div":
        number = number_of(right)
        return (
            number not in (None, 0)
            and _is_similarity(context, left)
            and 1.0 / float(number) > limit
        )
    for factor, other in ((left, right), (right, left)):
        number = number_of(factor)
        if number is not None and number > limit and _is_similarity(context, other):
            return True
    return False


def _is_similarity(context: Context, term: Term) -> bool:
    inner = behind_views(term)
    if inner.operation.name == "cosine_similarity" or are_cosines(inner, context.value):
        return True
    return inner.operation.name == "matmul" and all(
        behind_views(operand).operation.name == "normalize" for operand in inner.operands
    )


def known_as(term: Term) -> str:
    return name_of(term) or name_of(behind_views(term))


@tells(Zero.UNDERFLOW)
def can_underflow(context: Context, s: Term) -> Truth:
    """exp(s) and softplus(s) are 0 for some s: YES if s attains it or is the output of a layer."""
    value = context.value(s)
    least = _EXP_UNDERFLOWS[dtype_of(context.occurrence.term)]
    if value.lo > least:
        return Truth.NO
    evident = any(-_LARGEST < point <= least for point in value.attained)
    evident = evident or _bound(s, "min", "maximum", absent=inf) <= least
    return known(evident or is_unbounded_output(context, s)).or_(Truth.UNKNOWN)


@tells(Role.CENTRED)
def is_signed(context: Context, x: Term) -> Truth:
    """x takes both signs: YES if it is centred at 0, UNKNOWN for any other difference.

    NO for squared distances from inner products, which only rounding makes negative.
    """
    value, inner = context.value(x), behind_views(x)
    if value.lo >= 0 or value.hi <= 0 or distances_of_pairs(inner) is not None:
        return Truth.NO
    if inner.operation.name in _CENTRED or any(-_LARGEST < point < 0 for point in value.attained):
        return Truth.YES
    if inner.operation.name != "sub":
        return Truth.NO
    return is_signed_difference(context, *inner.operands)


@predicate
def is_signed_difference(context: Context, p: Term, q: Term) -> Truth:
    """p - q takes both signs: YES if q is the mean of p, NO if p is a maximum or the number 1.

    Sums, squares and extremes show which is larger if both come from one input.
    """
    left, right = behind_views(p), behind_views(q)
    if right.operation.name == "mean" and right.operands[0].key == left.key:
        return Truth.YES
    of_both = _inputs(left) & _inputs(right)
    if of_both and {left.operation.name, right.operation.name} & _ORDERED:
        return Truth.NO
    if "size" in (left.operation.name, right.operation.name):
        return Truth.NO
    return Truth.UNKNOWN if has_inputs(left) and has_inputs(right) else Truth.NO


def _inputs(term: Term) -> set[int]:
    return {part.key for part in walk(term) if part.operation in (INPUT, OPAQUE, ATTRIBUTE)}
