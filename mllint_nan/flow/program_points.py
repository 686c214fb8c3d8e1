"""Where terms are evaluated: under which facts, and in which rounds of loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mllint_nan.domains.value import Value
from mllint_nan.flow.implications import ABS, EVERYTHING
from mllint_nan.flow.refinements import Refined, Refinements
from mllint_nan.flow.state import Analysis
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import Term, peel

COUNTS: Final = frozenset(("sum", "mean", "count_nonzero"))
"""Reductions that tell whether a mask holds anywhere."""
_PARTS_MOST: Final = 2_000
"""How many subterms of a term are searched for what facts say about it."""
_NOTHING: Final[Mapping[int, Value]] = {}


@dataclass(frozen=True, slots=True)
class Point:
    """Where a term is evaluated: restrictions by facts, and values that loops carry, by key.

    A mask restricts only elements in the same places: `everywhere` holds for others, too.
    `given` counts how often the facts of an option, a mask or the like were added on the way.
    """

    refined: Refined
    everywhere: Refined
    carried: Mapping[int, Value]
    given: int
    known: dict[tuple[int, str | None], Value]


class Points(Refinements):
    """The points of one file, each with the values that were computed there."""

    def __init__(self, builder: Builder, analysis: Analysis) -> None:
        super().__init__(builder)
        self.builder = builder
        self.analysis = analysis
        self._points: dict[tuple[object, ...], Point] = {}
        self._inside: dict[int, frozenset[int] | None] = {}

    def point(
        self,
        refined: Refined,
        everywhere: Refined,
        carried: Mapping[int, Value] = _NOTHING,
        given: int = 0,
    ) -> Point:
        found = frozenset[object](refined.items())
        others = found if everywhere is refined else frozenset[object](everywhere.items())
        place = (found, others, frozenset[object](carried.items()), given)
        point = self._points.get(place)
        if point is None:
            point = self._points[place] = Point(refined, everywhere, carried, given, {})
        return point

    def near(self, term: Term, point: Point) -> Point:
        """Return the point without what `term` does not rest on, so that more terms share it."""
        if not (point.refined or point.carried):
            return point
        parts = self.parts(term)
        if parts is None:
            return point
        refined = {key: point.refined[key] for key in point.refined.keys() & parts}
        carried = {key: point.carried[key] for key in point.carried.keys() & parts}
        everywhere: Refined = refined
        if point.everywhere is not point.refined:
            everywhere = {key: point.everywhere[key] for key in point.everywhere.keys() & parts}
        return self.point(refined, everywhere, carried, min(point.given, len(refined)))

    def parts(self, term: Term) -> frozenset[int] | None:
        """Return the keys on which the value of a term may rest; None if there are too many."""
        if term.key not in self._inside:
            seen, pending = set[int](), [term]
            related = set[int]()
            while pending and len(seen) <= _PARTS_MOST:
                part = peel(pending.pop())
                if part.key not in seen:
                    seen.add(part.key)
                    pending.extend(part.children())
                    if part.operation.name in COUNTS:
                        related.add(self.implications.any_of(part).key)
                    elif part.operation.name == "square":
                        related.add(self.builder.build(ABS, part.operands).key)
                    if part.key in self.analysis.carried:
                        pending.append(self.analysis.carried[part.key][0])
            self._inside[term.key] = None if len(seen) > _PARTS_MOST else frozenset(seen | related)
        return self._inside[term.key]


def met(refined: Refined, implied: Refined) -> Refined:
    """Return the meet of both; a restriction that nothing could satisfy is dropped."""
    both = dict(refined)
    for key, restriction in implied.items():
        both[key] = both.get(key, EVERYTHING).meet(restriction)
    return {key: found for key, found in both.items() if not found.interval.is_empty}
