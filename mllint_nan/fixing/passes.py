"""Later passes apply only fixes that were shown before the first, wherever their text has moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mllint_nan.findings import Applicability, Edit, Finding, Span
from mllint_nan.rulebook.tool import UNUSED_SUPPRESSION


@dataclass(frozen=True, slots=True)
class Promise:
    """A finding as it was shown, with its place in the current text."""

    code: str
    span: Span
    applicability: Applicability


@dataclass(frozen=True, slots=True)
class Promises:
    """The fixes that were shown and are not applied yet.

    A repair may raise the confidence of another finding, or make its fix safer. Nobody has seen
    that yet, so it waits for another run. Each fix that was shown is applied at most once.
    """

    pending: tuple[Promise, ...]

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Promises:
        """Return the promises of all these findings, also of those without a fix."""
        return cls(
            tuple(
                Promise(
                    finding.code,
                    finding.span,
                    finding.fix.applicability if finding.fix else Applicability.DISPLAY_ONLY,
                )
                for finding in findings
            )
        )

    def kept(self, findings: Sequence[Finding]) -> Iterator[Finding]:
        """Yield the findings that were shown, their fixes at most as applicable as promised."""
        by_finding = self._matched(findings)
        for finding in findings:
            if finding.fix is None:
                continue
            if finding.code == UNUSED_SUPPRESSION.code:
                yield finding  # an applied fix has left this comment nothing to silence
            elif id(finding) in by_finding:
                least = min(finding.fix.applicability, by_finding[id(finding)].applicability)
                yield replace(finding, fix=replace(finding.fix, applicability=least))

    def news(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings that were not shown."""
        known = self._matched(findings)
        return [
            finding
            for finding in findings
            if id(finding) not in known and finding.code != UNUSED_SUPPRESSION.code
        ]

    def after(self, applied: Iterable[Finding]) -> Promises:
        """Return the promises that are left once these fixes are applied."""
        applied = list(applied)
        done = set(map(id, self._matched(applied).values()))
        edits = sorted({edit for one in applied if one.fix is not None for edit in one.fix.edits})
        return Promises(
            tuple(
                replace(promise, span=moved(promise.span, edits))
                for promise in self.pending
                if id(promise) not in done
            )
        )

    def _matched(self, findings: Sequence[Finding]) -> dict[int, Promise]:
        """By `id` of a finding: its promise, preferably one at the very same place."""
        found: dict[int, Promise] = {}
        taken: set[int] = set()
        for is_there in (_is_same, _is_near):
            for finding in findings:
                if id(finding) in found:
                    continue
                promise = next(
                    (
                        one
                        for one in self.pending
                        if id(one) not in taken and one.code == finding.code
                        if is_there(one.span, finding.span)
                    ),
                    None,
                )
                if promise is not None:
                    found[id(finding)] = promise
                    taken.add(id(promise))
        return found


def _is_same(promised: Span, found: Span) -> bool:
    return promised == found


def _is_near(promised: Span, found: Span) -> bool:
    """Whether the places overlap: a part of what was shown has been rewritten."""
    return promised.overlaps(found)


def moved(span: Span, edits: Iterable[Edit]) -> Span:
    """Return where a part of a text is after the edits, which are in order and disjoint."""
    start, end, shift = span.start, span.end, 0
    for edit in edits:
        grown = len(edit.content) - (edit.span.end - edit.span.start)
        if edit.span.end <= span.start:
            start += grown
        elif edit.span.start < span.start:
            start = edit.span.start + shift
        if edit.span.end <= span.end and edit.span.start < span.end:
            end += grown
        elif edit.span.start < span.end:
            end = edit.span.start + shift + len(edit.content)
        shift += grown
    return Span(start, max(start, end))
