"""What the outcome of a test says about the terms in it.

The filter of a condition, applied backwards through views and extrema: Cousot and Cousot, "Abstract
interpretation" (POPL 1977); Granger, "Improving the results of static analyses of programs by local
decreasing iterations" (FSTTCS 1992).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Final, TypeAlias

from mllint_nan.domains.dtype import INTEGERS, canonical_name, is_integer
from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.restriction import Restriction
from mllint_nan.flow.elements import WHOLE_VIEWS, elements_of
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.inverses import inverted
from mllint_nan.flow.named_values import limit_of
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import operation as catalogued
from mllint_nan.ir.term import Fact, Term, peel, walk

Implied: TypeAlias = tuple[int, Restriction]


def through(term: Term, found: Restriction) -> list[Implied]:
    """Return what a bound on a term implies for the operands that it was computed from."""
    inner = peel(term)
    if not inner.operands:
        return []
    source, span = inner.operands[0], found.interval
    upward, downward = span.lo > -INF, span.hi < INF
    if inner.operation.name == "abs":
        holes = found.holes | {-hole for hole in found.holes}
        passed = replace(
            found,
            interval=Interval(-span.hi, span.hi),
            holes=holes | {0.0} if span.lo > 0.0 else holes,
        )
    elif inner.operation.name in WHOLE_VIEWS or (
        (inner.operation.name == "min" and upward and not downward)
        or (inner.operation.name == "max" and downward and not upward)
    ):
        passed = found
    elif inner.operation.name == "cast":
        cast = _before_cast(inner.settings.get("dtype"), found)
        if cast is None:
            return []
        passed = cast
    else:
        found_inside = inverted(inner, found)
        if found_inside is None:
            return []
        source, passed = found_inside
    return [(source.key, passed), *through(source, passed)]


def _before_cast(dtype: Term | None, found: Restriction) -> Restriction | None:
    """Return the restriction of a number before a cast, given that of the result.

    Rounding keeps the sign, or makes a 0; a boolean, or an unsigned integer made of a negative
    number, does not keep the sign.
    """
    span = found.interval
    name = canonical_name(str(peel(dtype).detail)) if dtype is not None else ""
    if name in ("bool", "bool_") or (is_integer(name) and not INTEGERS[name][1]):
        excludes_0 = 0.0 in found.holes or not span.contains(0.0)
        return Restriction(holes=frozenset({0.0})) if excludes_0 else None
    if not {span.lo, span.hi} <= {0.0, INF, -INF}:
        return None
    return None if 0.0 not in found.holes and 0.0 in (span.lo, span.hi) else found


EVERYTHING: Final = Restriction()
FINITE: Final = Interval(-sys.float_info.max, sys.float_info.max)
ABS: Final = catalogued("abs")
ANY: Final = catalogued("any")
SUB: Final = catalogued("sub")


def half_line(limit: float, upward: bool, strict: bool, number: bool) -> Restriction:
    interval = Interval(limit, INF) if upward else Interval(-INF, limit)
    return Restriction(interval, frozenset({limit}) if strict else frozenset(), number)


class Implications:
    """Computes the restrictions that single facts imply, and caches them."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._implications: dict[tuple[int, bool], list[Implied]] = {}

    def of(self, fact: Fact) -> list[Implied]:
        """Return the restrictions that a fact implies, whatever else is known."""
        place = (fact.test.key, fact.holds)
        implied = self._implications.get(place)
        if implied is None:
            implied = self._implications[place] = self._implied(fact)
        return implied

    def any_of(self, count: Term) -> Term:
        """Build `any` over the elements of a reduction, along its axis."""
        axes = {name: axis for name, axis in count.settings.items() if name == "axis"}
        return self._builder.build(ANY, (elements_of(count.operands[0]),), axes)

    def _implied(self, fact: Fact) -> list[Implied]:
        """Compute the restrictions that a fact implies, whatever else is known."""
        test, holds = peel(fact.test), fact.holds
        name = test.operation.name
        if name in ("gt", "ge"):
            left, right = test.operands
            strict = (name == "gt") == holds
            implied = self._differences(left, right, holds, strict)
            for term, bound, above in ((left, right, True), (right, left, False)):
                limit = limit_of(bound)
                if limit is not None:
                    found = half_line(limit, above == holds, strict, holds)
                    implied += self._behind(term, found)
                    implied += self._emptiness(term, found)
            return implied
        if name in ("eq", "ne"):
            equal = (name == "eq") == holds
            implied = []
            for term, bound in (test.operands, test.operands[::-1]):
                limit = limit_of(bound)
                if limit is not None:
                    implied += self._compared(term, limit, equal)
            return implied
        if name == "isnan" and not holds:
            return [(test.operands[0].key, Restriction(number=True))]
        if name == "isfinite" and holds:
            return [(test.operands[0].key, Restriction(FINITE, number=True))]
        if name == "all" and holds and peel(test.operands[0]).operation.name == "collect":
            return self._of_each(peel(test.operands[0]).operands[0])
        if test.operation.kind == "leaf" and not holds:
            return []  # an object may be false without being a 0
        return self._compared(test, 0.0, not holds)

    def _compared(self, term: Term, limit: float, equal: bool) -> list[Implied]:
        if equal:
            found = Restriction(Interval(limit, limit), number=True)
            return [*self._behind(term, found), *self._emptiness(term, found)]
        hole = Restriction(holes=frozenset({limit}))
        size = [(self._builder.build(ABS, (term,)).key, hole)] if limit == 0.0 else []
        return [*self._behind(term, hole), *size, *self._emptiness(term, hole)]

    def _behind(self, term: Term, found: Restriction) -> list[Implied]:
        """Return what a bound on a term implies for what it is made of, and for `b - a` of `a - b`.

        The sign of a difference changes then, its magnitude does not.
        """
        implied = [(term.key, found), *through(term, found)]
        inner = peel(term)
        difference = peel(inner.operands[0]) if inner.operation is ABS else inner
        bounds = [bound for key, bound in implied if key == difference.key]
        if difference.operation is SUB and bounds:
            mirrored = self._builder.build(SUB, difference.operands[::-1])
            implied.append((mirrored.key, bounds[-1].negated()))
            if inner.operation is ABS:
                implied.append((self._builder.build(ABS, (mirrored,)).key, found))
        return implied

    def _emptiness(self, count: Term, found: Restriction) -> list[Implied]:
        """Return what a bound on a count implies: above 0, some element of its mask holds."""
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
            return [(self.any_of(inner).key, Restriction(holes=frozenset({0.0})))]
        return []

    def _of_each(self, test: Term) -> list[Implied]:
        """Return what is implied for an iterable of which every element has passed a test."""
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

    def _differences(self, larger: Term, smaller: Term, holds: bool, strict: bool) -> list[Implied]:
        """Return the sides of 0 on which `a - b` and `b - a` lie, given `a > b`."""
        if limit_of(larger) == 0.0 or limit_of(smaller) == 0.0:
            return []
        if not holds:
            larger, smaller = smaller, larger
        build = self._builder.build
        return [
            (build(SUB, (larger, smaller)).key, half_line(0.0, True, strict, holds)),
            (build(SUB, (smaller, larger)).key, half_line(0.0, False, strict, holds)),
        ]
