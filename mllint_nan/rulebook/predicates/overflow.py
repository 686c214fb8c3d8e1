"""Questions about the ends of a range: what overflows, underflows, or is cut off there."""

from __future__ import annotations

import re
from math import inf
from typing import Final

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import is_clamped_at_zero
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.relations import is_logistic
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    REFERENCE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    has_inputs,
    known,
    leads_to,
    made_from,
    name_of,
    passed_for,
    passes_through,
    predicate,
    through_views,
)
from mllint_nan.rulebook.predicates.gradients import (
    gradient_flows,
    is_of_parameters,
    shows_training,
)
from mllint_nan.rulebook.predicates.graphs import called, has_loops
from mllint_nan.rulebook.predicates.logarithms import is_undone
from mllint_nan.rulebook.predicates.parameters import is_cut_by_constraint, is_unbounded_output
from mllint_nan.rulebook.predicates.ranges import A_FEW_DOZEN, is_small

_EXP_OVERFLOWS: Final = {"float16": 11.09, "bfloat16": 88.73, "float32": 88.73, "float64": 709.79}
_EXP_UNDERFLOWS: Final = {
    "float16": -17.33,
    "bfloat16": -92.9,
    "float32": -103.98,
    "float64": -745.14,
}
_LARGEST: Final = FORMATS["float64"].max
_SHOWN: Final = -1e30
"""A number that is only known to be above one below this may be any."""
_PROBABILITIES: Final = frozenset(("softmax", "sigmoid"))
_EPSILON_MOST: Final = 1e-2
_LOG_SCALES: Final = re.compile(
    r"(^|_)log_?(vars?|variances?|stds?|stddevs?|sigmas?|scales?|s)(_|$|\d)|^logits?_scale$", re.I
)
_LOG_RATIOS: Final = re.compile(r"(^|_)log_?(ratios?|rho|weights?)(_|$|\d)", re.I)
_LOG_PROBABILITIES: Final = re.compile(
    r"(^|_)(log_?(p|pi|prob|probs|probability|probabilities|likelihood|lik)s?|logps?)(_|$|\d)", re.I
)
_DISTRIBUTIONS: Final = re.compile(
    r"(^|[. ])(Normal|Laplace|LogNormal|Cauchy|Gumbel|Logistic|StudentT|MultivariateNormalDiag"
    r"|TruncatedNormal|HalfNormal|NormalDiag)$"
)
_CENTRED: Final = frozenset(("tanh", "sin", "cos", "cosine_similarity", "erf", "normal", "sign"))
_DEGREES: Final = re.compile(r"(torch_geometric|dgl)\b.*\.degree$|(^|\.)(in|out)_degrees?$")
_DEGREE_NAMES: Final = re.compile(r"(^|_)(degs?|degrees?)(_|$|\d)", re.I)
_GRAPHS: Final = re.compile(
    r"(^|_)(adjs?|adj_?mat(rix)?|adjacency(_?mat(rix)?)?)(_(t|dense|[ij]))?\d?$", re.I
)
_SCATTERS: Final = re.compile(r"(^|[._])(scatter\w*|(unsorted_)?segment_sum|index_add_?|bincount)$")
_ORDERED: Final = frozenset(("max", "maximum", "min", "minimum", "size", "square", "sum"))
_COORDINATES_DEEPEST: Final = 12
_ROUNDS: Final = frozenset(("round", "floor"))
_ROUNDING: Final = re.compile(r"(^|[._ ])(ste_?)?(round|floor)(_?(ste|pass))?$", re.I)
_PASSES_SHIFTS: Final = passes_through("add", "sub", "clip", "minimum", "maximum")
_CALLS_DEEPEST: Final = 3
_TOTALS: Final = frozenset(("sum", "mean", "count_nonzero"))
"""What rules of masks and weights ask about, and what guards them."""


# Angles


@predicate
def is_difference(context: Context, x: Term) -> Truth:
    """x is one number minus another of its kind: 0 where both are equal."""
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
    """Read from somewhere, shifted or scaled: neither a product nor a function of several."""
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
    """y is the sine and x the cosine of something: they are not both 0."""
    above, below = ({part.operation.name for part in walk(term)} for term in (y, x))
    return known(("sin" in above and "cos" in below) or ("cos" in above and "sin" in below))


