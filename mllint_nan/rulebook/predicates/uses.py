"""Uses of the result of a match: one analysis, with one row for each kind of use.

A row says which operations are such a use, and through which others a value is followed to them;
views are always followed. `is_used` asks whether something computed from the value is such a use,
`is_only_used` whether everything is. A result that leaves the function may be used in any way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    ATTRIBUTE,
    OPAQUE,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.carried import holds_integers
from mllint_nan.rulebook.predicates.context import (
    PREDICATES,
    Context,
    Predicate,
    made_from,
    passes_through,
    through_views,
)
from mllint_nan.rulebook.predicates.endings import as_written
from mllint_nan.rulebook.predicates.graphs import called
from mllint_nan.rulebook.predicates.members import Use

_DISTRIBUTIONS: Final = re.compile(
    r"(^|[. ])(Normal|Laplace|LogNormal|Cauchy|Gumbel|Logistic|StudentT|MultivariateNormalDiag"
    r"|TruncatedNormal|HalfNormal|NormalDiag)$"
)
_TAKES_INFINITY: Final = re.compile(
    r"(^|[._ ])(categorical|multinomial|\w*argsort|topk|top_k|logsumexp|log_?add_?exp|isneginf)$",
    re.I,
)
_ABSORBS: Final = frozenset(
    (
        *("exp", "exp2", "softmax", "logsumexp", "logaddexp", "argmax", "argmin", "maximum"),
        *("max", "nan_to_num", "sigmoid", "softplus", "relu"),
    )
)
_CHECKS: Final = re.compile(
    r"(^|[._ ])(is_?(nan|inf|finite)|nan_to_num|assert\w*|check_numerics)_?$"
)
_FINITE: Final = ("isfinite", "isinf", "isnan")
_PATCHES: Final = ("nan_to_num", "without_nan")
_LEAVES_NAN_OUT: Final = re.compile(r"^call (numpy\.nan[a-z]+|fillna)$")
"""NumPy's reductions without NaN, and the method of pandas that replaces it."""
_HANDED_ON: Final = re.compile(r"^(call (\S+\.)?(item|float|cpu|detach|tolist|numpy|to)|part \d+)$")
_PASSES: Final = ("add", "sub", "mul", "div", "neg", "where")
_KEEP_NAN: Final = frozenset(("abs", "mul", "neg", "square", "exp", "stack", "concat"))
_ROUNDS: Final = frozenset(("floor", "ceil", "round", "trunc"))
_PASSES_INTEGERS: Final = passes_through("add", "sub", "mul")
_CARRIES_NAN: Final = (*_PASSES, "pow", "square", "mean", "sum", "minimum", "maximum", "clip")

