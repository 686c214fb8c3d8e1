"""What values a term can take: the abstract domains applied to terms, under the path's facts."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeAlias

from mllint_nan.domains import value as values
from mllint_nan.domains.dtype import FORMATS, is_float
from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.restriction import Restriction, joint
from mllint_nan.domains.call import COUNT
from mllint_nan.domains.transfer import TRANSFER, transfer
from mllint_nan.domains.value import Value
from mllint_nan.flow.clamps import FILLED, put
from mllint_nan.flow.formats import dtype_name, dtype_of
from mllint_nan.flow.indicators import Indicated, indicated
from mllint_nan.flow.names import mask_of
from mllint_nan.flow.numbers import Numbers
from mllint_nan.flow.state import Analysis, facts_of
from mllint_nan.flow.tested import Tested, tested_by
from mllint_nan.flow.trained import TRAINED
from mllint_nan.frameworks import registry
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
    Fact,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    signed_factors,
    walk,
)

_DEEPEST: Final = 60
_GIVEN_MOST: Final = 8
"""How often facts are added to those of the place: nested options would double them each time."""
_PARTS_MOST: Final = 2_000
"""How much of a term is looked at for what facts say of it."""
_EPSILON_NAMES: Final = re.compile(
    r"(^|_)(eps|epsilon|eps\d*|tiny|smooth|smoothing|delta_eps|floor|min_std|jitter)(_(?!err)|$|\d)",
    re.IGNORECASE,
)
_NAMES_MOST: Final = 4096
"""Names of which an answer is kept."""
_EPSILON_CALLS: Final = re.compile(r"(^call |\.)(epsilon|eps)$")
_SCALE_NAMES: Final = re.compile(
    r"(^|_)(scales?|sigmas?|stds?|stddevs?|temperature|radius|conc|concentration|bandwidth"
    r"|lengthscale|rate)(_|$|\d)",
    re.IGNORECASE,
)
_COSINE_NAMES: Final = re.compile(r"(^|_)(cos\w*|sin\w*|dot\w*|c|corr\w*)(_|$|\d)", re.IGNORECASE)
_DECAY_NAMES: Final = re.compile(r"(^|_)(alphas?|betas?|gammas?|decay|momentum)(_|$|\d)", re.I)
_COUNT_NAMES: Final = frozenset(("len", "size", "numel", "shape"))


_LOOPS_DEEPEST: Final = 3
_SUMMANDS_MOST: Final = 32
_ROUNDS_MOST: Final = 12
_CARRIED_MOST: Final = 20_000
"""How many terms are evaluated in rounds of loops, in one file."""
_COUNTED: Final = Value(Interval(0.0, INF), integer=True)
"""How often each number occurs, or how much a mask selects."""
_NOTHING: Final[Mapping[int, Value]] = {}
_UNREFINED: Final[Mapping[int, Restriction]] = {}

_Implied: TypeAlias = tuple[int, Restriction]
_Refined: TypeAlias = Mapping[int, Restriction]


@dataclass(frozen=True, slots=True)
class _Point:
    """Where a term is evaluated: what facts leave of which keys, and what loops carry there.

    `given` says how often the facts of an option, a mask or the like were added on the way.
    """

    refined: _Refined
    carried: Mapping[int, Value]
    given: int
    known: dict[tuple[int, str | None], Value]


class Oracle:
    """Answers for the terms of one file, kept for each set of facts that they rest on."""

    def __init__(
        self, builder: Builder, analysis: Analysis | None = None, believes_names: bool = True
    ) -> None:
        """What is called an epsilon is positive, if names are to be believed."""
        self._builder = builder
        self._believes_names = believes_names
        self._analysis = analysis if analysis is not None else Analysis()
        self.numbers = Numbers(self._analysis)
        self._entered: set[int] = set()
        self._implications: dict[tuple[int, bool], list[_Implied]] = {}
        self._points: dict[tuple[frozenset[object], frozenset[object], int], _Point] = {}
        self._refined: dict[tuple[tuple[int, bool], ...], _Refined] = {}
        self._inside: dict[int, frozenset[int] | None] = {}
        self._tested: dict[int, Tested] = {}
        self._budget = _CARRIED_MOST

    def value(self, term: Term, facts: tuple[Fact, ...] = ()) -> Value:
        """The abstract value of `term` where `facts` hold."""
        refined = self._refinements(facts) if facts else _UNREFINED
        return self._value(term, self._nearest(term, refined, _NOTHING, 0), 0)

    def tested(self, fact: Fact) -> Tested:
        """What the condition of a fact of this file looks at."""
        found = self._tested.get(id(fact))
        if found is None:
            found = self._tested[id(fact)] = tested_by(fact.test)
        return found

    def _point(
        self, refined: _Refined, carried: Mapping[int, Value] = _NOTHING, given: int = 0
    ) -> _Point:
        place = (frozenset[object](refined.items()), frozenset[object](carried.items()), given)
        point = self._points.get(place)
        if point is None:
            point = self._points[place] = _Point(refined, carried, given, {})
        return point

    def _value(self, term: Term, point: _Point, depth: int) -> Value:
        term = peel(term)
        place = (term.key, term.framework)
        found = point.known.get(place)
        if found is None:
            if depth > _DEEPEST:
                return values.TOP
            self._budget -= len(point.carried) > 0
            point.known[place] = values.TOP  # a term that contains itself is unknown in itself
            found = self._computed(term, point, depth + 1)
            restriction = point.refined.get(term.key)
            if restriction is not None:
                shown = found.dtype
                found = restriction.of(found, shown if is_float(shown) else dtype_of(term))
            point.known[place] = found
        return found

    def _computed(self, term: Term, point: _Point, depth: int) -> Value:
        operation = term.operation
        if operation is CONSTANT:
            return _literal(term)
        if operation is INPUT:
            return self._input(term)
        if operation is ATTRIBUTE:
            name = str(term.detail)
            if name in _LIMITS and _is_of_format(term):
                return _LIMITS[name]
            if self._is_epsilon(name) or (name == "eps" and _is_of_format(term)):
                return _POSITIVE
            return _UNSHOWN if _SCALE_NAMES.search(name) else values.free()
        if operation is QUALIFIED:
            path = str(term.detail)
            name = path.rpartition(".")[2]
            if self._is_epsilon(name) and registry.framework_of(path) is None:
                return _POSITIVE
            return _QUALIFIED_VALUES.get(path, values.TOP)
        if operation is CHOICE:
            return self._choice(term, point, depth)
        if operation is SEQUENCE:
            result = values.BOTTOM
            for option in term.operands:
                result = result.join(self._value(option, point, depth))
            return result if term.operands else values.TOP
        if operation is OPAQUE:
            return self._opaque(term, point, depth)
        if operation.name not in TRANSFER:
            is_gradient = operation.name == "gradient"
            return _UNSHOWN if is_gradient and is_random_projection(term) else values.free()
        related = self._related(term, point, depth)
        if operation.name in _EXACT_RELATIONS and related is not None:
            return related
        operands = [self._value(operand, point, depth) for operand in term.operands]
        if operation.name == "mul" and any(value.free for value in operands):
            # Scaled by whatever it is, an input is an input.
            operands = [values.free() if value == _UNSHOWN else value for value in operands]
        settings = {
            name: self._setting(name, value, term.framework, point, depth)
            for name, value in term.settings.items()
        }
        result = transfer(operation, operands, settings, dtype_of(term))
        regrouped = self._regrouped(term, point, depth)
        if regrouped is not None:
            result = result.join(regrouped)
        if term.written is not None and term.written.path.startswith("math."):
            # Python's own functions raise where an array's would be infinite or NaN.
            finite = _LOGARITHMS if operation.name in ("log", "log2", "log10") else _FINITE
            result = result.restrict(finite)
        return result.meet(related) if related is not None else result

    def _regrouped(self, term: Term, point: _Point, depth: int) -> Value | None:
        """a - b + c as compiled graphs of TensorFlow and JAX have it: (a + c) - b."""
        if term.operation.name != "add" or term.framework not in _REGROUPING:
            return None
        for difference, added in (term.operands, term.operands[::-1]):
            inner = peel(difference)
            if inner.operation.name == "sub" and number_of(added) is not None:
                first, second = (self._value(part, point, depth) for part in inner.operands)
                dtype = dtype_of(term)
                left = transfer(term.operation, [first, _literal(peel(added))], {}, dtype)
                return transfer(inner.operation, [left, second], {}, dtype)
        return None

    def _setting(
        self, name: str, setting: Term, framework: str | None, point: _Point, depth: int
    ) -> object:
        if name == "dtype":
            return dtype_name(setting, framework) or str(peel(setting).detail)
        constant = constant_of(setting)
        return constant if constant is not None else self._value(setting, point, depth)

    def _choice(self, term: Term, point: _Point, depth: int) -> Value:
        """Each option where its facts hold; what a loop carries; what a loop leaves."""
        point = self._near(term, point)
        if term.detail == "loop" or not term.operands:
            return self._carried(term, point, depth)
        result = values.BOTTOM
        for position, option in enumerate(term.operands):
            facts = term.facts[position] if term.facts else ()
            result = result.join(self._value_given(option, facts, point, depth))
        return _unevidenced(result) if term.detail == "exit" else result

    def _carried(self, term: Term, point: _Point, depth: int) -> Value:
        """The least range that holds at the start of a loop and after each round of it.

        No evidence: how often a loop runs is not known.
        """
        assumed = point.carried.get(term.key)
        if assumed is not None:
            return assumed
        next_round = self._analysis.carried.get(term.key)
        if next_round is None or not term.operands or len(point.carried) >= _LOOPS_DEEPEST:
            return values.free()
        final, facts = next_round
        current = _unevidenced(self._value(term.operands[0], point, depth))
        for _ in range(_ROUNDS_MOST):
            if self._budget <= 0:
                break
            inside = self._point(point.refined, {**point.carried, term.key: current}, point.given)
            following = _unevidenced(self._value_given(final, facts, inside, depth))
            wider = current.widen(current.join(following))
            if wider.leq(current):
                return values.free() if values.free().interval.leq(current.interval) else current
            current = wider
        return values.free()

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
            if default is not None and default > 0 and self._is_epsilon(str(term.detail)):
                return replace(_POSITIVE, interval=Interval(min(default, 1e-18), INF))
            if default == 0 and self._is_epsilon(str(term.detail)):
                return _POSITIVE.join(_ZERO)
        if self._is_epsilon(str(term.detail)):
            return _POSITIVE
        return _UNSHOWN if _SCALE_NAMES.search(str(term.detail)) else values.free()

    def _is_epsilon(self, name: str) -> bool:
        """Whether a name is believed to be that of a small positive number."""
        return self._believes_names and bool(_EPSILON_NAMES.search(name))

    def _opaque(self, term: Term, point: _Point, depth: int) -> Value:
        what = str(term.detail)
        if what == "update":
            return self._updated(term, point, depth)
        if what == TRAINED:
            start = self._value(term.operands[0], point, depth)
            known = values.free(start.dtype)
            return replace(known, attained=start.attained, scattered=start.scattered)
        if what.startswith("call ") and _EPSILON_CALLS.search(what):
            is_known = registry.framework_of(what.removeprefix("call ")) is not None
            return _POSITIVE if is_known or self._believes_names else values.free()
        if what.startswith("call ") and what.endswith("bincount") and not _is_weighed(term):
            return _COUNTED
        if what in ("part 1", "part 2") and "unique" in str(peel(term.operands[0]).detail):
            return Value(Interval(1.0, INF), integer=True)
        if what.startswith("part") and (
            peel(term.operands[0]).operation.name in ("gradient", "shape", "size")
        ):
            return self._value(term.operands[0], point, depth)
        if what == "index":
            start = self._value(term.operands[0], point, depth) if term.operands else _ZERO
            return Value(Interval(start.lo, INF), integer=start.integer)
        if what in ("and", "or"):
            first, second = term.operands
            left = self._value_given(first, facts_of(first, what == "or"), point, depth)
            right = self._value_given(second, facts_of(first, what == "and"), point, depth)
            return _unevidenced(left.join(right))
        return values.TOP if what in ("in", "not in", "is", "is not") else values.free()

    def _updated(self, term: Term, point: _Point, depth: int) -> Value:
        """What was there, or where a mask says so (the third operand) what was written."""
        container, *written = term.operands
        if not written:
            return values.free()
        if "whole" in term.settings:
            return _unevidenced(self._value(written[0], point, depth))
        result = self._value(container, point, depth)
        if len(written) == 2:
            mask = written.pop()
            result = self._value_given(container, facts_of(mask, False), point, depth)
        for part in written:
            result = result.join(self._value(part, point, depth))
        found = put(term)
        if found is None:
            return _unevidenced(result)
        changed = self._value_given(container, (found.fact,), point, depth)
        shown = frozenset[float]() if changed.is_bottom else frozenset({found.number})
        return replace(result, attained=shown, scattered=frozenset())

    # Relations between operands that intervals lose

    def _related(self, term: Term, point: _Point, depth: int) -> Value | None:
        name = term.operation.name
        rule = _RELATIONS.get(name)
        parts = indicated(term) if name == "add" else None
        if parts is not None:
            return self._raised(term, parts, point, depth)
        if rule is not None:
            found = rule(self, term, lambda t: self._value(t, point, depth))
            if found is not None:
                return found
        if name == "where":
            condition, first, second = term.operands
            selected = self._value_given(first, facts_of(condition, True), point, depth)
            left_out = self._value_given(second, facts_of(condition, False), point, depth)
            return selected.join(left_out)
        if name == "boolean_mask":
            source, mask = term.operands
            return self._value_given(source, facts_of(mask, True), point, depth)
        if name in ("subscript", "gather"):
            mask_of_indices = mask_of(term.operands[1])
            if mask_of_indices is not None:
                facts = facts_of(mask_of_indices, True)
                return self._value_given(term.operands[0], facts, point, depth)
        if name == "element":
            return self._element(term, point, depth)
        if name in _COUNTS:
            return self._counted(term, point, depth)
        if name in ("size", "shape") and _is_selected(term.operands[0]):
            return _COUNTED
        if name in ("abs", "square"):
            return self._sized(term, point, depth)
        return None

    def _raised(self, total: Term, parts: Indicated, point: _Point, depth: int) -> Value:
        """A sum to which an amount is added only where a condition on the rest of it holds."""
        holding = self._value_given(parts.base, facts_of(parts.condition, True), point, depth)
        left_out = self._value_given(parts.base, facts_of(parts.condition, False), point, depth)
        amount = _UNIT if parts.amount is None else self._value(parts.amount, point, depth)
        added = transfer(total.operation, [holding, amount], {}, dtype_of(total))
        return added.join(left_out)

    def _element(self, term: Term, point: _Point, depth: int) -> Value | None:
        """Of a `range`."""
        inner = peel(term.operands[0])
        if inner.operation is not OPAQUE or inner.detail != "call builtins.range":
            return None
        limits = [self._value(limit, point, depth) for limit in inner.operands[1:]]
        names = ("stop",) if len(limits) == 1 else ("start", "stop", "step")
        settings = dict(zip(names, limits, strict=False))
        drawn = transfer(catalogued("arange"), [], settings, "float64")
        return replace(_unevidenced(drawn), integer=True)

    def _counted(self, term: Term, point: _Point, depth: int) -> Value | None:
        """At least one element of the mask was seen to hold."""
        if self._any_of(term).key not in point.refined:
            return None
        least = 1.0 / COUNT if term.operation.name == "mean" else 1.0
        mask = self._value(term.operands[0], point, depth)
        return Value(Interval(least, INF)) if mask.lo >= 0.0 and mask.integer else None

    def _any_of(self, count: Term) -> Term:
        """`any` over the elements, and the axis, of a reduction."""
        axes = {name: axis for name, axis in count.settings.items() if name == "axis"}
        return self._builder.build(_ANY, (_elements(count.operands[0]),), axes)

    def _sized(self, term: Term, point: _Point, depth: int) -> Value | None:
        """abs(x) and x**2 by what is known of abs(x)."""
        size = self._builder.build(_ABS, term.operands)
        restriction = point.refined.get(size.key)
        if restriction is None:
            return None
        x = self._value(term.operands[0], point, depth)
        dtype = dtype_of(term)
        whole = transfer(_ABS, [x], {}, dtype)
        return transfer(term.operation, [restriction.of(whole, dtype)], {}, dtype)

    # Facts

    def _value_given(self, term: Term, facts: tuple[Fact, ...], point: _Point, depth: int) -> Value:
        """The value that `term` has where `facts` hold too."""
        implied = self._refinements(facts) if facts else {}
        if implied and term.operation is not CONSTANT:
            parts = self._parts(term)
            implied = {k: found for k, found in implied.items() if parts is None or k in parts}
        if not implied or point.given >= _GIVEN_MOST:
            return self._value(term, point, depth)
        refined = dict(point.refined)
        for key, restriction in implied.items():
            refined[key] = refined.get(key, _EVERYTHING).meet(restriction)
        refined = {key: found for key, found in refined.items() if not found.interval.is_empty}
        inside = self._point(refined, point.carried, point.given + 1)
        return self._value(term, self._near(term, inside), depth)

    def _near(self, term: Term, point: _Point) -> _Point:
        """The point without what `term` does not rest on, so that more terms share it."""
        if not (point.refined or point.carried):
            return point
        return self._nearest(term, point.refined, point.carried, point.given)

    def _nearest(
        self, term: Term, refined: _Refined, carried: Mapping[int, Value], given: int
    ) -> _Point:
        parts = self._parts(term) if refined or carried else None
        if parts is not None:
            refined = {key: refined[key] for key in refined.keys() & parts}
            carried = {key: carried[key] for key in carried.keys() & parts}
            given = min(given, len(refined))
        return self._point(refined, carried, given)

    def _parts(self, term: Term) -> frozenset[int] | None:
        """The keys on which the value of a term may rest; None if they are too many."""
        if term.key not in self._inside:
            seen, pending = set[int](), [term]
            related = set[int]()
            while pending and len(seen) <= _PARTS_MOST:
                part = peel(pending.pop())
                if part.key not in seen:
                    seen.add(part.key)
                    pending.extend(part.children())
                    if part.operation.name in _COUNTS:
                        related.add(self._any_of(part).key)
                    elif part.operation.name == "square":
                        related.add(self._builder.build(_ABS, part.operands).key)
                    if part.key in self._analysis.carried:
                        pending.append(self._analysis.carried[part.key][0])
            self._inside[term.key] = None if len(seen) > _PARTS_MOST else frozenset(seen | related)
        return self._inside[term.key]

    def _refinements(self, facts: tuple[Fact, ...]) -> _Refined:
        path = tuple([(fact.test.key, fact.holds) for fact in facts])
        found = self._refined.get(path)
        if found is None:
            found = self._refined_by(facts)
            if not self._entered:
                self._refined[path] = found
        return found

    def _refined_by(self, facts: tuple[Fact, ...]) -> _Refined:
        found_by_key: dict[int, list[Restriction]] = {}
        for fact in facts:
            place = (fact.test.key, fact.holds)
            implied = self._implications.get(place)
            if implied is None:
                implied = self._implications[place] = self._implied(fact)
            for key, restriction in implied:
                found_by_key.setdefault(key, []).append(restriction)
        refined = {key: joint(found) for key, found in found_by_key.items()}
        for fact in facts:
            for term, restriction in self._bounded(fact, refined):
                for key, found in ((term.key, restriction), *_through(term, restriction)):
                    refined[key] = refined.get(key, _EVERYTHING).meet(found)
        return refined

    def _implied(self, fact: Fact) -> list[_Implied]:
        """What the outcome of a test says of the terms in it, whatever else is known."""
        test, holds = peel(fact.test), fact.holds
        name = test.operation.name
        if name in ("gt", "ge"):
            left, right = test.operands
            strict = (name == "gt") == holds
            implied = self._differences(left, right, holds, strict)
            for term, bound, above in ((left, right, True), (right, left, False)):
                limit = _limit_of(bound)
                if limit is not None:
                    found = _half_line(limit, above == holds, strict, holds)
                    implied += [(term.key, found), *_through(term, found)]
                    implied += self._emptiness(term, found)
            return implied
        if name in ("eq", "ne"):
            equal = (name == "eq") == holds
            implied = []
            for term, bound in (test.operands, test.operands[::-1]):
                limit = _limit_of(bound)
                if limit is not None:
                    implied += self._compared(term, limit, equal)
            return implied
        if name == "isnan" and not holds:
            return [(test.operands[0].key, Restriction(number=True))]
        if name == "isfinite" and holds:
            return [(test.operands[0].key, Restriction(_FINITE, number=True))]
        if name == "all" and holds and peel(test.operands[0]).operation.name == "collect":
            return self._of_each(peel(test.operands[0]).operands[0])
        if test.operation.kind == "leaf" and not holds:
            return []  # an object may be false without being a 0
        return self._compared(test, 0.0, not holds)

    def _compared(self, term: Term, limit: float, equal: bool) -> list[_Implied]:
        if equal:
            found = Restriction(Interval(limit, limit), number=True)
            return [(term.key, found), *_through(term, found), *self._emptiness(term, found)]
        hole = Restriction(holes=frozenset({limit}))
        size = [(self._builder.build(_ABS, (term,)).key, hole)] if limit == 0.0 else []
        return [(term.key, hole), *size, *self._emptiness(term, hole)]

    def _emptiness(self, count: Term, found: Restriction) -> list[_Implied]:
        """A count that is above 0 is one of a mask of which some element holds."""
        inner = peel(count)
        while inner.operation.kind == "view" and inner.operands:
            inner = peel(inner.operands[0])
        if inner.operation.name not in ("sum", "count_nonzero", "any", "all", "mean"):
            return []
        if found.interval.hi <= 0.0 and inner.operation.name in ("sum", "count_nonzero"):
            mask = inner.operands[0]
            if peel(mask).operation.kind != "comparison":
                return []
            return [place for fact in facts_of(mask, False) for place in self._implied(fact)]
        least = found.interval.lo
        if least > 0.0 or ((least == 0.0 or not found.interval.lo > -INF) and 0.0 in found.holes):
            return [(self._any_of(inner).key, Restriction(holes=frozenset({0.0})))]
        return []

    def _of_each(self, test: Term) -> list[_Implied]:
        """What a test says that every element of an iterable has passed."""
        sources = {
            part.key: part.operands[0].key
            for part in walk(test)
            if part.operation.name == "element"
        }
        implied = [
            place
            for fact in facts_of(test, True)
            for place in self._implied(fact)
            if place[0] in sources
        ]
        return [(sources[key], restriction) for key, restriction in implied]

    def _bounded(self, fact: Fact, refined: _Refined) -> Iterator[tuple[Term, Restriction]]:
        """`x > y` bounds each of both by what is known of the other."""
        test, holds = peel(fact.test), fact.holds
        if test.operation.name not in ("gt", "ge"):
            return
        left, right = test.operands
        strict = (test.operation.name == "gt") == holds
        for term, bound, above in ((left, right, True), (right, left, False)):
            inner = peel(bound)
            if _limit_of(bound) is not None or inner.key in self._entered:
                continue
            self._entered.add(inner.key)
            known = self.value(inner)
            self._entered.discard(inner.key)
            if inner.key in refined:
                known = refined[inner.key].of(known, dtype_of(inner))
            limit = known.lo if above == holds else known.hi
            if abs(limit) < _FAR:
                yield term, _half_line(limit, above == holds, strict, holds)

    def _differences(
        self, larger: Term, smaller: Term, holds: bool, strict: bool
    ) -> list[_Implied]:
        """`a > b` says on which side of 0 `a - b` and `b - a` are."""
        if _limit_of(larger) == 0.0 or _limit_of(smaller) == 0.0:
            return []
        if not holds:
            larger, smaller = smaller, larger
        build, sub = self._builder.build, catalogued("sub")
        return [
            (build(sub, (larger, smaller)).key, _half_line(0.0, True, strict, holds)),
            (build(sub, (smaller, larger)).key, _half_line(0.0, False, strict, holds)),
        ]


def _through(term: Term, found: Restriction) -> list[_Implied]:
    """What a bound on a view or an extremum says of each element that it was taken from."""
    inner = peel(term)
    if not inner.operands:
        return []
    source, span = inner.operands[0], found.interval
    upward, downward = span.lo > -INF, span.hi < INF
    if inner.operation.name == "abs":
        if not downward:
            return []
        passed = replace(found, interval=Interval(-span.hi, span.hi))
        passed = replace(passed, holes=found.holes | {-hole for hole in found.holes})
    elif inner.operation.name in _WHOLE_VIEWS or (
        (inner.operation.name == "min" and upward and not downward)
        or (inner.operation.name == "max" and downward and not upward)
    ):
        passed = found
    elif inner.operation.name == "cast" and {span.lo, span.hi} <= {0.0, INF, -INF}:
        passed = found  # rounding keeps the sign, or makes a 0
        if 0.0 not in found.holes and 0.0 in (span.lo, span.hi):
            return []
    else:
        return []
    return [(source.key, passed), *_through(source, passed)]


_WHOLE_VIEWS: Final = frozenset(
    ("reshape", "squeeze", "expand_dims", "transpose", "broadcast", "flatten", "identity", "detach")
)
"""Views that have every element of their operand."""


def _is_selected(term: Term) -> bool:
    """Whether a mask selects the elements of a term, which may be none."""
    inner = peel(term)
    while inner.operation.kind in ("view", "elementwise") and inner.operands:
        if inner.operation.name == "boolean_mask":
            return True
        if inner.operation.kind == "elementwise" and not all(
            number_of(part) is not None or _is_selected(part) for part in inner.operands
        ):
            return False
        inner = peel(inner.operands[0])
    return False


def _elements(term: Term) -> Term:
    """What has the same elements, rounded or not, before they were arranged."""
    inner = peel(term)
    while inner.operation.name in _WHOLE_VIEWS or inner.operation.name == "cast":
        inner = peel(inner.operands[0])
    return inner


_REGROUPING: Final = frozenset(("tensorflow", "keras", "jax"))
_EVERYTHING: Final = Restriction()
_FINITE: Final = Interval(-sys.float_info.max, sys.float_info.max)
_LOGARITHMS: Final = Interval(math.log2(5e-324), 1024.0)
"""Of a positive float64, to any base."""
_FAR: Final = 1e300
"""A bound beyond is no bound."""
_POSITIVE: Final = Value(Interval(1e-18, INF), free=True)
"""An epsilon: whatever it is, its square is still above 0 in float32."""
_LIMITS: Final[Mapping[str, Value]] = {
    "max": Value(Interval(FORMATS["float16"].max, sys.float_info.max)),
    "tiny": Value(Interval(sys.float_info.min, FORMATS["float16"].tiny)),
}
"""Of a format, whichever it is."""
_UNSHOWN: Final = Value(values.free().interval)
"""A number of which nothing is shown: a scale is positive, whatever its square could be."""
_ZERO: Final = values.constant(0.0)
_UNIT: Final = values.constant(1.0)
_COUNTS: Final = frozenset(("sum", "mean", "count_nonzero"))
_ABS: Final = catalogued("abs")
_ANY: Final = catalogued("any")
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


@lru_cache(_NAMES_MOST)
def is_epsilon_name(name: str) -> bool:
    """Whether a name says that its value is a small positive number."""
    return bool(_EPSILON_NAMES.search(name))


def is_random_projection(gradient: Term) -> bool:
    """The gradient of outputs that were weighed by a draw: 0 only if they depend on nothing."""
    pending = [gradient.operands[0]]
    while pending:
        inner = behind_views(pending.pop())
        if inner.operation.name in ("sum", "mean", "mul"):
            pending.extend(inner.operands)
        elif inner.operation.name == "div":
            pending.append(inner.operands[0])
        elif inner.operation.name in ("normal", "uniform"):
            return True
    return False


def _is_of_format(attribute: Term) -> bool:
    """`torch.finfo(x.dtype).max` or the like."""
    base = peel(attribute.operands[0])
    return base.operation is OPAQUE and str(base.detail).endswith("finfo")


def _unevidenced(value: Value) -> Value:
    return replace(value, attained=frozenset(), scattered=frozenset())


def _limit_of(term: Term) -> float | None:
    """A literal, or an infinity or the like by its name."""
    inner = peel(term)
    if inner.operation is QUALIFIED:
        known = _QUALIFIED_VALUES.get(str(inner.detail))
        return known.lo if known is not None else None
    if number_of(inner) is not None:
        return _literal(inner).lo
    return FILLED.get(inner.operation.name)


def _half_line(limit: float, upward: bool, strict: bool, number: bool) -> Restriction:
    interval = Interval(limit, INF) if upward else Interval(-INF, limit)
    return Restriction(interval, frozenset({limit}) if strict else frozenset(), number)


def _is_weighed(count: Term) -> bool:
    """Whether a `bincount` is given weights, and adds these up."""
    given = [part for part in count.operands if part.operation is not QUALIFIED]
    return not all(isinstance(number_of(option), int) for option in given[1:])


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


def _arranged(term: Term) -> Term:
    """What has the same elements in another shape."""
    inner = peel(term)
    while inner.operation.name in _WHOLE_VIEWS:
        inner = peel(inner.operands[0])
    return inner


def _extremum_of(term: Term, subject: Term) -> Term | None:
    """The maximum or minimum over elements of `subject` that `term` is, in any shape."""
    inner = peel(term)
    while inner.operation.kind == "view" and inner.operands:
        inner = peel(inner.operands[0])
    if inner.operation.name not in ("max", "min"):
        return None
    return inner if _arranged(inner.operands[0]).key == _arranged(subject).key else None


_ONE: Final = frozenset((1.0,))
_ZEROS: Final = frozenset((0.0,))
_SCATTERED: Final = frozenset(
    ("call tensorflow.scatter_nd", "call tensorflow.compat.v1.scatter_nd")
)
"""Calls that write values, their second argument, into zeros."""
_BOTH: Final = frozenset((0.0, 1.0))
_BELOW: Final = Value(Interval(-INF, 0.0), nan=True, attained=frozenset({0.0}))
_ABOVE: Final = Value(Interval(0.0, INF), nan=True, attained=frozenset({0.0}))


def _difference(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    left, right = term.operands
    subtracted, reduced = _extremum_of(right, left), _extremum_of(left, right)
    if subtracted is not None:  # x - max(x) ≤ 0, and 0 at the maximum
        return _BELOW if subtracted.operation.name == "max" else _ABOVE
    if reduced is not None:
        return _ABOVE if reduced.operation.name == "max" else _BELOW
    first = peel(left)
    while first.operation.kind == "view" and first.operands:
        first = peel(first.operands[0])
    if first.operation.name in ("max", "min"):
        other = _extremum_of(right, first.operands[0])
        if other is not None and other.operation is not first.operation:
            return _ABOVE if first.operation.name == "max" else _BELOW
    if _is_variance(peel(left), peel(right)):
        # Of equal elements it is 0, or by rounding a little less.
        least = FORMATS[dtype_of(term)].eps
        return Value(_EVERYTHING.interval, nan=True, attained=frozenset({0.0, -least}))
    if number_of(left) == 1 and peel(right).operation.name == "square":
        bounded = ask(right)
        if bounded.hi > 1 and _may_be_cosine(
            peel(right).operands[0]
        ):  # 1 - c**2 is written of cosines: c = ±1 is meant to happen
            return Value(Interval(-INF, 1.0), attained=frozenset({0.0}), free=True)
    return None


def _is_variance(left: Term, right: Term) -> bool:
    """mean(x**2) - mean(x)**2"""
    if left.operation.name != "mean" or right.operation.name != "square":
        return False
    squares, mean = peel(left.operands[0]), peel(right.operands[0])
    return (
        squares.operation.name == "square"
        and mean.operation.name == "mean"
        and _arranged(squares.operands[0]).key == _arranged(mean.operands[0]).key
        and _axis(left) == _axis(mean)
    )


def _axis(term: Term) -> int | None:
    """The key of the axis along which a term is computed; None: all of them, or unknown."""
    axis = term.settings.get("axis")
    return axis.key if axis is not None else None


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
    if inner.operation.name == "exp":
        maximum = _shift_of(inner.operands[0])
        if maximum is not None and _axis(term) in (None, _axis(maximum)):
            return Value(Interval(1.0, INF), nan=True, attained=frozenset({1.0}))
    if inner.operation.name == "softmax":
        if _axis(term) is None:
            return Value(Interval(0.99, INF), nan=True)
        if _axis(term) == _axis(inner):
            return Value(Interval(0.99, 1.01), nan=True)
    if inner.operation.name == "mul":
        return _picked(inner, ask)
    return None


def _picked(product: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Σ p·h for a one-hot h is an element of p: 0 where that is."""
    for picked, selector in (product.operands, product.operands[::-1]):
        if is_one_hot(selector) and 0.0 in ask(picked).attained:
            return Value(_EVERYTHING.interval, nan=True, attained=_ZEROS)
    return None