@predicate
def gradient_reaches(context: Context, y: Term, x: Term) -> Truth:
    """Differentiation passes through the match to one of both."""
    return gradient_flows(context, y).or_(gradient_flows(context, x))


# What a clip cuts off


@predicate
def saturates(context: Context, p: Term) -> Truth:
    """p is a probability as a softmax or sigmoid gave it: 0 and 1 are reached by rounding."""
    inner = behind_views(p)
    if inner.operation is CHOICE:
        answers = {saturates(context, option) for option in inner.operands}
        return answers.pop() if len(answers) == 1 else Truth.NO
    if inner.operation.name == "sub" and number_of(inner.operands[0]) == 1:
        return saturates(context, inner.operands[1])
    if inner.operation.name not in _PROBABILITIES and not is_logistic(inner):
        return Truth.NO
    return known(context.value(inner).can_be(0.0) is Truth.YES)


@predicate
def is_trained_on(context: Context, p: Term) -> Truth:
    """Something is trained through the match, by what the source shows."""
    return known(gradient_flows(context, p) is Truth.YES and shows_training(context, p))


@predicate
def is_weighted_by_itself(context: Context, result: Term, c: Term) -> Truth:
    """The logarithm of c is multiplied with c, as in an entropy: nothing is lost where c is 0."""
    keys = {part.key for part in (*through_views(c), *through_views(_clipped(c)))}
    return known(
        any(
            consumer.operation.name == "mul"
            and any(behind_views(operand).key in keys for operand in consumer.operands)
            for _, consumer in made_from(context, result, passes_through("add", "sub", "neg"))
        )
    )


def _clipped(c: Term) -> Term:
    """What was clipped: the operand that is no number."""
    inner = behind_views(c)
    parts = [part for part in inner.operands if number_of(part) is None]
    return parts[0] if parts else inner


@predicate
def is_small_floor(context: Context, lo: Term | None) -> Truth:
    """lo is a small positive number, there to keep a logarithm finite."""
    return known(is_small(context, lo, _EPSILON_MOST))


# Exponentials


@predicate
def can_overflow(context: Context, x: Term) -> Truth:
    """exp(x) is infinite for some x: YES if one is attained, UNKNOWN for a bare logarithm's name.

    Everything else that may be large is NO: almost every exponential has an operand of which
    nothing is shown.
    """
    value = context.value(x)
    limit = _EXP_OVERFLOWS[dtype_of(context.occurrence.term)]
    if value.hi <= limit:
        return Truth.NO
    if any(limit < point < _LARGEST for point in value.attained):
        return Truth.YES
    if _bound(x, "max", "minimum") > limit or _is_sharpened(context, x, limit):
        return Truth.YES
    return Truth.UNKNOWN if _is_logarithm(x) else Truth.NO


@predicate
def grows_with_weights(context: Context, x: Term) -> Truth:
    """exp(x) is infinite for some weights: a layer gives x, and nothing bounds it since."""
    limit = _EXP_OVERFLOWS[dtype_of(context.occurrence.term)]
    return known(context.value(x).hi > limit and is_unbounded_output(context, x))


@predicate
def overflows_when_summed(context: Context, result: Term, x: Term) -> Truth:
    """exp(x) is finite at the bound that clips x, but a sum of a few dozen of them is not."""
    limit = _EXP_OVERFLOWS[dtype_of(context.occurrence.term)] - A_FEW_DOZEN
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
    """A similarity of unit vectors times a number: 1 is reached by equal ones."""
    inner = behind_views(x)
    if inner.operation.name not in ("mul", "div"):
        return False
    left, right = inner.operands
    if inner.operation.name == "div":
        number = number_of(right)
        return number not in (None, 0) and _is_similarity(left) and 1.0 / float(number) > limit
    for factor, other in ((left, right), (right, left)):
        number = number_of(factor)
        if number is not None and number > limit and _is_similarity(other):
            return True
    return False


def _is_similarity(term: Term) -> bool:
    inner = behind_views(term)
    if inner.operation.name == "cosine_similarity":
        return True
    return inner.operation.name == "matmul" and all(
        behind_views(operand).operation.name == "normalize" for operand in inner.operands
    )


