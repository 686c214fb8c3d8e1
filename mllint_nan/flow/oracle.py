"""What values a term can take: the abstract domains applied to terms, under the path's facts."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final, TypeAlias

from mllint_nan.domains import value as values
from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.transfer import TRANSFER, transfer
from mllint_nan.domains.value import Value
from mllint_nan.flow.state import Analysis, Fact, facts_of
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import operation as catalogued
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    constant_of,
    number_of,
    peel,
    walk,
)

_DEEPEST: Final = 60
_REFINED_MOST: Final = 12
"""How many facts are kept beside those of a `where`: nested ones would double them each time."""
_PARTS_MOST: Final = 200
"""How much of a term is looked at for its dtype."""
_EPSILON_NAMES: Final = re.compile(
    r"(^|_)(eps|epsilon|eps\d*|tiny|smooth|smoothing|delta_eps|floor|min_std|jitter)(_|$|\d)",
    re.IGNORECASE,
)
_SCALE_NAMES: Final = re.compile(
    r"(^|_)(scales?|sigmas?|stds?|stddevs?|temperature|radius|conc|concentration|bandwidth"
    r"|lengthscale|rate)(_|$|\d)",
    re.IGNORECASE,
)
_COSINE_NAMES: Final = re.compile(r"(^|_)(cos\w*|sin\w*|dot\w*|c|corr\w*)(_|$|\d)", re.IGNORECASE)
_DECAY_NAMES: Final = re.compile(r"(^|_)(alphas?|betas?|gammas?|decay|momentum)(_|$|\d)", re.I)
_COUNT_NAMES: Final = frozenset(("len", "size", "numel", "shape"))
_DOUBLE: Final = frozenset(("numpy", "math"))


_Known: TypeAlias = dict[tuple[int, str | None], Value]


class Oracle:
    """Answers for the terms of one file, kept for each set of facts that they rest on."""

    def __init__(self, builder: Builder, analysis: Analysis | None = None) -> None:
        self._builder = builder
        self._analysis = analysis if analysis is not None else Analysis()
        self._entered: set[int] = set()
        self._implications: dict[tuple[int, bool], list[tuple[int, Interval]]] = {}
        self._dtypes: dict[Term, str] = {}
        self._known: dict[frozenset[tuple[int, Interval]], _Known] = {}

    def value(self, term: Term, facts: tuple[Fact, ...] = ()) -> Value:
        """The abstract value of `term` where `facts` hold."""
        refined = self._refinements(facts) if facts else {}
        known = self._known.setdefault(frozenset(refined.items()), {})
        return self._value(term, known, refined, 0)

    def _value(
        self, term: Term, known: _Known, refined: Mapping[int, Interval], depth: int
    ) -> Value:
        term = peel(term)
        place = (term.key, term.framework)
        found = known.get(place)
        if found is None:
            if depth > _DEEPEST:
                return values.TOP
            known[place] = values.TOP  # a term that contains itself is unknown in itself
            found = self._computed(term, known, refined, depth + 1)
            restriction = refined.get(term.key)
            if restriction is not None:
                found = _restricted(found, restriction)
            known[place] = found
        return found

    def _computed(
        self, term: Term, known: _Known, refined: Mapping[int, Interval], depth: int
    ) -> Value:
        operation = term.operation
        if operation is CONSTANT:
            return _literal(term)
        if operation is INPUT:
            return self._input(term)
        if operation is ATTRIBUTE:
            if _EPSILON_NAMES.search(str(term.detail)):
                return _POSITIVE
            return _UNSHOWN if _SCALE_NAMES.search(str(term.detail)) else values.free()
        if operation is QUALIFIED:
            return _QUALIFIED_VALUES.get(str(term.detail), values.TOP)
        if operation is CHOICE:
            if term.detail == "loop" or not term.operands:
                return values.free()
            result = self._value(term.operands[0], known, refined, depth)
            for option in term.operands[1:]:
                result = result.join(self._value(option, known, refined, depth))
            return result
        if operation is SEQUENCE:
            result = values.BOTTOM
            for option in term.operands:
                result = result.join(self._value(option, known, refined, depth))
            return result if term.operands else values.TOP
        if operation is OPAQUE:
            return self._opaque(term, known, refined, depth)
        if operation.name not in TRANSFER:
            return values.free()
        related = self._related(term, known, refined, depth)
        operands = [self._value(operand, known, refined, depth) for operand in term.operands]
        settings = {
            name: constant_of(value)
            if constant_of(value) is not None
            else self._value(value, known, refined, depth)
            for name, value in term.settings.items()
        }
        if operation.name in _EXACT_RELATIONS and related is not None:
            return related
        dtype = self._dtypes.get(term)
        if dtype is None:
            dtype = self._dtypes[term] = dtype_of(term)
        result = transfer(operation, operands, settings, dtype)
        if term.written is not None and term.written.path.startswith("math."):
            # Python's own functions raise where an array's would be infinite or NaN.
            finite = _LOGARITHMS if operation.name in ("log", "log2", "log10") else _FINITE
            result = result.restrict(finite)
        return result.meet(related) if related is not None else result

    def _input(self, term: Term) -> Value:
        passed = self._analysis.passed(term) if term.key not in self._entered else []
        if passed:
            self._entered.add(term.key)
            result = values.BOTTOM
            for argument, facts in passed:
                result = result.join(self.value(argument, facts))
            self._entered.discard(term.key)
            return result
        if term.operands:
            default = number_of(term.operands[0])
            if default is not None and default > 0 and _EPSILON_NAMES.search(str(term.detail)):
                return replace(_POSITIVE, interval=Interval(min(default, 1e-18), INF))
        if _EPSILON_NAMES.search(str(term.detail)):
            return _POSITIVE
        return _UNSHOWN if _SCALE_NAMES.search(str(term.detail)) else values.free()

    def _opaque(
        self, term: Term, known: _Known, refined: Mapping[int, Interval], depth: int
    ) -> Value:
        what = str(term.detail)
        if what == "update":
            result = self._value(term.operands[0], known, refined, depth)
            for written in term.operands[1:]:
                result = result.join(self._value(written, known, refined, depth))
            return (
                values.free() if len(term.operands) == 1 else replace(result, attained=frozenset())
            )
        if what in ("part 1", "part 2") and "unique" in str(peel(term.operands[0]).detail):
            return Value(Interval(1.0, INF), integer=True)
        if what in ("in", "not in", "is", "is not", "and", "or"):
            return values.TOP
        return values.free()

    # Relations between operands that intervals lose

    def _related(
        self, term: Term, known: _Known, refined: Mapping[int, Interval], depth: int
    ) -> Value | None:
        rule = _RELATIONS.get(term.operation.name)
        if rule is not None:
            return rule(self, term, lambda t: self._value(t, known, refined, depth))
        if term.operation.name == "where":
            condition, first, second = term.operands
            selected = self._value_where(first, condition, True, refined, depth)
            return selected.join(self._value_where(second, condition, False, refined, depth))
        if term.operation.name == "boolean_mask":
            source, mask = term.operands
            return self._value_where(source, mask, True, refined, depth)
        return None

    # Facts

    def _value_where(
        self, term: Term, condition: Term, holds: bool, refined: Mapping[int, Interval], depth: int
    ) -> Value:
        """The value that `term` has where `condition` came out as `holds`."""
        implied = self._refinements(facts_of(condition, holds))
        if len(refined) < _REFINED_MOST:
            for key, interval in refined.items():
                implied[key] = implied.get(key, _EVERYTHING).meet(interval)
            refined = {key: interval for key, interval in implied.items() if not interval.is_empty}
        known = self._known.setdefault(frozenset(refined.items()), {})
        return self._value(term, known, refined, depth)

    def _refinements(self, facts: tuple[Fact, ...]) -> dict[int, Interval]:
        refined: dict[int, Interval] = {}
        for fact in facts:
            place = (fact.test.key, fact.holds)
            implied = self._implications.get(place)
            if implied is None:
                implied = self._implications[place] = self._implied(fact)
            for key, interval in implied:
                refined[key] = refined.get(key, _EVERYTHING).meet(interval)
        return refined

    def _implied(self, fact: Fact) -> list[tuple[int, Interval]]:
        test = peel(fact.test)
        name = test.operation.name
        if name in ("gt", "ge"):
            left, right = test.operands
            implied = self._differences(left, right, fact.holds)
            for term, bound, above in ((left, right, True), (right, left, False)):
                limit = number_of(bound)
                if limit is None:
                    continue
                strict = (name == "gt") == fact.holds
                upward = above == fact.holds
                implied.append((term.key, _half_line(limit, upward, strict)))
                implied += self._through(term, limit, upward, strict)
            return implied
        if (name == "eq" and fact.holds) or (name == "ne" and not fact.holds):
            left, right = test.operands
            for term, bound in ((left, right), (right, left)):
                limit = number_of(bound)
                if limit is not None:
                    return [(term.key, Interval(float(limit), float(limit)))]
        return []

    def _differences(self, larger: Term, smaller: Term, holds: bool) -> list[tuple[int, Interval]]:
        """`a > b` says on which side of 0 `a - b` and `b - a` are."""
        if not holds:
            larger, smaller = smaller, larger
        build, sub = self._builder.build, catalogued("sub")
        return [
            (build(sub, (larger, smaller)).key, Interval(0.0, INF)),
            (build(sub, (smaller, larger)).key, Interval(-INF, 0.0)),
        ]

    def _through(
        self, term: Term, limit: float, upward: bool, strict: bool
    ) -> list[tuple[int, Interval]]:
        """What a bound on a view or a minimum says of what it was taken from."""
        inner = peel(term)
        if inner.operation.name == "abs" and not upward:
            return [(inner.operands[0].key, Interval(-limit, limit))]
        holds_for_all = (
            inner.operation.kind == "view"
            or (inner.operation.name == "min" and upward)
            or (inner.operation.name == "max" and not upward)
        )
        if not holds_for_all or not inner.operands:
            return []
        source = inner.operands[0]
        return [
            (source.key, _half_line(limit, upward, strict)),
            *self._through(source, limit, upward, strict),
        ]


_EVERYTHING: Final = Interval(-INF, INF)
_FINITE: Final = Interval(-sys.float_info.max, sys.float_info.max)
_LOGARITHMS: Final = Interval(math.log2(5e-324), 1024.0)
"""Of a positive float64, to any base."""
_POSITIVE: Final = Value(Interval(1e-18, INF), free=True)
"""An epsilon: whatever it is, its square is still above 0 in float32."""
_UNSHOWN: Final = Value(values.free().interval)
"""A number of which nothing is shown: a scale is positive, whatever its square could be."""
_QUALIFIED_VALUES: Final[Mapping[str, Value]] = {
    "math.pi": values.constant(3.141592653589793),
    "numpy.pi": values.constant(3.141592653589793),
    "torch.pi": values.constant(3.141592653589793),
    "jax.numpy.pi": values.constant(3.141592653589793),
    "math.e": values.constant(2.718281828459045),
    "numpy.e": values.constant(2.718281828459045),
    "math.inf": values.constant(INF),
    "numpy.inf": values.constant(INF),
    "torch.inf": values.constant(INF),
    "jax.numpy.inf": values.constant(INF),
}


def is_epsilon_name(name: str) -> bool:
    """Whether a name says that its value is a small positive number."""
    return bool(_EPSILON_NAMES.search(name))


def _restricted(value: Value, interval: Interval) -> Value:
    meet = value.interval.meet(interval)
    if meet.is_empty:
        return value
    return replace(
        value,
        interval=meet,
        nan=False,
        attained=frozenset(point for point in value.attained if meet.contains(point)),
    )


def _half_line(limit: float, upward: bool, strict: bool) -> Interval:
    limit = float(limit)
    if upward:
        return Interval(math.nextafter(limit, INF) if strict else limit, INF)
    return Interval(-INF, math.nextafter(limit, -INF) if strict else limit)


def _literal(term: Term) -> Value:
    if isinstance(term.detail, bool):
        return values.constant(float(term.detail))
    number = number_of(term)
    if number is None:
        return values.TOP
    try:
        return values.constant(float(number))
    except OverflowError:
        return values.constant(INF if number > 0 else -INF)


def dtype_of(term: Term) -> str:
    """The float format of a term by what the source shows, else its framework's default."""
    frameworks: set[str] = set()
    for part in islice(walk(term), _PARTS_MOST):
        if part.settings and (part.operation.name == "cast" or part.operation.kind == "constant"):
            dtype = dtype_name(part.settings.get("dtype"))
            if dtype is not None:
                return dtype
        if part.framework is not None:
            frameworks.add(part.framework)
    return "float64" if frameworks and frameworks <= _DOUBLE else "float32"