def is_one_hot(term: Term) -> bool:
    """An array of zeros in which ones were set at given places, by whatever means.

    A number that all of its elements were multiplied with changes nothing, nor does a shape.
    """
    inner = behind_views(term)
    if inner.operation.name in ("one_hot", "eye"):
        return True
    if inner.operation is not OPAQUE or len(inner.operands) < 2:
        return False
    if inner.detail == "update":
        container, *written = inner.operands
        return len(written) == 1 and _is_filled(container, 0.0) and _is_filled(written[0], 1.0)
    return str(inner.detail) in _SCATTERED and _is_filled(inner.operands[2], 1.0)


def _is_filled(term: Term, number: float) -> bool:
    """Each element is this number, or what was set before in such an array."""
    inner = behind_views(term)
    if number == 0.0 and is_one_hot(inner):
        return True
    if inner.operation.name in ("full", "full_like"):
        return number_of(inner.settings.get("value")) == number
    return number_of(inner) == number or FILLED.get(inner.operation.name) == number


def _mean(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """The sum of shifted exponentials, divided by their number."""
    summed = _sum(oracle, term, ask)
    if summed is None or dtype_of(term) == "float16":
        return None
    return Value(Interval(summed.lo / COUNT, INF), nan=True)


def _shift_of(term: Term, depth: int = 4) -> Term | None:
    """The maximum in `x - max(x)`, scaled or not: its largest element is 0."""
    inner = peel(term)
    name = inner.operation.name
    if name == "sub":
        found = _extremum_of(inner.operands[1], inner.operands[0])
        return found if found is not None and found.operation.name == "max" else None
    if depth == 0 or name not in ("div", "mul", "identity", "cast"):
        return None
    scaled = inner.operands if name == "mul" else inner.operands[:1]
    shifts = (_shift_of(operand, depth - 1) for operand in scaled)
    return next((shift for shift in shifts if shift is not None), None)


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
            part.operation.name in ("max", "maximum", "argmax", "logsumexp", "log_softmax")
            or (part.operation is OPAQUE and "max" in str(part.detail).lower())
            for part in walk(inner.operands[1])
        )
    return False