def _is_logarithm(x: Term) -> bool:
    """x is called a log ratio or a log scale, or is a difference of two log probabilities."""
    inner = behind_views(x)
    if inner.operation.name == "mul":
        parts = [part for part in inner.operands if number_of(part) is None]
        return len(parts) == 1 and _is_logarithm(parts[0])
    if inner.operation.name == "sub":
        return all(_LOG_PROBABILITIES.search(_known_as(part)) for part in inner.operands)
    name = _known_as(x)
    return bool(_LOG_SCALES.search(name) or _LOG_RATIOS.search(name))


def _known_as(term: Term) -> str:
    return name_of(term) or name_of(behind_views(term))


@predicate
def only_divides(context: Context, result: Term) -> Truth:
    """Only quotients by a sum with the result are made of it: they are 0 where it is infinite."""
    consumers = context.analysis.consumers
    sums = consumers.get(result.key, [])
    quotients = [term for total in sums for term in consumers.get(total.key, ())]
    return known(
        bool(quotients)
        and all(total.operation.name == "add" for total in sums)
        and all(
            term.operation.name == "div"
            and all(part.key != result.key for part in walk(term.operands[0]))
            for term in quotients
        )
    )


@predicate
def is_complement_of_one(context: Context, s: Term) -> Truth:
    """The exponential s is taken from 1 below a logarithm: its operand is negative by then."""
    for consumer in context.analysis.consumers.get(s.key, ()):
        name = consumer.operation.name
        if name == "neg" or (name == "sub" and number_of(consumer.operands[0]) == 1):
            outer = context.analysis.consumers.get(consumer.key, ())
            if any(term.operation.name in ("log1p" if name == "neg" else "log",) for term in outer):
                return Truth.YES
    return Truth.NO


@predicate
def can_underflow(context: Context, s: Term) -> Truth:
    """exp(s) and softplus(s) are 0 for some s: YES if one is attained, or if a layer gives s."""
    value = context.value(s)
    least = _EXP_UNDERFLOWS[dtype_of(context.occurrence.term)]
    if value.lo > least:
        return Truth.NO
    evident = any(-_LARGEST < point <= least for point in value.attained)
    evident = evident or _bound(s, "min", "maximum", absent=inf) <= least
    return known(evident or is_unbounded_output(context, s)).or_(Truth.UNKNOWN)


@predicate
def is_scale(context: Context, result: Term) -> Truth:
    """The result is divided by, or is the scale of a distribution, with nothing added before."""
    return known(
        any(
            (consumer.operation.name == "div" and peel(consumer.operands[1]).key == key)
            or (consumer.operation is OPAQUE and _takes_as_scale(consumer, key))
            for key, consumer in made_from(context, result, passes_through("square", "sqrt"))
        )
    )


def _takes_as_scale(call: Term, key: int) -> bool:
    if not _DISTRIBUTIONS.search(str(call.detail)):
        return False
    return any(peel(argument).key == key for argument in call.operands[1:])


# Epsilons


@predicate
def is_signed(context: Context, x: Term) -> Truth:
    """x is above and below 0: YES for what is centred there, UNKNOWN for any other difference."""
    value = context.value(x)
    if value.lo >= 0 or value.hi <= 0:
        return Truth.NO
    inner = behind_views(x)
    if inner.operation.name in _CENTRED or any(-_LARGEST < point < 0 for point in value.attained):
        return Truth.YES
    if inner.operation.name != "sub":
        return Truth.NO
    return is_signed_difference(context, *inner.operands)


@predicate
def is_signed_difference(context: Context, p: Term, q: Term) -> Truth:
    """p - q is above and below 0: YES where q is the mean of p; NO where p is a maximum or a 1."""
    left, right = behind_views(p), behind_views(q)
    if right.operation.name == "mean" and right.operands[0].key == left.key:
        return Truth.YES
    if {left.operation.name, right.operation.name} & _ORDERED:
        return Truth.NO
    return Truth.UNKNOWN if has_inputs(left) and has_inputs(right) else Truth.NO


# Graphs


