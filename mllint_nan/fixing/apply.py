"""Choose and splice edits: a fix is applied as a whole, or waits for the next pass."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from mllint_nan.findings import Applicability, Edit, Finding, Span


def choose(findings: Iterable[Finding], applicability: Applicability) -> list[Finding]:
    """Return the findings whose fixes can be applied together, in the order of the text.

    Equal edits are shared: two fixes may need the same import. A fix that replaces the place of
    another finding is chosen first.
    """
    chosen: list[Finding] = []
    taken: set[Edit] = set()
    places: list[Span] = []  # of `taken`, in order: they are disjoint
    for finding in _ordered(findings, applicability):
        fix = finding.fix
        assert fix is not None
        fresh = [edit for edit in fix.edits if edit not in taken]
        if not fresh or any(_overlaps_one(edit.span, places) for edit in fresh):
            continue
        taken.update(fresh)
        for edit in fresh:
            bisect.insort(places, edit.span)
        chosen.append(finding)
    return sorted(chosen, key=lambda finding: finding.sort_key)


def _ordered(findings: Iterable[Finding], applicability: Applicability) -> list[Finding]:
    """Return the applicable findings: first those that replace others' places, then by place."""
    found = sorted(
        (
            one
            for one in findings
            if one.fix and one.fix.edits and one.fix.applicability >= applicability
        ),
        key=lambda one: one.sort_key,
    )
    places = sorted({one.span for one in found})

    def takes_away(one: Finding) -> bool:
        return any(
            edit.span.contains(place) and place != one.span
            for edit in (one.fix.edits if one.fix is not None else ())
            for place in places[bisect.bisect_left(places, Span(edit.span.start, 0)) :][:2]
        )

    return sorted(found, key=takes_away, reverse=True)


def splice(text: str, findings: Iterable[Finding]) -> str:
    """Return `text` with every edit of the findings' fixes applied."""
    edits = {edit for finding in findings if finding.fix for edit in finding.fix.edits}
    pieces: list[str] = []
    end = 0
    for edit in sorted(edits):
        pieces += text[end : edit.span.start], edit.content
        end = edit.span.end
    return "".join((*pieces, text[end:]))


def _overlaps_one(span: Span, places: list[Span]) -> bool:
    """Whether `span` overlaps one of `places`, which are sorted and disjoint."""
    after = bisect.bisect_left(places, span)
    return any(span.overlaps(near) for near in places[max(after - 1, 0) : after + 1])
