"""A repair that leaves the same NaN in what its result goes into is completed, or only shown."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Edit, Finding, Fix, Hazard, Span
from mllint_nan.fixing.repair import Repairer
from mllint_nan.fixing.singular import Kept, Singular, place_of
from mllint_nan.fixing.slopes import Slopes
from mllint_nan.ir.term import REFERENCE, Term, behind_views, number_of, peel
from mllint_nan.rulebook.judge import Verdict
from mllint_nan.rulebook.predicates.context import Context

_FLOWS_MOST: Final = 60
"""Terms into which a result goes, the nearest first."""
_INSIDE_MOST: Final = 1_500
_ROUNDS_MOST: Final = 3
_AT_ZERO: Final = frozenset(("log", "log2", "log10", "rsqrt"))
_FAR: Final = 1000.0
"""From 0, where exp is infinite or 0 in every format."""
_LARGE: Final = 80.0
"""What exp of is nearly the largest number of float32."""
_CALL: Final = re.compile(r"[\w.]+\(.*\)", re.DOTALL)
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


@dataclass(frozen=True, slots=True)
class _Repair:
    """What a fix writes anew, and what it takes over."""

    rewritten: frozenset[tuple[int, int]]
    kept: tuple[Term, ...]
    spans: frozenset[Span]

    @classmethod
    def of(cls, one: Reported) -> _Repair:
        fix, found = one.finding.fix, one.verdict.found
        return cls(
            frozenset((_place(one.verdict.occurrence.term),)),
            tuple(term for term in found.terms.values() if term is not None),
            frozenset(
                edit.span
                for edit in (fix.edits if fix is not None else ())
                if edit.span.start < edit.span.end and not edit.content.isidentifier()
            ),
        )


class Completer:
    """Judges the fixes of one file together."""

    def __init__(self, repairer: Repairer, verdicts: Sequence[Verdict]) -> None:
        self._repairer = repairer
        self._source = repairer.source
        self._analysis = repairer.judge.analysis
        self._verdicts = verdicts
        self.failures: dict[str, Exception] = {}
        """By code: what came up where a fix was judged, which is not offered then."""

    def completed(self, reported: Sequence[Reported]) -> list[Finding]:
        """The findings, with no fix that leaves the same NaN beside it."""
        current = list(reported)
        for _ in range(_ROUNDS_MOST):
            following = [self._tried(place, current) for place in range(len(current))]
            if following == current:
                break
            current = following
        return [one.finding for one in current]

    def _tried(self, place: int, reported: Sequence[Reported]) -> Reported:
        """What cannot be judged is not offered."""
        try:
            return self._one(place, reported)
        except MemoryError:
            raise
        except Exception as error:
            one = reported[place]
            self.failures[one.finding.code] = error
            return replace(one, finding=replace(one.finding, fix=None))

    def _one(self, place: int, reported: Sequence[Reported]) -> Reported:
        one = reported[place]
        fix = one.finding.fix
        if fix is None or not one.applicability:
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
            fix = replace(fix, message=message).only_shown("alone it would leave the same flaw")
        return replace(one, finding=replace(one.finding, fix=fix))

    def _left(
        self, one: Reported, reported: Sequence[Reported], least: Applicability
    ) -> list[Term]:
        """The operations that are still not finite where what was matched is singular."""
        made = [other for other in reported if other.applicability >= least or other is one]
        return self._left_after(one.verdict, [_Repair.of(other) for other in made])

    def _left_after(self, verdict: Verdict, repairs: Sequence[_Repair]) -> list[Term]:
        kept = {place: repair.kept for repair in repairs for place in repair.rewritten}
        spans = {span for repair in repairs for span in repair.spans}

        def kept_by(term: Term) -> Sequence[Term] | None:
            found = kept.get(_place(term))
            if found is None and self._is_one_of(term, spans):
                return ()
            return found

        for singular in _singularities(self._repairer.judge.context(verdict), verdict):
            if Singular(singular, _nothing).is_finite(verdict.occurrence.term):
                continue
            regular, after = Singular({}, kept_by), Singular(singular, kept_by)
            for result in (verdict.occurrence.term, *self._results(verdict.occurrence.term)):
                if regular.is_finite(result) and not after.is_finite(result):
                    left = list(_causes(result, after, singular, kept_by))
                    if left:
                        return left
        return self._left_of_gradient(verdict, kept_by)

    def _left_of_gradient(self, verdict: Verdict, kept_by: Kept) -> list[Term]:
        """The same of the derivative by what is 0 where a root has none."""
        matched = verdict.occurrence.term
        for place in _rootless(verdict):
            values = Singular({place: 0.0}, _nothing)
            if Slopes(values, place, _nothing).is_finite(matched):
                continue
            after = Singular({place: 0.0}, kept_by)
            slopes = Slopes(after, place, kept_by)
            regular = Slopes(Singular({}, kept_by), place, kept_by)
            for result in (matched, *self._results(matched)):
                if regular.is_finite(result) and not slopes.is_finite(result):
                    left = list(_causes(result, slopes, {place: 0.0}, kept_by))
                    if left:
                        return left
        return []

    def _is_one_of(self, term: Term, spans: set[Span]) -> bool:
        """Whether just this is what an edit puts something else for."""
        return (
            bool(spans)
            and self._source.knows(term.site)
            and (self._source.span(term.site) in spans)
        )

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
        """The fix with what is missing: fixes that are not shown, or its own guard once more."""
        fix = one.finding.fix
        assert fix is not None
        others = [
            _Repair.of(other)
            for other in reported
            if other.applicability >= one.applicability and other is not one
        ]
        hidden = list(self._hidden(one, left, reported))
        repairs = [_Repair.of(one), *others, *(_Repair.of(other) for other in hidden)]
        more = [edit for other in hidden if other.finding.fix for edit in other.finding.fix.edits]
        applicability = one.applicability
        if not more:
            more = list(self._guarded_again(one, left))
            repairs[0] = replace(repairs[0], spans=repairs[0].spans | {e.span for e in more})
            applicability = min(applicability, Applicability.UNSAFE)  # no rule has licensed it
        edits = sorted({*fix.edits, *more})
        taken = {span for repair in others for span in repair.spans}
        if (
            not more
            or any(a.span.overlaps(b.span) for a, b in itertools.pairwise(edits))
            or any(edit.span.overlaps(span) for edit in more for span in taken)
            or self._left_after(one.verdict, repairs)
        ):
            return None
        return Fix(fix.message, applicability, tuple(edits))

    def _hidden(
        self, one: Reported, left: Sequence[Term], reported: Sequence[Reported]
    ) -> Iterator[Reported]:
        """What is found at these operations and not reported, with a fix that is as safe."""
        shown = {id(other.verdict) for other in reported}
        places = set(map(_place, left))
        for verdict in self._verdicts:
            if id(verdict) in shown or _place(verdict.occurrence.term) not in places:
                continue
            chosen = self._repairer.chosen(verdict)
            if chosen is not None and chosen.fix.applicability >= one.applicability:
                yield Reported(verdict, replace(one.finding, fix=chosen.fix))

    def _guarded_again(self, one: Reported, left: Sequence[Term]) -> Iterator[Edit]:
        """Where the fix guards a variable: the same for that variable in other operations."""
        fix = one.finding.fix
        edit = (
            next((edit for edit in fix.edits if edit.span.start < edit.span.end), None)
            if fix
            else None
        )
        guarded = [
            operand
            for part in _parts(one.verdict)
            for operand in part.operands
            if edit is not None and _is_variable(operand) and self._is_one_of(operand, {edit.span})
        ]
        if edit is None or not guarded or not _CALL.fullmatch(edit.content):
            return
        lines = self._source.lines
        for operand in (part for term in left for part in term.operands):
            is_same = operand.key == guarded[0].key and operand.detail == guarded[0].detail
            if _is_variable(operand) and is_same and self._source.knows(operand.site):
                span = self._source.span(operand.site)
                yield Edit(span, edit.content, lines.position(span.start), lines.position(span.end))

    def _row(self, term: Term) -> int:
        return self._source.lines.position(self._source.span(term.site).start).row


def _singularities(context: Context, verdict: Verdict) -> Iterator[Mapping[int, float]]:
    """Where what was matched may be singular: places of operands, with what they are there."""
    for part in _parts(verdict):
        name = part.operation.name
        zero = None
        if name == "div":
            zero = part.operands[1]
        elif name in _AT_ZERO or (name == "pow" and (number_of(part.operands[1]) or 0) < 0):
            zero = part.operands[0]
        if zero is not None and context.value(zero).can_be(0.0) is not Truth.NO:
            yield {place_of(_root(zero)): 0.0}
        if name in _OVERFLOWING and context.value(part.operands[0]).hi > _LARGE:
            root, sign = _signed_root(part.operands[0])
            yield {place_of(root): sign * _FAR}


def _rootless(verdict: Verdict) -> Iterator[int]:
    """The places of what is 0 where the derivative of what was matched is infinite."""
    if verdict.case.hazard is not Hazard.GRADIENT:
        return
    for part in _parts(verdict):
        exponent = number_of(part.operands[1]) if part.operation.name == "pow" else None
        if part.operation.name == "sqrt" or (exponent is not None and 0 < exponent < 1):
            yield place_of(_summed_root(part.operands[0]))


def _summed_root(term: Term) -> Term:
    """What is 0 where a sum of its squares, or of roots of such sums, is."""
    inner = _root(term)
    while inner.operation.name in ("sum", "mean", "norm") or inner.operation.name == "pow":
        inner = _root(inner.operands[0])
    return inner


def _parts(verdict: Verdict) -> Iterator[Term]:
    return map(peel, (verdict.occurrence.term, *verdict.found.passed))


def _is_variable(term: Term) -> bool:
    return term.operation is REFERENCE and term.detail is not None


def _signed_root(term: Term) -> tuple[Term, float]:
    """What is far from 0 where the term is, and on which side."""
    sign, inner = 1.0, behind_views(term)
    while True:
        numbers = [number for number in map(number_of, inner.operands) if number]
        others = [part for part in inner.operands if number_of(part) is None]
        if inner.operation.name == "neg":
            sign = -sign
        elif inner.operation.name == "mul" and numbers and len(others) == 1:
            sign = -sign if numbers[0] < 0 else sign
        else:
            return inner, sign
        if not others:
            return inner, sign
        inner = behind_views(others[0])


def _root(term: Term) -> Term:
    """What is 0 exactly where the term is."""
    inner = behind_views(term)
    while inner.operation.name in ("square", "abs", "neg", "sqrt") or (
        inner.operation.name == "pow" and (number_of(inner.operands[1]) or 0) > 0
    ):
        inner = behind_views(inner.operands[0])
    return inner


def _causes(
    result: Term,
    values: Singular | Slopes,
    singular: Mapping[int, float],
    kept_by: Kept,
) -> Iterator[Term]:
    """The operations that make it of finite operands, or of what is infinite itself."""
    pending, seen = [result], set[int]()
    while pending:
        term = pending.pop()
        if id(term) in seen or values.is_finite(term) or place_of(term) in singular:
            continue
        seen.add(id(term))
        inner = peel(term)
        parts = kept_by(inner) or inner.operands
        broken = [part for part in parts if not values.is_finite(part)]
        deeper = [part for part in broken if place_of(peel(part)) not in singular]
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


def _nothing(term: Term) -> Sequence[Term] | None:
    return None


def _lines(rows: Sequence[int]) -> str:
    return f"line{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows))}"