@predicate
def is_degree(context: Context, d: Term) -> Truth:
    """d counts the edges of each node, and a node may have none."""
    value = context.value(d)
    if value.lo > 0:
        return Truth.NO
    if has_loops(d):
        return Truth.NO
    inner = behind_views(d)
    while inner.operation.name in ("sqrt", "square", "maximum", "clip"):
        if inner.operation.name in ("maximum", "clip") and value.can_be(0.0) is not Truth.YES:
            return Truth.NO
        inner = behind_views(inner.operands[0])
    if inner.operation is OPAQUE and _DEGREES.search(called(inner)):
        return Truth.YES
    if inner.operation.name == "sum":
        summed = behind_views(inner.operands[0])
        if not _GRAPHS.search(_known_as(inner.operands[0]) or name_of(summed)):
            return Truth.NO
        # Whoever made it may have seen to it that each node has an edge, of its own at least.
        return Truth.UNKNOWN
    if inner.operation is OPAQUE and _is_scatter(inner):
        return known(any(_DEGREE_NAMES.search(name) for name in _names_of(context, d)))
    return Truth.NO


def _is_scatter(term: Term) -> bool:
    return bool(_SCATTERS.search(called(term)))


def _names_of(context: Context, term: Term) -> list[str]:
    """The variables that hold a term where it is used, and where it was made."""
    names = [_known_as(term)]
    names += [str(part.detail) for part in through_views(term) if part.operation is REFERENCE]
    for part in through_views(term):
        names += [str(ref.detail) for ref in context.analysis.references.get(id(part), ())]
    return names


@predicate
def is_checked_for_infinity(context: Context, result: Term) -> Truth:
    """Something compares the result with infinity, or replaces what is not finite."""
    return known(
        any(
            consumer.operation.kind == "comparison"
            or consumer.operation.name in ("nan_to_num", "where")
            or "nan_to_num" in called(consumer)
            or "isinf" in called(consumer)
            for _, consumer in made_from(context, result, passes_through("mul", "sqrt"))
        )
    )


# Quotients


@predicate
def attains_zero(context: Context, d: Term) -> Truth:
    """d is 0 somewhere: YES for what was cut off at 0.

    A magnitude and a difference of two coordinates are not excluded to be 0, nor is the extent of
    two boxes together: both of them would have to be lines, and one line. Sums, means, norms,
    deviations and ranges are for rules of their own.
    """
    inner = behind_views(d)
    if context.value(d).can_be(0.0) is Truth.NO:
        return Truth.NO
    if inner.operation.name not in _TOTALS and context.is_brought(d, 0.0):
        return Truth.YES
    is_cut = _is_cut_at_zero(context, inner) and not _selects_itself(d)
    if is_cut or is_cut_by_constraint(context, inner) is Truth.YES:
        return Truth.YES
    if inner.operation.name in _PROBABILITIES and is_unbounded_output(context, inner.operands[0]):
        return Truth.YES
    if inner.operation.name == "add" and context.kind(d) is not Kind.NUMBER:
        shifted = _shifted_to_zero(context, inner)
        if shifted is not Truth.NO:
            return shifted
    if any(map(_is_extent_of_both, walk(inner))):
        return Truth.UNKNOWN
    if inner.operation.name == "abs":
        return Truth.UNKNOWN
    if inner.operation.name == "sub" and is_difference(context, inner) is Truth.YES:
        return Truth.UNKNOWN
    return Truth.NO


def _shifted_to_zero(context: Context, total: Term) -> Truth:
    """A number is added to what reaches down to minus that number: it keeps nothing from 0."""
    if is_undone(total.operands) and context.value(total).can_be(0.0) is Truth.YES:
        return Truth.YES
    for part, other in (total.operands, total.operands[::-1]):
        number, below = number_of(part), context.value(other).lo
        if number is not None and number > 0 and _SHOWN < below <= -number:
            return Truth.UNKNOWN
    return Truth.NO


@predicate
def is_step(context: Context, d: Term) -> Truth:
    """The match rounds a quotient by d, as a quantiser does, and d is what nothing keeps from 0.

    It was trained, or is the largest magnitude of what is quantised: 0 for a bias as initialised.
    """
    if context.value(d).can_be(0.0) is Truth.NO or not _is_rounded(
        context, context.occurrence.term
    ):
        return Truth.NO
    inner = behind_views(d)
    while inner.operation.name in ("mul", "div", "abs"):
        parts = [part for part in inner.operands if number_of(part) is None]
        if inner.operation.name == "mul" and len(parts) != 1:
            return Truth.NO
        inner = behind_views(parts[0])
    if inner.operation.name == "max":
        return known(behind_views(inner.operands[0]).operation.name == "abs")
    return known(inner.operation is ATTRIBUTE and is_of_parameters(context, inner))


