"""Complete repairs: one that leaves the same NaN further on is completed, or only shown."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Edit, Finding, Fix, Hazard, Span
from mllint_nan.fixing.composition import with_places, with_rows
from mllint_nan.fixing.repair import Repairer
from mllint_nan.fixing.singular import Kept, Singular, place_of
from mllint_nan.fixing.slopes import Slopes
from mllint_nan.ir.term import REFERENCE, Term, behind_views, number_of, peel
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.verdict import Verdict

_FLOWS_MOST: Final = 60
"""How many terms that a result flows into are considered, the nearest first."""
_INSIDE_MOST: Final = 1_500
_ROUNDS_MOST: Final = 3
_AT_ZERO: Final = frozenset(("log", "log2", "log10", "rsqrt"))
_FAR: Final = 1000.0
"""A distance from 0 at which exp is infinite or 0 in every format."""
_LARGE: Final = 80.0
"""An argument whose exp is nearly the largest number of float32."""
_CALL: Final = re.compile(r"[\w.]+\(.*\)", re.DOTALL)
_OVERFLOWING: Final = frozenset(("exp", "expm1", "exp2", "sinh", "cosh"))


@dataclass(frozen=True, slots=True)
class Reported:
    """A verdict, and the finding that is made from it."""

    verdict: Verdict
    finding: Finding

    @property
    def applicability(self) -> Applicability:
        fix = self.finding.fix
        return fix.applicability if fix is not None else Applicability.DISPLAY_ONLY


@dataclass(frozen=True, slots=True)
class _Repair:
    """What a fix rewrites, and the terms that it keeps."""

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


class _Repairs:
    """The effects of several fixes, indexed by place."""

    def __init__(self, repairs: Iterable[_Repair]) -> None:
        self._kept: dict[tuple[int, int], tuple[Term, ...]] = {}
        spans: list[Span] = []
        for repair in repairs:
            self._kept.update((place, repair.kept) for place in repair.rewritten)
            spans += repair.spans
        self._spans = frozenset(spans)
        self._ordered = sorted(self._spans)
        self._ends = list(itertools.accumulate((one.end for one in self._ordered), max))

    def kept(self, term: Term) -> Sequence[Term] | None:
        """The terms that are kept of a rewritten term; `None` if the term is not rewritten."""
        return self._kept.get(_place(term))

    def replaces(self, span: Span) -> bool:
        """Whether an edit replaces exactly this span."""
        return span in self._spans

    def may_touch(self, span: Span) -> bool:
        """Whether a fix changes part of this span, or inserts something next to it."""
        before = bisect.bisect_right(self._ordered, span.end, key=lambda one: one.start)
        return before > 0 and self._ends[before - 1] >= span.start


class _Round:
    """The current findings, and the effects of their fixes."""

    def __init__(self, reported: Sequence[Reported]) -> None:
        self.reported = reported
        self.verdicts = {id(one.verdict) for one in reported}
        self._made: dict[Applicability, _Repairs] = {}

    def made(self, least: Applicability) -> _Repairs:
        """Return the effects of the fixes that are at least this applicable."""
        if least not in self._made:
            self._made[least] = _Repairs(
                _Repair.of(one) for one in self.reported if one.applicability >= least
            )
        return self._made[least]

    def is_changed_beside(self, one: Reported, span: Span) -> bool:
        """Whether another fix that is at least as applicable changes part of this span."""
        return self.made(one.applicability).may_touch(span) and any(
            span.overlaps(taken)
            for other in self.reported
            if other.applicability >= one.applicability and other is not one
            for taken in _Repair.of(other).spans
        )


class Completer:
    """Judges the fixes of one file together."""

    def __init__(self, repairer: Repairer, verdicts: Sequence[Verdict]) -> None:
        self._repairer = repairer
        self._source = repairer.source
        self._analysis = repairer.judge.analysis
        self._verdicts: dict[tuple[int, int], list[Verdict]] = {}
        for verdict in verdicts:
            self._verdicts.setdefault(_place(verdict.occurrence.term), []).append(verdict)
        self.failures: dict[str, Exception] = {}
        """By code: the exception raised while a fix was judged; that fix is not offered."""

    def completed(self, reported: Sequence[Reported]) -> list[Finding]:
        """Return the findings, where no fix that is offered leaves the same NaN further on."""
        current = list(reported)
        for _ in range(_ROUNDS_MOST):
            whole = _Round(current)
            following = [self._tried(one, whole) for one in current]
            if following == current:
                break
            current = following
        return [one.finding for one in current]

    def _tried(self, one: Reported, whole: _Round) -> Reported:
        """Judge one fix; a fix that cannot be judged is not offered."""
        try:
            return self._one(one, whole)
        except MemoryError:
            raise
        except Exception as error:
            self.failures[one.finding.code] = error
            return replace(one, finding=replace(one.finding, fix=None))

    def _one(self, one: Reported, whole: _Round) -> Reported:
        fix = one.finding.fix
        if fix is None or not one.applicability:
            return one
        left = self._left_after(one.verdict, [whole.made(one.applicability)])
        if not left:
            return self._below_a_logarithm(one, whole)
        wider = self._joined(one, left, whole)
        if wider is not None:
            fix = wider
        elif one.applicability > Applicability.UNSAFE and not self._left_after(
            one.verdict, [whole.made(Applicability.UNSAFE)]
        ):
            fix = replace(fix, applicability=Applicability.UNSAFE)
        else:
            fix = self._only_shown(fix, left)
        return replace(one, finding=replace(one.finding, fix=fix))

    def _below_a_logarithm(self, one: Reported, whole: _Round) -> Reported:
        """Only show a fix that leaves a logarithm of its result infinite, as is reported."""
        matched = _place(one.verdict.occurrence.term)
        left = [
            other.verdict.occurrence.term
            for other in whole.reported
            if other.applicability < one.applicability
            if _logarithm_of(other.verdict) == matched
        ]
        fix = one.finding.fix
        if not left or fix is None or one.verdict.case.hazard is not Hazard.VALUE:
            return one
        return replace(one, finding=replace(one.finding, fix=self._only_shown(fix, left)))

    def _only_shown(self, fix: Fix, left: Sequence[Term]) -> Fix:
        message = with_rows(fix.message, {self._row(term) for term in left})
        return replace(fix, message=message).only_shown(
            "applied alone, it would leave the same flaw"
        )

    def _left_after(self, verdict: Verdict, repairs: Sequence[_Repairs]) -> list[Term]:
        """The operations that are still not finite where the matched operation is singular.

        If several of the repairs rewrite one place, the last one counts.
        """

        def kept_by(term: Term) -> Sequence[Term] | None:
            for several in reversed(repairs):
                found = several.kept(term)
                if found is not None:
                    return found
            span = self._source.span(term.site) if self._source.knows(term.site) else None
            is_replaced = span is not None and any(one.replaces(span) for one in repairs)
            return () if is_replaced else None

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
        """The operations whose gradient is still not finite, by a root or an overflow."""
        matched = verdict.occurrence.term
        for place, value in _steep(self._repairer.judge.context(verdict), verdict):
            singular = {place: value}
            if Slopes(Singular(singular, _nothing), place, _nothing).is_finite(matched):
                continue
            below = kept_by if value == 0 else _forgetting(kept_by)
            slopes = Slopes(Singular(singular, kept_by), place, below)
            regular = Slopes(Singular({}, kept_by), place, below)
            for result in (matched, *self._results(matched)):
                if regular.is_finite(result) and not slopes.is_finite(result):
                    left = list(_causes(result, slopes, singular, kept_by))
                    if left:
                        return left
        return []

    def _stands_at(self, term: Term, span: Span) -> bool:
        """Whether the text of a term is exactly the span that an edit replaces."""
        return self._source.knows(term.site) and self._source.span(term.site) == span

    def _results(self, term: Term) -> Iterator[Term]:
        """Yield the terms that are computed from this occurrence of a term, the nearest first."""
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

    def _joined(self, one: Reported, left: Sequence[Term], whole: _Round) -> Fix | None:
        """Return the fix with what it lacks: unreported fixes, or its own guard once more."""
        fix = one.finding.fix
        assert fix is not None
        made, own = whole.made(one.applicability), _Repair.of(one)
        hidden = list(self._hidden(one, left, whole))
        more = [edit for other in hidden if other.finding.fix for edit in other.finding.fix.edits]
        applicability = one.applicability
        if not more:
            more = list(self._guarded_again(one, left))
            own = replace(own, spans=own.spans | {edit.span for edit in more})
            applicability = min(applicability, Applicability.UNSAFE)  # no rule has licensed it
        edits = sorted({*fix.edits, *more})
        repairs = [_Repairs([own]), made, _Repairs(map(_Repair.of, hidden))]
        if (
            not more
            or any(a.span.overlaps(b.span) for a, b in itertools.pairwise(edits))
            or any(whole.is_changed_beside(one, edit.span) for edit in more)
            or self._left_after(one.verdict, repairs)
        ):
            return None
        return Fix(with_places(fix.message, more), applicability, tuple(edits))

    def _hidden(self, one: Reported, left: Sequence[Term], whole: _Round) -> Iterator[Reported]:
        """Yield unreported verdicts at these operations with a fix at least as applicable."""
        found = [
            verdict for place in set(map(_place, left)) for verdict in self._verdicts.get(place, ())
        ]
        for verdict in found:
            if id(verdict) in whole.verdicts:
                continue
            chosen = self._repairer.chosen(verdict)
            if chosen is not None and chosen.fix.applicability >= one.applicability:
                yield Reported(verdict, replace(one.finding, fix=chosen.fix))

    def _guarded_again(self, one: Reported, left: Sequence[Term]) -> Iterator[Edit]:
        """If the fix guards a variable: yield edits that guard it in the other operations too."""
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
            if edit is not None and _is_variable(operand) and self._stands_at(operand, edit.span)
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
    """Yield where the match may be singular: places of operands, with their values there."""
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


def _steep(context: Context, verdict: Verdict) -> Iterator[tuple[int, float]]:
    """Yield operands, with values at which the derivative of the match may be infinite."""
    for part in _parts(verdict):
        name = part.operation.name
        exponent = number_of(part.operands[1]) if name == "pow" else None
        is_root = name == "sqrt" or (exponent is not None and 0 < exponent < 1)
        if is_root and verdict.case.hazard is Hazard.GRADIENT:
            yield place_of(_summed_root(part.operands[0])), 0.0
        if name in _OVERFLOWING and context.value(part.operands[0]).hi > _LARGE:
            root, sign = _signed_root(part.operands[0])
            yield place_of(root), sign * _FAR


def _forgetting(kept_by: Kept) -> Kept:
    """Return `kept_by` without kept terms: no fix of an exponential keeps its operand."""
    return lambda term: None if kept_by(term) is None else ()


def _logarithm_of(verdict: Verdict) -> tuple[int, int] | None:
    """The place of the operand of the matched operation, if that is a logarithm."""
    matched = verdict.occurrence.term
    if not matched.operation.name.startswith("log") or not matched.operands:
        return None
    return _place(behind_views(matched.operands[0]))


def _summed_root(term: Term) -> Term:
    """The term that is 0 where a sum of its squares, or of roots of such sums, is 0."""
    inner = _root(term)
    while inner.operation.name in ("sum", "mean", "norm") or inner.operation.name == "pow":
        inner = _root(inner.operands[0])
    return inner


def _parts(verdict: Verdict) -> Iterator[Term]:
    return map(peel, (verdict.occurrence.term, *verdict.found.passed))


def _is_variable(term: Term) -> bool:
    return term.operation is REFERENCE and term.detail is not None


def _signed_root(term: Term) -> tuple[Term, float]:
    """The term that is far from 0 where this term is, and the sign that relates them."""
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
    """The term that is 0 exactly where this term is."""
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
    """Yield the operations that first make it infinite or NaN, of finite or given operands."""
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
    """An identity that a term shares with its copies."""
    return id(term.site) if term.site is not None else id(term), term.key


def _nothing(term: Term) -> Sequence[Term] | None:
    return None