_IsSuch = Callable[..., bool]
"""Whether a term, computed from the value with this key, is such a use; further arguments come
last."""


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of use: which terms are such a use, and through which others a value is followed."""

    is_such: _IsSuch
    through: Callable[[Term], bool]
    certainty: Truth = Truth.YES
    """UNKNOWN if such a use is only evidence."""
    is_of_calls: bool = False
    """Whether a match with a call's arguments is judged by the uses of the result in its
    function."""

    def some(self, context: Context, result: Term, *others: Term) -> Truth:
        """Whether something that is computed from the result is such a use."""
        start = as_written(context, result) if self.is_of_calls else result
        made = made_from(context, start, self.through)
        is_such = any(self.is_such(context, result, key, one, *others) for key, one in made)
        return self.certainty if is_such else Truth.NO

    def all(self, context: Context, result: Term, *others: Term) -> Truth:
        """Whether everything that is computed from the result is such a use, and anything is."""
        is_any = False
        start = as_written(context, result) if self.is_of_calls else result
        for key, end in _ends(context, start, self.through):
            if end is None or not self.is_such(context, result, key, end, *others):
                return Truth.NO
            is_any = True
        return self.certainty if is_any else Truth.NO


ROWS: Final[dict[Use, Row]] = {}


def is_only_used(context: Context, result: Term, use: Use) -> Truth:
    """Whether everything that is computed from the result is such a use."""
    return ROWS[use].all(context, result)


def use(
    member: Use,
    *through: str,
    follows: Callable[[Term], bool] | None = None,
    certainty: Truth = Truth.YES,
    is_of_calls: bool = False,
) -> Callable[[_IsSuch], _IsSuch]:
    """Make a function the row of a use; its docstring says what such a use is."""

    def known_as(is_such: _IsSuch) -> _IsSuch:
        row = Row(is_such, follows or passes_through(*through), certainty, is_of_calls)
        ROWS[member] = row
        names = ("result", *is_such.__code__.co_varnames[4 : is_such.__code__.co_argcount])
        clause = " ".join((is_such.__doc__ or "").split("\n\n")[0].split())
        for name, ask, subject in (
            ("is_used", row.some, "Some use of result is"),
            ("is_only_used", row.all, "Every use of result is"),
        ):
            asked = PREDICATES.setdefault(name, Predicate(ask, 0, of=Use))
            says = f"{subject} {clause}"
            asked.members[member.value] = Predicate(ask, len(names), names=names, says=says)
        return is_such

    return known_as


def _ends(
    context: Context, result: Term, through: Callable[[Term], bool]
) -> Iterator[tuple[int, Term | None]]:
    """Yield what is computed from the result, where following it ends; None if unknown."""
    pending, seen = [peel(result)], set[int]()
    while pending:
        current = pending.pop()
        if current.key in seen:
            continue
        seen.add(current.key)
        consumers = [
            consumer
            for consumer in context.analysis.consumers.get(current.key, ())
            if consumer.operation is not ATTRIBUTE and consumer.operation.kind != "constant"
        ]
        is_opaque = any(consumer.operation is OPAQUE for consumer in consumers)
        if not consumers or (current.key in context.analysis.escaped and not is_opaque):
            yield current.key, None
        for consumer in consumers:
            if through(consumer):
                pending.append(consumer)
            else:
                yield current.key, consumer


def hands_on(term: Term) -> bool:
    """Whether a term is the same number in another form or scale, or as a part of something."""
    if term.operation.name in ("mul", "sqrt"):
        return True
    is_called = term.operation is OPAQUE and _HANDED_ON.search(str(term.detail)) is not None
    return is_called or term.operation.kind == "view" or term.operation in (ATTRIBUTE, SEQUENCE)


@use(Use.LOGARITHM)
def _is_logarithm(context: Context, result: Term, key: int, made: Term) -> bool:
    """a logarithm, whose value is the first concern."""
    return made.operation.name in ("log", "log2", "log10")


def _keeps_nan(term: Term) -> bool:
    """Whether a term keeps NaN in its place, as views and some operations of NumPy do.

    In other frameworks, the gradients matter as well.
    """
    is_of_numpy = term.framework == "numpy" and term.operation.name in _KEEP_NAN
    is_listed = term.operation is SEQUENCE and any(
        behind_views(part).framework == "numpy" for part in term.operands
    )
    return is_of_numpy or is_listed or (term.operation.kind == "view" and not _leaves_out(term))


def _leaves_out(term: Term) -> bool:
    """Whether NumPy selects what is finite or above 0, or where something else is not 0.

    In other frameworks, the gradient of what is left out stays NaN. NaN itself is not 0.
    """
    if term.framework != "numpy" or term.operation.name not in ("boolean_mask", "subscript"):
        return False
    selected, places = behind_views(term.operands[0]), term.operands[1]
    return any(
        one.operation.name in _FINITE
        or (one.operation.name == "gt" and number_of(one.operands[1]) == 0)
        or (one.operation.name == "ne" and _asks_another(one, selected))
        for one in walk(places)
    )


def _asks_another(comparison: Term, selected: Term) -> bool:
    asked, number = comparison.operands
    return number_of(number) == 0 and all(part.key != selected.key for part in walk(asked))


@use(Use.PATCH, follows=_keeps_nan)
def _is_patch(context: Context, result: Term, key: int, made: Term) -> bool:
    """a patch that replaces what is not finite, or in NumPy leaves it out; another rule covers the
    gradient."""
    if made.operation.name in _PATCHES or _LEAVES_NAN_OUT.search(str(made.detail)):
        return True
    if made.operation.name == "where":
        asked = walk(made.operands[0])
        return any(one.operation.name in _FINITE and one.operands[0].key == key for one in asked)
    return _leaves_out(made)


@use(Use.CHECK, follows=hands_on)
def _is_check(context: Context, result: Term, key: int, made: Term) -> bool:
    """a comparison, a condition, a choice, or a test whether it is finite."""
    return (
        made.operation.kind == "comparison"
        or made.operation.name in ("nan_to_num", "where")
        or _CHECKS.search(called(made)) is not None
        or not context.analysis.conditions.isdisjoint((key, made.key))
    )


@use(Use.SCALE, "square", "sqrt")
def _is_of_scale(context: Context, result: Term, key: int, made: Term) -> bool:
    """a division by it, or a distribution with it as scale, with nothing added before."""
    if made.operation.name == "div":
        return peel(made.operands[1]).key == key
    is_distribution = made.operation is OPAQUE and _DISTRIBUTIONS.search(str(made.detail))
    return bool(is_distribution) and any(peel(part).key == key for part in made.operands[1:])


@use(Use.COMPLEMENT)
def _is_complement(context: Context, result: Term, key: int, made: Term) -> bool:
    """a subtraction from 1 inside a logarithm, whose operand turns negative before an overflow."""
    is_from_one = made.operation.name == "sub" and number_of(made.operands[0]) == 1
    wanted = "log1p" if made.operation.name == "neg" else "log" if is_from_one else ""
    outer = context.analysis.consumers.get(made.key, ())
    return any(term.operation.name == wanted for term in outer)


@use(Use.FACTOR, "neg", "add", "sub")
def _is_factor_of(context: Context, result: Term, key: int, made: Term, v: Term) -> bool:
    """a product with v: v * log(v), as in an entropy, tends to 0 at 0."""
    keys = {part.key for part in (*through_views(v), *through_views(_clipped(v)))}
    return made.operation.name == "mul" and any(
        behind_views(operand).key in keys for operand in made.operands
    )


def _clipped(c: Term) -> Term:
    """What was clipped: the operand that is not a number."""
    inner = behind_views(c)
    parts = [part for part in inner.operands if number_of(part) is None]
    return parts[0] if parts else inner


@use(Use.DIVISOR, "add")
def _is_quotient_by_it(context: Context, result: Term, key: int, made: Term) -> bool:
    """a division by it or by a sum with it, which gives 0 where it is infinite."""
    return (
        made.operation.name == "div"
        and behind_views(made.operands[1]).key == key
        and all(part.key != result.key for part in walk(made.operands[0]))
    )


@use(Use.SQUARE)
def _is_square(context: Context, result: Term, key: int, made: Term) -> bool:
    """a square, whose cotangent vanishes where the square does; it may be compared as well."""
    if made.operation.kind == "comparison":
        beside = context.analysis.consumers.get(result.key, ())
        return any(one.operation.name == "square" for one in beside)
    return made.operation.name == "square"


@use(Use.RANK, *_CARRIES_NAN, "log", certainty=Truth.UNKNOWN, is_of_calls=True)
def _is_ranking(context: Context, result: Term, key: int, made: Term) -> bool:
    """a ranking: which element is the largest, or whether another is larger."""
    if made.operation is OPAQUE:
        return bool(_TAKES_INFINITY.search(str(made.detail)))
    return made.operation.name in ("argmax", "argmin") or made.operation.kind == "comparison"


def _keeps_infinity(term: Term) -> bool:
    """Whether a term passes on an infinity that is meant; a sum does so in NumPy alone.

    In other frameworks, `exp(sum(log(x)))` has a gradient of 0 * inf.
    """
    if term.operation is SEQUENCE or term.operation.kind == "view":
        return not _makes_integers(term)
    is_sum = term.operation.name in ("sum", "mean") and term.framework == "numpy"
    return is_sum or term.operation.name in _PASSES or term.operation.name in _ROUNDS


def _makes_integers(term: Term) -> bool:
    return term.operation.name == "cast" and holds_integers(term)


def _is_kept_in_range(context: Context, integers: Term) -> bool:
    """Whether what becomes of integers is clipped or selected: whatever inf becomes is no index."""
    return any(
        made.operation.name in ("clip", "maximum", "where")
        for _, made in made_from(context, integers, _PASSES_INTEGERS)
    )


@use(Use.ABSORBED, follows=_keeps_infinity)
def _absorbs(context: Context, result: Term, key: int, made: Term) -> bool:
    """an operation that takes -inf as meant: a probability of 0, or never the maximum."""
    if made.operation is OPAQUE:
        return bool(_TAKES_INFINITY.search(str(made.detail)))
    if made.operation.name == "clip":
        return made.settings.get("min") is not None
    if _makes_integers(made):
        return _is_kept_in_range(context, made)
    return made.operation.name in _ABSORBS or made.operation.kind == "comparison"


@use(Use.INTERPOLATION, certainty=Truth.UNKNOWN, is_of_calls=True)
def _interpolates(context: Context, result: Term, key: int, made: Term) -> bool:
    """an interpolation by angle, as between two directions drawn at random.

    sin(t a) / sin(a) is 0 / 0 for parallel ones, whatever is done about the angle a, and so is the
    direction at right angles that sin(t a) and cos(t a) need.
    """
    further = context.analysis.consumers.get(made.key, ())
    if made.operation.name == "mul":
        return {"sin", "cos"} <= {term.operation.name for term in further}
    return made.operation.name == "sin" and any(map(_is_quotient_of_sines, further))


def _is_quotient_of_sines(term: Term) -> bool:
    return term.operation.name == "div" and all(
        behind_views(part).operation.name == "sin" for part in term.operands
    )