_FORMATS: Final = {
    "float16": "float16",
    "half": "float16",
    "bfloat16": "bfloat16",
    "float32": "float32",
    "float": "float32",
    "float64": "float64",
    "double": "float64",
}


def dtype_name(term: Term | None) -> str | None:
    """`float16` of `torch.half`, `"float16"`, `np.float16`; None if it is no float format."""
    if term is None:
        return None
    inner = peel(term)
    if inner.operation is CONSTANT and isinstance(inner.detail, str):
        return _FORMATS.get(inner.detail.rpartition(".")[2])
    if inner.operation is QUALIFIED:
        return _FORMATS.get(str(inner.detail).rpartition(".")[2])
    return None


def _maximum_of(term: Term, subject: Term) -> bool:
    """Whether `term` is a maximum over the elements of `subject`, in any shape."""
    inner = peel(term)
    while inner.operation.kind == "view" and inner.operands:
        inner = peel(inner.operands[0])
    if inner.operation.name == "subscript":
        inner = peel(inner.operands[0])
    return inner.operation.name == "max" and inner.operands[0].key == subject.key


def _difference(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    left, right = term.operands
    if _maximum_of(right, left):  # x - max(x) ≤ 0, and 0 at the maximum
        return Value(Interval(-INF, 0.0), attained=frozenset({0.0}))
    inner = peel(left)
    if (
        inner.operation.name == "max"
        and peel(right).operation.name == "min"
        and (inner.operands[0].key == peel(right).operands[0].key)
    ):
        return Value(Interval(0.0, INF), attained=frozenset({0.0}))
    if number_of(left) == 1 and peel(right).operation.name == "square":
        bounded = ask(right)
        if bounded.hi > 1 and _may_be_cosine(
            peel(right).operands[0]
        ):  # 1 - c**2 is written of cosines: c = ±1 is meant to happen
            return Value(Interval(-INF, 1.0), attained=frozenset({0.0}), free=True)
    return None


def _may_be_cosine(term: Term) -> bool:
    """Not what some call gave that nothing here says anything about."""
    inner = peel(term)
    while inner.operation.kind == "view" and inner.operands:
        inner = peel(inner.operands[0])
    if inner.operation is INPUT:
        return not _DECAY_NAMES.search(str(inner.detail))
    if inner.operation is not OPAQUE or term.operation is not REFERENCE:
        return inner.operation is not OPAQUE
    return bool(_COSINE_NAMES.search(str(term.detail)))


def _sum(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    inner = peel(term.operands[0])
    while inner.operation.kind == "view" and inner.operation.name in ("collect", "identity"):
        inner = peel(inner.operands[0])
    if inner.operation.name == "exp" and _shifted(inner.operands[0]):
        return Value(Interval(1.0, INF), attained=frozenset({1.0}))
    if inner.operation.name == "softmax":
        return Value(Interval(0.99, 1.01))
    return None


def _shifted(term: Term) -> bool:
    """`x - max(x)`: its largest element is 0."""
    inner = peel(term)
    while inner.operation.name in ("div", "identity", "cast") and inner.operands:
        inner = peel(inner.operands[0])
    return inner.operation.name == "sub" and _maximum_of(inner.operands[1], inner.operands[0])


def is_shift(term: Term) -> bool:
    """A difference from some maximum, scaled or not, on one of the paths at least.

    Whose maximum it is cannot always be shown; that one is subtracted says that the author has
    thought of the overflow.
    """
    inner = peel(term)
    if inner.operation is CHOICE:
        return any(is_shift(option) for option in inner.operands)
    if inner.operation.name in ("mul", "div"):
        return any(is_shift(operand) for operand in inner.operands)
    if inner.operation.kind == "view" and inner.operands:
        return is_shift(inner.operands[0])
    if inner.operation.name in ("add", "where"):
        return any(is_shift(operand) for operand in inner.operands)
    if inner.operation.name == "sub":
        subtracted = inner.operands[1]
        if subtracted.operation is REFERENCE and "max" in str(subtracted.detail).lower():
            return True  # found by comparing, one after the other
        return is_shift(inner.operands[0]) or any(
            part.operation.name in ("max", "maximum", "logsumexp", "log_softmax")
            or (part.operation is OPAQUE and "max" in str(part.detail).lower())
            for part in walk(inner.operands[1])
        )
    return False


def _quotient(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """a / (a + b) for a, b ≥ 0 lies in [0, 1]; else the sign of a quotient is known.

    A zero divisor is taken for +0: sums of squares and counts have no other.
    """
    numerator, denominator = term.operands
    inner = peel(denominator)
    above, below = ask(numerator), ask(denominator)
    if (
        inner.operation.name == "add"
        and any(part.key == numerator.key for part in inner.operands)
        and all(ask(part).lo >= 0 for part in inner.operands)
    ):
        return Value(Interval(0.0, 1.0), nan=True)
    if below.lo >= 0 and above.hi <= 0:
        return Value(Interval(-INF, 0.0), nan=True)
    if below.lo >= 0 and above.lo >= 0:
        return Value(Interval(0.0, INF), nan=True)
    return None


def _sum_of_two(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """x**2 + y**2 attains 0 where both of its parts do."""
    for operand in term.operands:
        for part in (operand, *peel(operand).operands):
            inner = peel(part)
            # A setting, a scale, a share of the whole: not 0 for having been squared.
            if inner.operation is ATTRIBUTE or inner.operation.name == "div":
                return None
            if part.operation is REFERENCE and _SCALE_NAMES.search(str(part.detail)):
                return None
    parts = [ask(operand) for operand in term.operands]
    if all(part.lo >= 0 and 0.0 in part.attained for part in parts):
        return Value(Interval(0.0, INF), attained=frozenset({0.0}), nan=True)
    return None


def _magnitude(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """abs(x + c) and (x + c)**2 are 0 by exact cancellation alone, which nothing shows."""
    inner = peel(term.operands[0])
    if inner.operation.name not in ("add", "sub") or all(
        not ask(operand).is_constant and not is_epsilon_name(str(peel(operand).detail))
        for operand in inner.operands
    ):
        return None
    return Value(Interval(0.0, INF), nan=True)


def _product(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """The inner products of unit vectors lie in [-1, 1]."""
    for operand in term.operands:
        inner = peel(operand)
        while inner.operation.kind == "view" and inner.operands:
            inner = peel(inner.operands[0])
        if inner.operation.name != "normalize":
            return None
    return Value(Interval(-1.001, 1.001), nan=True)


_EXACT_RELATIONS: Final = frozenset(("where", "boolean_mask", "abs", "square"))
"""What these say replaces the transfer function, instead of meeting its result."""
_RELATIONS: Final[Mapping[str, Callable[[Oracle, Term, Callable[[Term], Value]], Value | None]]] = {
    "sub": _difference,
    "sum": _sum,
    "div": _quotient,
    "add": _sum_of_two,
    "abs": _magnitude,
    "square": _magnitude,
    "matmul": _product,
}

__all__ = ["REFERENCE", "Oracle", "dtype_name", "dtype_of"]
