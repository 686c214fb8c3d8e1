"""Try fixes out: refuse a fix that breaks the text or brings a new finding."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from mllint_nan.findings import Confidence, Finding
from mllint_nan.fixing.apply import choose, splice
from mllint_nan.fixing.composition import joined
from mllint_nan.fixing.passes import Promises
from mllint_nan.linter import analysis
from mllint_nan.linter.analysis import Counts, claims, failed_in
from mllint_nan.linter.selection import asked_rules, selected_codes
from mllint_nan.results import Linted
from mllint_nan.rulebook.tool import UNUSED_SUPPRESSION
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import SourceError, UnsupportedError

_BREAKS = "it would break the file, or introduce a new finding"
_TRIALS_MOST = 32
_STEPS_MOST = 3
"""How many times the findings that a fix brings up are fixed in turn."""


def fix_identity(finding: Finding) -> tuple[str, str]:
    edits = "".join(edit.content for edit in finding.fix.edits) if finding.fix else ""
    return finding.code, edits


def with_refused(outcome: Linted, refused: set[tuple[str, str]], reason: str = _BREAKS) -> Linted:
    """The outcome with the refused fixes made display-only."""
    return replace(
        outcome,
        findings=tuple(
            replace(finding, fix=finding.fix.only_shown(reason))
            if finding.fix is not None and fix_identity(finding) in refused
            else finding
            for finding in outcome.findings
        ),
    )


def apply_fixes(
    text: str, chosen: list[Finding], before: Linted, filename: str, settings: Settings
) -> tuple[str, Linted] | None:
    """The text after the chosen fixes, if it parses and has no new finding."""
    fixed = splice(text, chosen)
    try:
        is_more = len(before.findings) > len(chosen)
        after = analysis.findings_in(fixed, filename, settings, is_likely_found=is_more)
    except (SourceError, UnsupportedError, RecursionError):
        return None
    counted = Counter(finding.code for finding in claims(after.findings))
    if _exceeds(counted, before, chosen, settings) or not failed_in(after) <= failed_in(before):
        return None
    return fixed, after


def _exceeds(
    counted: Counter[str], before: Linted, chosen: list[Finding], settings: Settings
) -> bool:
    """Whether a code is reported more often than before, minus what was fixed."""
    allowed = Counter(finding.code for finding in claims(before.findings))
    allowed.update(dict(before.silenced))
    allowed.subtract(finding.code for finding in chosen)
    repaired = {finding.code for finding in chosen}
    for rule in asked_rules(settings):
        if rule.code in repaired:
            allowed.update(rule.uncovers)
    del counted[UNUSED_SUPPRESSION.code]  # a comment that a fix makes useless is removed next
    return any(counted[code] > allowed[code] for code in counted)


def harmful_fixes(
    text: str, chosen: list[Finding], before: Linted, filename: str, settings: Settings
) -> list[Finding]:
    """The findings whose fix breaks the text or brings a new finding, found by bisection.

    What is still in doubt after many analyses counts as harmful.
    """
    harmful: list[Finding] = []
    doubtful = [chosen]
    for _ in range(_TRIALS_MOST):
        if not doubtful:
            break
        group = doubtful.pop()
        if _is_harmless(text, group, before, filename, settings):
            continue
        middle = len(group) // 2
        if middle:
            doubtful += [group[:middle], group[middle:]]
        else:
            harmful += group
    return harmful + [finding for group in doubtful for finding in group]


def _is_harmless(
    text: str, chosen: list[Finding], before: Linted, filename: str, settings: Settings
) -> bool:
    """Whether the text parses after the fixes, and has no new finding."""
    after = counts_after(text, chosen, filename, settings)
    return after is not None and not harms(after, before, chosen, settings)


def counts_after(
    text: str, chosen: list[Finding], filename: str, settings: Settings
) -> Counts | None:
    """The counts after the fixes, if the text can still be analysed."""
    try:
        return analysis.count(splice(text, chosen), filename, settings)
    except (SourceError, UnsupportedError, RecursionError):
        return None


def harms(after: Counts, before: Linted, chosen: list[Finding], settings: Settings) -> bool:
    news = after.failed & selected_codes(settings) - failed_in(before)
    return bool(news) or _exceeds(after.counted, before, chosen, settings)


def brings(counted: Counter[str], before: Linted, chosen: list[Finding]) -> bool:
    """Whether the fixes uncover a finding that others had overridden or concealed."""
    left = Counter(finding.code for finding in claims(before.findings))
    left.subtract(finding.code for finding in chosen)
    return any(counted[code] > left[code] for code in counted)


def with_followers(
    text: str, outcome: Linted, chosen: list[Finding], filename: str, settings: Settings
) -> Linted:
    """Every fix, joined with the fixes of the findings that it brings up, if those are as safe.

    A variance that is written out conceals that its root has no gradient at 0; a repaired loss
    leaves unused what it was computed from. Half a repair is not shown as a whole one.
    """
    wholes: dict[int, Finding] = {}
    for finding in chosen[:_TRIALS_MOST]:
        wholes[id(finding)] = _with_its_followers(text, finding, outcome, filename, settings)
    return replace(
        outcome,
        findings=tuple(wholes.get(id(finding), finding) for finding in outcome.findings),
    )


def _with_its_followers(
    text: str, finding: Finding, outcome: Linted, filename: str, settings: Settings
) -> Finding:
    assert finding.fix is not None
    least = finding.fix.applicability
    surest = min(finding.confidence, Confidence.LIKELY)  # one fix for all settings
    promises = Promises.of(claims(outcome.findings)).after([finding])
    steps = [finding.fix.edits]
    step = apply_fixes(text, [finding], outcome, filename, settings)
    while step is not None and len(steps) <= _STEPS_MOST:
        now, after = step
        news = [one for one in promises.news(claims(after.findings)) if one.confidence >= surest]
        followers = choose(news, least)
        step = apply_fixes(now, followers, after, filename, settings) if followers else None
        if step is not None:
            steps.append(tuple(edit for one in followers if one.fix for edit in one.fix.edits))
            promises = promises.after(followers)
    if len(steps) == 1:
        return finding
    return replace(finding, fix=joined(finding.fix, text, steps))


def apply_singly(
    text: str,
    chosen: list[Finding],
    before: Linted,
    filename: str,
    settings: Settings,
    refused: set[tuple[str, str]],
) -> tuple[tuple[str, Linted] | None, list[Finding]]:
    """Apply one fix: the first that is good; the bad ones before it are added to `refused`."""
    for finding in chosen:
        step = apply_fixes(text, [finding], before, filename, settings)
        if step is not None:
            return step, [finding]
        refused.add(fix_identity(finding))
    return None, []
