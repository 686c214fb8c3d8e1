"""Choosing and splicing edits: a fix is applied whole, or waits for the next pass."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from mllint_nan.findings import Applicability, Edit, Finding, Span


def choose(findings: Iterable[Finding], applicability: Applicability) -> list[Finding]:
    """The findings whose fixes can be applied together, in the order of the text.

    Equal edits are shared: two fixes may need one import.
    """
    chosen: list[Finding] = []
    taken: set[Edit] = set()
    places: list[Span] = []  # of `taken`, in order: they are disjoint
    for finding in sorted(findings, key=lambda finding: finding.sort_key):
        fix = finding.fix
        if fix is None or fix.applicability < applicability or not fix.edits:
            continue
        fresh = [edit for edit in fix.edits if edit not in taken]
        if not fresh or any(_overlaps_one(edit.span, places) for edit in fresh):
            continue
        taken.update(fresh)
        for edit in fresh:
            bisect.insort(places, edit.span)
        chosen.append(finding)
    return chosen


def splice(text: str, findings: Iterable[Finding]) -> str:
    """`text` with every edit of the findings' fixes made."""
    edits = {edit for finding in findings if finding.fix for edit in finding.fix.edits}
    pieces: list[str] = []
    end = 0
    for edit in sorted(edits):
        pieces += text[end : edit.span.start], edit.content
        end = edit.span.end
    return "".join((*pieces, text[end:]))


def _overlaps_one(span: Span, places: list[Span]) -> bool:
    """Whether `span` overlaps one of these, which are sorted and overlap none of each other."""
    after = bisect.bisect_left(places, span)
    return any(span.overlaps(near) for near in places[max(after - 1, 0) : after + 1])
