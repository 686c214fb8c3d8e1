"""A repair that leaves the same NaN in what its result goes into is completed, or only shown."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mllint_nan.findings import Applicability, Edit, Finding, Fix, Hazard, Span
from mllint_nan.fixing.repair import Repairer
from mllint_nan.fixing.singular import Singular
from mllint_nan.ir.term import Term, behind_views, number_of, peel
from mllint_nan.rulebook.judge import Verdict

_FLOWS_MOST: Final = 60
"""Terms into which a result goes, the nearest first."""
_INSIDE_MOST: Final = 1_500
_ROUNDS_MOST: Final = 3
_AT_ZERO: Final = frozenset(("log", "log2", "log10", "rsqrt"))
_OVERFLOWING: Final = frozenset(("exp", "expm1", "exp2", "sinh", "cosh"))


@dataclass(frozen=True, slots=True)
class Reported:
    """A verdict, and the finding that is made of it."""

    verdict: Verdict
    finding: Finding

    @property
    def applicability(self) -> Applicability:
        fix = self.finding.fix
        return fix.applicability if fix is not None else Applicability.DISPLAY_ONLY


class Completer:
    """Judges the fixes of one file together."""

    def __init__(self, repairer: Repairer, verdicts: Sequence[Verdict]) -> None:
        self._repairer = repairer
        self._source = repairer.source
        self._analysis = repairer.judge.analysis
        self._verdicts = verdicts

    def completed(self, reported: Sequence[Reported]) -> list[Finding]:
        """The findings, with no fix that leaves the same NaN beside it."""
        current = list(reported)
        for _ in range(_ROUNDS_MOST):
            following = [self._one(place, current) for place in range(len(current))]
            if following == current:
                break
            current = following
        return [one.finding for one in current]

    def _one(self, place: int, reported: Sequence[Reported]) -> Reported:
        one = reported[place]
        fix = one.finding.fix
        if fix is None or not one.applicability or one.verdict.case.hazard is not Hazard.VALUE:
            return one
        left = self._left(one, reported, one.applicability)
        if not left:
            return one
        wider = self._joined(one, left, reported)
        if wider is not None:
            fix = wider
        elif one.applicability > Applicability.UNSAFE and not self._left(
            one, reported, Applicability.UNSAFE
        ):
            fix = replace(fix, applicability=Applicability.UNSAFE)
        else:
            rows = sorted({self._row(term) for term in left})
            message = f"{fix.message}; also {_lines(rows)}"
            fix = replace(fix, message=message, applicability=Applicability.DISPLAY_ONLY)
        return replace(one, finding=replace(one.finding, fix=fix))

    def _left(
        self, one: Reported, reported: Sequence[Reported], least: Applicability
    ) -> list[Term]:
        """The operations that are still not finite where what was matched is singular."""
        made = [other for other in reported if other.applicability >= least or other is one]
        edits = [edit for other in made if other.finding.fix for edit in other.finding.fix.edits]
        matched = {_place(other.verdict.occurrence.term) for other in made}
        return self._left_after(one.verdict, edits, matched)

    def _left_after(
        self, verdict: Verdict, edits: Sequence[Edit], matched: set[tuple[int, int]]
    ) -> list[Term]:
        spans = [edit.span for edit in edits if edit.span.start < edit.span.end]

        def is_repaired(term: Term) -> bool:
            return _place(term) in matched or self._is_within(term, spans)

        for singular in _singularities(verdict):
            before = Singular(singular, _never)
            if before.is_finite(verdict.occurrence.term):
                continue
            regular, after = Singular({}, is_repaired), Singular(singular, is_repaired)
            for result in self._results(verdict.occurrence.term):
                if regular.is_finite(result) and not after.is_finite(result):
                    left = list(_causes(result, after, singular))
                    if left:
                        return left
        return []

    def _is_within(self, term: Term, spans: Sequence[Span]) -> bool:
        if term.site is None or not spans or not self._source.knows(term.site):
            return False
        span = self._source.span(term.site)
        return any(one.contains(span) for one in spans)

    def _results(self, term: Term) -> Iterator[Term]:
        """What is made of a term, as it stands there, the nearest first."""
        pending, seen = [term.key], {term.key}
        found = 0
        for key in pending:
            for consumer in self._analysis.consumers.get(key, ()):
                if consumer.key in seen or found >= _FLOWS_MOST:
                    continue
                if not _contains(consumer, term):
                    continue
                found += 1
                seen.add(consumer.key)
                pending.append(consumer.key)
                yield consumer

    def _joined(
        self, one: Reported, left: Sequence[Term], reported: Sequence[Reported]
    ) -> Fix | None:
        """The fix with those of findings that are not shown, where that is all that is missing."""
        fix = one.finding.fix
        assert fix is not None
        shown = {id(other.verdict) for other in reported}
        places = set(map(_place, left))
        edits = list(fix.edits)
        matched = {
            _place(other.verdict.occurrence.term)
            for other in reported
            if other.applicability >= one.applicability
        }
        for verdict in self._verdicts:
            if id(verdict) in shown or _place(verdict.occurrence.term) not in places:
                continue
            chosen = self._repairer.chosen(verdict)
            if chosen is None or chosen.fix.applicability < one.applicability:
                continue
            edits += chosen.fix.edits
            matched.add(_place(verdict.occurrence.term))
        whole = sorted(set(edits))
        if len(whole) == len(fix.edits) or any(
            first.span.overlaps(second.span) for first, second in itertools.pairwise(whole)
        ):
            return None
        others = [
            edit
            for other in reported
            if other.applicability >= one.applicability and other.finding.fix is not None
            for edit in other.finding.fix.edits
        ]
        if self._left_after(one.verdict, [*whole, *others], matched):
            return None
        return replace(fix, edits=tuple(whole))

    def _row(self, term: Term) -> int:
        return self._source.lines.position(self._source.span(term.site).start).row


def _singularities(verdict: Verdict) -> Iterator[Mapping[int, float]]:
    """Where what was matched may be singular: keys of operands, with what they are there."""
    for part in map(peel, (verdict.occurrence.term, *verdict.found.passed)):
        name = part.operation.name
        if name == "div":
            yield {_root(part.operands[1]).key: 0.0}
        elif name in _AT_ZERO or (name == "pow" and (number_of(part.operands[1]) or 0) < 0):
            yield {_root(part.operands[0]).key: 0.0}
        elif name in _OVERFLOWING:
            yield {part.key: float("inf")}


def _root(term: Term) -> Term:
    """What is 0 exactly where the term is."""
    inner = behind_views(term)
    while inner.operation.name in ("square", "abs", "neg", "sqrt") or (
        inner.operation.name == "pow" and (number_of(inner.operands[1]) or 0) > 0
    ):
        inner = behind_views(inner.operands[0])
    return inner


def _causes(result: Term, values: Singular, singular: Mapping[int, float]) -> Iterator[Term]:
    """The operations that make it of finite operands, or of what is infinite itself."""
    pending, seen = [result], set[int]()
    while pending:
        term = pending.pop()
        if id(term) in seen or values.is_finite(term) or term.key in singular:
            continue
        seen.add(id(term))
        inner = peel(term)
        broken = [part for part in inner.operands if not values.is_finite(part)]
        deeper = [part for part in broken if peel(part).key not in singular]
        if deeper:
            pending += deeper
        elif inner.site is not None:
            yield inner


def _contains(term: Term, part: Term) -> bool:
    pending, seen = [term], set[int]()
    while pending and len(seen) < _INSIDE_MOST:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if current is part or _place(current) == _place(part):
            return True
        pending += current.operands
    return False


def _place(term: Term) -> tuple[int, int]:
    """The same for a term and its copies."""
    return id(term.site) if term.site is not None else id(term), term.key


def _never(term: Term) -> bool:
    return False


def _lines(rows: Sequence[int]) -> str:
    return f"line{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows))}"