@predicate
def is_exponential_step(context: Context, s: Term) -> Truth:
    """The match, exp(s) or softplus(s), divides what a quantiser rounds, and can underflow."""
    if can_underflow(context, s) is Truth.NO:
        return Truth.NO
    step = context.occurrence.term.key
    quotients = [
        consumer
        for consumer in context.analysis.consumers.get(step, ())
        if consumer.operation.name == "div" and peel(consumer.operands[1]).key == step
    ]
    return known(any(_is_rounded(context, quotient) for quotient in quotients))


def _is_rounded(context: Context, term: Term) -> bool:
    """Whole numbers are made of it, shifted and clipped or not."""
    return leads_to(context, term, _PASSES_SHIFTS, _rounds)


def _rounds(term: Term) -> bool:
    """Also by an own function with a gradient of its own, which is applied by its class."""
    if term.operation is not OPAQUE:
        return term.operation.name in _ROUNDS
    called = name_of(term.operands[0]) if term.detail == "call apply" else str(term.detail)
    return bool(_ROUNDING.search(called))


@predicate
def is_rounded_to_divisor(context: Context, result: Term) -> Truth:
    """The result is rounded to a whole number that something is divided by.

    An epsilon in it is lost there: where it is 0, so is the divisor.
    """
    rounded = filter(_rounds, context.analysis.consumers.get(result.key, ()))
    return known(
        any(
            quotient.operation.name == "div" and behind_views(quotient.operands[1]).key == divisor
            for whole in rounded
            for divisor, quotient in made_from(context, whole, passes_through("mul"))
        )
    )


def _is_cut_at_zero(context: Context, inner: Term) -> bool:
    name = inner.operation.name
    if name == "mul":
        parts = [part for part in inner.operands if number_of(part) is None]
        return any(
            _is_cut_at_zero(context, behind_views(part)) and not _selects_itself(part)
            for part in parts
        )
    if name in ("add", "sub"):  # of areas: 0 where all of them are
        return all(_is_cut_at_zero(context, behind_views(part)) for part in inner.operands)
    if name == "sqrt":
        return _is_cut_at_zero(context, behind_views(inner.operands[0]))
    if name == "clip" and not _is_zero_floor(context, inner.settings.get("min")):
        return False
    if _is_extent_of_both(inner):
        return False
    if name == "maximum" and all(number_of(operand) != 0 for operand in inner.operands):
        return False
    if is_clamped_at_zero(inner):
        return context.value(inner).can_be(0.0) is Truth.YES
    return name in ("relu", "clip", "maximum") and context.value(inner).can_be(0.0) is Truth.YES


def _selects_itself(term: Term) -> bool:
    """Only some elements are left, by a condition on their own values."""
    views = through_views(term)
    return any(
        view.operation.name == "boolean_mask"
        and any(part.key == views[-1].key for part in walk(view.operands[1]))
        for view in views
    )


def _is_zero_floor(context: Context, floor: Term | None, depth: int = _CALLS_DEEPEST) -> bool:
    """0, or an argument that is 0 unless a call passes more: a guard that is off by default."""
    if floor is None or number_of(floor) is not None:
        return floor is not None and number_of(floor) == 0
    given = behind_views(floor)
    if given.operation is not INPUT:
        return False
    passed = passed_for(context, given)
    if passed:
        return depth > 0 and any(_is_zero_floor(context, part, depth - 1) for part in passed)
    return bool(given.operands) and number_of(given.operands[0]) == 0


def _is_extent_of_both(cut: Term) -> bool:
    """max(a, b) - min(c, d), cut off at 0, on one of the paths to there."""
    if cut.operation.name not in ("relu", "clip", "maximum"):
        return False
    pending = [*cut.operands]
    while pending:
        inner = behind_views(pending.pop())
        if inner.operation is CHOICE:
            pending.extend(inner.operands)
        elif inner.operation.name == "sub":
            ends = [behind_views(part).operation.name for part in inner.operands]
            if ends == ["maximum", "minimum"]:
                return True
    return False