def _quotient(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """a / (a + b) for a, b ≥ 0 lies in [0, 1] and is 1 where b is 0; else its sign is known.

    A zero divisor is taken for +0: sums of squares and counts have no other.
    """
    numerator, denominator = term.operands
    above, below = ask(numerator), ask(denominator)
    parts = _summands(denominator)
    rest = _left_over(parts, _summands(numerator))
    attained = frozenset[float]()
    if is_logistic(term):
        attained = _BOTH if ask(_exponent_of(term)).free else attained
    elif rest is None:
        attained = _ONE if _is_overlap(numerator, parts, ask) else attained
    elif rest and all(0.0 in ask(part).attained for part in rest):
        attained = _ONE
    # Of more summands, another order of adding may round the part above the whole.
    is_share = above.lo >= 0 and rest is not None and len(parts) - len(rest) <= 2
    is_share = is_share or (above.lo >= 0 and any(_has_part(part, numerator) for part in parts))
    if is_share and all(ask(part).lo >= 0 for part in parts):
        return Value(Interval(0.0, 1.0), nan=True, attained=attained)
    if below.lo >= 0 and above.hi <= 0:
        return Value(Interval(-INF, 0.0), nan=True)
    if below.lo >= 0 and above.lo >= 0:
        return Value(Interval(0.0, INF), nan=True, attained=attained)
    return Value(_EVERYTHING.interval, nan=True, attained=attained) if attained else None


def _left_over(whole: list[Term], parts: list[Term]) -> list[Term] | None:
    """The summands without `parts`; None unless they are all among them."""
    rest = list(whole)
    for part in parts:
        number = number_of(part)
        for place, summand in enumerate(rest):
            same = _arranged(summand).key == _arranged(part).key
            if same or (number is not None and number == number_of(summand)):
                del rest[place]
                break
        else:
            return None
    return rest


def is_logistic(term: Term) -> bool:
    """1 / (1 + exp(x)), a sigmoid by its formula."""
    inner = peel(term)
    if inner.operation.name != "div" or number_of(inner.operands[0]) != 1:
        return False
    parts = _summands(inner.operands[1])
    exponentials = [part for part in parts if part.operation.name == "exp"]
    return len(parts) == 2 and len(exponentials) == 1 and 1 in map(number_of, parts)


def _exponent_of(logistic: Term) -> Term:
    parts = _summands(peel(logistic).operands[1])
    return next(part.operands[0] for part in parts if part.operation.name == "exp")


def _is_overlap(numerator: Term, parts: list[Term], ask: Callable[[Term], Value]) -> bool:
    """2 Σ p·t / (Σ p + Σ t), smoothed or not, for a p that reaches 1: it is 1 where t is p."""
    above = [part for part in _summands(numerator) if number_of(part) is None]
    if len(above) != 1 or above[0].operation.name != "mul":
        return False
    if 2 not in map(number_of, above[0].operands):
        return False
    products = [_summed(part) for part in above[0].operands if number_of(part) is None]
    if len(products) != 1 or products[0] is None or products[0].operation.name != "mul":
        return False
    compared = {_arranged(operand).key for operand in products[0].operands}
    below = set[int]()
    for part in parts:
        if number_of(part) is not None or is_epsilon_name(str(part.detail)):
            continue
        summed = _summed(part)
        if summed is None:
            return False
        for summand in _summands(summed):
            base = summand.operands[0] if summand.operation.name == "square" else summand
            below.add(_arranged(base).key)
    saturated = any(1.0 in ask(operand).attained for operand in products[0].operands)
    return below == compared and saturated


def _summed(term: Term) -> Term | None:
    """What a sum or a mean is of."""
    inner = _arranged(term)
    return _arranged(inner.operands[0]) if inner.operation.name in ("sum", "mean") else None


def _has_part(whole: Term, part: Term) -> bool:
    """The same, or the sum or the maximum of its elements, in any shape."""
    inner = _arranged(whole)
    if inner.operation.name in ("sum", "max"):
        inner = _arranged(inner.operands[0])
    return _once(part).key in (_arranged(whole).key, inner.key)


def _once(term: Term) -> Term:
    """The same without a factor of 1."""
    inner = _arranged(term)
    if inner.operation.name == "mul" and 1 in map(number_of, inner.operands):
        first, second = inner.operands
        return _arranged(second if number_of(first) == 1 else first)
    return inner


def _summands(term: Term) -> list[Term]:
    """The terms of a sum of sums."""
    found: list[Term] = []
    pending = [term]
    while pending:
        inner = peel(pending.pop())
        if inner.operation.name == "add" and len(found) < _SUMMANDS_MOST:
            pending.extend(inner.operands)
        else:
            found.append(inner)
    return found


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


def _even_product(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """c · x · x · y · y has the sign of c."""
    sign, factors = signed_factors(term)
    if any(count % 2 for count in Counter(factor.key for factor in factors).values()):
        return None
    return Value(Interval(0.0, INF) if sign > 0 else Interval(-INF, 0.0), nan=True)


def _product(oracle: Oracle, term: Term, ask: Callable[[Term], Value]) -> Value | None:
    """The inner products of unit vectors lie in [-1, 1]."""
    for operand in term.operands:
        inner = peel(operand)
        while inner.operation.kind == "view" and inner.operands:
            inner = peel(inner.operands[0])
        if inner.operation.name != "normalize":
            return None
    return Value(Interval(-1.001, 1.001), nan=True)


_EXACT_RELATIONS: Final = frozenset(
    ("where", "boolean_mask", "subscript", "gather", "element", "abs", "square", "size", "shape")
)
"""What these say replaces the transfer function, instead of meeting its result."""
_RELATIONS: Final[Mapping[str, Callable[[Oracle, Term, Callable[[Term], Value]], Value | None]]] = {
    "sub": _difference,
    "sum": _sum,
    "mean": _mean,
    "div": _quotient,
    "add": _sum_of_two,
    "abs": _magnitude,
    "square": _magnitude,
    "matmul": _product,
    "mul": _even_product,
}
