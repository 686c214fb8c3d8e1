"""The restrictions by which the facts of a path refine the values of terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from mllint_nan.domains.restriction import Restriction, joint
from mllint_nan.domains.value import Value
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.implications import EVERYTHING, Implications, half_line, through
from mllint_nan.flow.named_values import limit_of
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import Fact, Term, behind_views, peel

Refined: TypeAlias = Mapping[int, Restriction]
"""By key of a term: what is known about it."""
_FAR: Final = 1e300
"""A bound of at least this magnitude is no bound."""


class Refinements:
    """Computes the restrictions that sets of facts imply, and caches them."""

    def __init__(self, builder: Builder) -> None:
        self.implications = Implications(builder)
        self.entered: set[int] = set()
        """The keys of the terms that are being evaluated: they bound nothing meanwhile."""
        self._refined: dict[tuple[tuple[int, bool], ...], Refined] = {}

    def value(self, term: Term, facts: tuple[Fact, ...] = ()) -> Value:
        """The abstract value of a term where facts hold."""
        raise NotImplementedError

    def refinements(self, facts: tuple[Fact, ...]) -> Refined:
        path = tuple([(fact.test.key, fact.holds) for fact in facts])
        found = self._refined.get(path)
        if found is None:
            found = self._refined_by(facts)
            if not self.entered:
                self._refined[path] = found
        return found

    def _refined_by(self, facts: tuple[Fact, ...]) -> Refined:
        found_by_key: dict[int, list[Restriction]] = {}
        for fact in facts:
            for key, restriction in self.implications.of(fact):
                found_by_key.setdefault(key, []).append(restriction)
        refined = {key: joint(found) for key, found in found_by_key.items()}
        for fact in facts:
            for term, restriction in self._bounded(fact, refined):
                for key, found in ((term.key, restriction), *through(term, restriction)):
                    refined[key] = refined.get(key, EVERYTHING).meet(found)
        return refined

    def _bounded(self, fact: Fact, refined: Refined) -> Iterator[tuple[Term, Restriction]]:
        """Yield the bounds of each operand of `x > y` by what is known about the other."""
        test, holds = peel(fact.test), fact.holds
        if test.operation.name == ("ne" if holds else "eq"):
            yield from self._extremes(*test.operands)
        if test.operation.name not in ("gt", "ge"):
            return
        left, right = test.operands
        strict = (test.operation.name == "gt") == holds
        for term, bound, above in ((left, right, True), (right, left, False)):
            inner = peel(bound)
            if limit_of(bound) is not None or inner.key in self.entered:
                continue
            self.entered.add(inner.key)
            known = self.value(inner)
            self.entered.discard(inner.key)
            if inner.key in refined:
                known = refined[inner.key].of(known, dtype_of(inner))
            limit = known.lo if above == holds else known.hi
            if abs(limit) < _FAR:
                yield term, half_line(limit, above == holds, strict, holds)

    def _extremes(self, left: Term, right: Term) -> Iterator[tuple[Term, Restriction]]:
        """Yield what `x.min() != 0` says about an x that is never below 0: no element is 0."""
        for extreme, bound in ((left, right), (right, left)):
            inner = behind_views(extreme)
            limit = limit_of(bound)
            if limit is None or inner.operation.name not in ("min", "max"):
                continue
            source = peel(inner.operands[0])
            if source.key in self.entered:
                continue
            self.entered.add(source.key)
            known = self.value(source)
            self.entered.discard(source.key)
            if (known.lo if inner.operation.name == "min" else known.hi) == limit:
                yield source, Restriction(holes=frozenset({limit}))
