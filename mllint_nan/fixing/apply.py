"""Choosing and splicing edits: a fix is applied whole, or waits for the next pass."""

from __future__ import annotations

from collections.abc import Iterable

from mllint_nan.findings import Applicability, Edit, Finding


def choose(findings: Iterable[Finding], applicability: Applicability) -> list[Finding]:
    """The findings whose fixes can be applied together, in the order of the text.

    Equal edits are shared: two fixes may need one import.
    """
    chosen: list[Finding] = []
    taken: set[Edit] = set()
    for finding in sorted(findings, key=lambda finding: finding.sort_key):
        fix = finding.fix
        if fix is None or fix.applicability < applicability or not fix.edits:
            continue
        fresh = [edit for edit in fix.edits if edit not in taken]
        clash = any(edit.span.overlaps(other.span) for edit in fresh for other in taken)
        if clash or not fresh:
            continue
        taken.update(fresh)
        chosen.append(finding)
    return chosen


def splice(text: str, findings: Iterable[Finding]) -> str:
    """`text` with every edit of the findings' fixes made."""
    edits = {edit for finding in findings if finding.fix for edit in finding.fix.edits}
    for edit in sorted(edits, reverse=True):
        text = text[: edit.span.start] + edit.content + text[edit.span.end :]
    return text
