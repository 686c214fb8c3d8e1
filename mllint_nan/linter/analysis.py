"""The findings of one text, before any fix is tried.

CPython's tree is enough to see that there are none; LibCST's is only built if positions are needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from mllint_nan.findings import Confidence, Finding
from mllint_nan.fingerprints import fingerprints, known
from mllint_nan.fixing.unused import judged, unused
from mllint_nan.garbage_collection import paused
from mllint_nan.linter.evaluation import ask_for_fixes, evaluated, judge_of
from mllint_nan.linter.reports import (
    failures_of_fixes,
    finding_of,
    misspelt_comments,
    only_shown,
    rule_failures,
    trusted,
    with_fix,
    with_pages,
)
from mllint_nan.linter.selection import asked_rules, is_selected, selected_codes, speaking_codes
from mllint_nan.results import Linted
from mllint_nan.rulebook.audit import Audit
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.tool import UNUSED_SUPPRESSION
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.settings import Settings
from mllint_nan.syntax import lower_ast
from mllint_nan.syntax.lines import Lines
from mllint_nan.syntax.suppressions import Directive, Suppressions, suppressions_of
from mllint_nan.syntax.symbol_table import remember, tree_of_own

if TYPE_CHECKING:
    from mllint_nan.syntax.source import Source


@paused()
def findings_in(
    text: str, filename: str, settings: Settings, *, is_likely_found: bool = False
) -> Linted:
    """The findings in a text; with `is_likely_found`, the pass without positions is skipped."""
    selected = selected_codes(settings)
    suppressions = suppressions_of(text)
    watched = _watched(suppressions, selected, settings)
    needs_places = is_likely_found or bool(watched or suppressions.mistakes)
    first = FirstPass()
    outcome = None if needs_places else without_findings(text, filename, selected, settings, first)
    if outcome is None:
        outcome = with_places(text, filename, selected, suppressions, watched, settings, first)
    return less_known(outcome, text, settings) if settings.known else outcome


@dataclass(slots=True)
class FirstPass:
    """What judging a text without positions tells the pass that follows with positions."""

    are_calls_idle: bool = False
    """Whether no call argument makes anything likely; comments in the text cannot change that."""
    answering: frozenset[str] | None = None
    """The codes of the rules that match anything, or fail; `None` if all may."""


def without_findings(
    text: str,
    filename: str,
    selected: frozenset[str],
    settings: Settings,
    first: FirstPass | None = None,
) -> Linted | None:
    """The result of a text without findings; `None` if it has any, or may have."""
    found = _found(text, filename, settings)
    if found is not None and first is not None:
        first.are_calls_idle = not found.calls_tell
        first.answering = found.answering
    if found is None or found.audited or _counted(found.verdicts, selected, settings):
        return None
    if rests_on_fixes(found.verdicts):
        return None
    failures = rule_failures(found.failures, selected)
    weaker = _weaker(found.verdicts, selected, settings)
    return Linted((), (), found.silenced, failures=failures, weaker=weaker)


class _Found(NamedTuple):
    """All that the rules find in a text, and the findings that they override."""

    verdicts: list[Verdict]
    silenced: tuple[tuple[str, int], ...]
    failures: Mapping[str, Exception]
    audited: bool
    """Whether some operation is not proved safe, if that is asked for."""
    calls_tell: bool
    """Whether the arguments of calls tell more than the functions alone."""
    answering: frozenset[str]
    """The codes of the rules that match anything, or fail."""


def _found(text: str, filename: str, settings: Settings) -> _Found | None:
    """What the rules find without a tree that has positions; `None` if one is needed.

    Raises RecursionError if the text nests too deeply, or UnsupportedError, which says where:
    LibCST's tree is no flatter, and takes seconds to make.
    """
    tree = tree_of_own(text)
    if tree is None:
        return None
    if settings.project is not None:
        remember(text, tree)
    try:
        program = lower_ast.lower_module(tree)
        del tree  # the garbage collector would go through it
        judge = judge_of(program, filename, settings)
        verdicts = judge.verdicts(speaking_codes(settings))
        audited = any(_audited(judge, settings))
        let_go(judge)
    except RecursionError:
        from mllint_nan.syntax.source import check_nesting

        check_nesting(text, Lines(text))
        raise
    silenced = tuple(judge.silenced.items())
    answering = frozenset((*(one.rule.code for one in judge.every or ()), *judge.failures))
    return _Found(verdicts, silenced, judge.failures, audited, judge.calls_tell, answering)


def rests_on_fixes(verdicts: Iterable[Verdict]) -> bool:
    """Whether the confidence of any verdict depends on which fix can be written at its place."""
    return any(verdict.rests_on_fix for verdict in verdicts)


def let_go(judge: Judge) -> None:
    """Break reference cycles once no more questions are asked."""
    judge.is_repaired = None
    for scope in judge.analysis.functions.values():
        scope.returned = ()
        if scope.owner is not None:
            scope.owner.attributes, scope.owner.inherited = {}, {}


def _audited(judge: Judge, settings: Settings) -> Iterator[Verdict]:
    """The operations that are not proved safe, if that is asked for."""
    if settings.min_confidence > Confidence.POSSIBLE:
        return
    selected = selected_codes(settings)
    for verdict in Audit(judge).verdicts(speaking_codes(settings)):
        if verdict.rule.code in selected:
            yield verdict


def _counted(
    verdicts: Iterable[Verdict], selected: frozenset[str], settings: Settings
) -> Counter[str]:
    """How many of the verdicts are to be reported, by code."""
    return Counter(
        one.rule.code
        for one in verdicts
        if one.confidence >= settings.min_confidence and one.rule.code in selected
    )


def _weaker(
    verdicts: Iterable[Verdict], selected: frozenset[str], settings: Settings
) -> tuple[tuple[Confidence, int], ...]:
    """How many of the verdicts are below the requested confidence."""
    return tuple(
        Counter(
            one.confidence
            for one in verdicts
            if one.confidence < settings.min_confidence and one.rule.code in selected
        ).items()
    )


def with_places(
    text: str,
    filename: str,
    selected: frozenset[str],
    suppressions: Suppressions,
    watched: set[Directive],
    settings: Settings,
    first: FirstPass | None = None,
) -> Linted:
    from mllint_nan.fixing.completeness import Completer, Reported

    prepared = evaluated(text, filename, settings, first is not None and first.are_calls_idle)
    if first is not None and settings.min_confidence > Confidence.POSSIBLE:
        prepared.judge.answering = first.answering  # an audit also asks why rules are quiet
    source, judge = prepared.source, prepared.judge
    repairer = ask_for_fixes(prepared, settings)
    unrepaired: dict[str, Exception] = {}
    reported: list[Reported] = []
    suppressed: list[Finding] = []
    used: list[Directive] = []
    misplaced: dict[Directive, Finding] = {}

    def unsuppressed(verdict: Verdict, *, is_wanted: bool) -> Finding | None:
        """The finding, if it is to be reported; comments that cover it count as used anyway."""
        finding = finding_of(source, judge, verdict)
        covering = suppressions.covering(
            finding.code, finding.name, finding.start.row, finding.end.row
        )
        used.extend(covering)
        if is_wanted and covering:
            suppressed.append(finding)
        return finding if is_wanted and not covering else None

    every, speaking = judge.verdicts(), judge.verdicts(speaking_codes(settings))
    for verdict in speaking:
        is_wanted = verdict.confidence >= settings.min_confidence
        if verdict.rule.code not in selected or not (is_wanted or watched):
            continue
        finding = unsuppressed(verdict, is_wanted=is_wanted)
        if finding is not None:
            finding = with_fix(finding, verdict, repairer, settings, unrepaired)
            finding = trusted(finding, settings)
            inside = suppressions.inside(finding)
            if inside:
                misplaced.update(dict.fromkeys(inside, finding))
                finding = only_shown(finding, "a comment inside it suppresses findings")
            reported.append(Reported(verdict, finding))
    completer = Completer(repairer, every)
    findings = completer.completed(reported)
    unrepaired.update(completer.failures)
    is_asked = settings.min_confidence is Confidence.POSSIBLE
    if is_asked or watched.difference(used):
        # A comment that silences what an audit reports is not idle.
        unverified = replace(settings, verifier=None)
        for verdict in Audit(judge).verdicts(speaking_codes(settings)):
            if verdict.rule.code not in selected:
                continue
            finding = unsuppressed(verdict, is_wanted=is_asked)
            if finding is not None:
                findings.append(
                    only_shown(
                        with_fix(finding, verdict, repairer, unverified, unrepaired),
                        "there is no evidence of a flaw",
                    )
                )
    idle = set() if judge.failures else watched.difference(used)
    let_go(judge)
    remarks = unused(text, suppressions, idle, asked_rules(settings), misplaced)
    findings += (trusted(one, settings) for one in remarks)
    findings += misspelt_comments(text, suppressions, settings)
    return Linted(
        tuple(with_pages(sorted(findings, key=lambda one: one.sort_key), settings)),
        tuple(with_pages(sorted(suppressed, key=lambda one: one.sort_key), settings)),
        tuple(judge.silenced.items()),
        failures=(*rule_failures(judge.failures, selected), *failures_of_fixes(unrepaired)),
        weaker=_weaker(
            (one for one in speaking if not _is_suppressed(source, suppressions, one)),
            selected,
            settings,
        ),
    )


def _watched(
    suppressions: Suppressions, selected: frozenset[str], settings: Settings
) -> set[Directive]:
    """The suppression comments that are reported if they silence nothing."""
    if not suppressions.directives or not is_selected(UNUSED_SUPPRESSION, settings):
        return set()
    return set(judged(suppressions, load_rules(settings.rules), selected))


def less_known(outcome: Linted, text: str, settings: Settings) -> Linted:
    """The findings without those in the baseline."""
    answers = known(fingerprints(text, outcome.findings), settings.known)
    judged = list(zip(outcome.findings, answers, strict=True))
    return replace(
        outcome,
        findings=tuple(finding for finding, is_known in judged if not is_known),
        known=tuple(finding for finding, is_known in judged if is_known),
        weaker=(),  # it is not known which are in the baseline
        stale=len(settings.known) - sum(answers),
    )


class Counts(NamedTuple):
    """How often each code is reported, and which rules failed."""

    counted: Counter[str]
    failed: set[str]


@paused()
def count(text: str, filename: str, settings: Settings) -> Counts:
    """Counts without looking for fixes, and without positions if none are asked for."""
    if settings.known:
        outcome = findings_in(text, filename, settings)
        counted = Counter(finding.code for finding in claims(outcome.findings))
        return Counts(counted, failed_in(outcome))
    suppressions = suppressions_of(text)
    selected = selected_codes(settings)
    found = None if suppressions.directives else _found(text, filename, settings)
    if found is not None and not rests_on_fixes(found.verdicts):
        return Counts(_counted(found.verdicts, selected, settings), {*found.failures})
    prepared = evaluated(text, filename, settings)
    ask_for_fixes(prepared, settings)
    source, verdicts = prepared.source, prepared.judge.verdicts(speaking_codes(settings))
    let_go(prepared.judge)
    reported = (one for one in verdicts if not _is_suppressed(source, suppressions, one))
    counted = _counted(reported, selected, settings)
    return Counts(counted, {*prepared.judge.failures})


def _is_suppressed(source: Source, suppressions: Suppressions, verdict: Verdict) -> bool:
    if not suppressions.directives:
        return False
    span = source.span(verdict.reported.site)
    first, last = source.lines.position(span.start).row, source.lines.position(span.end).row
    rule = verdict.rule
    return bool(suppressions.covering(rule.code, rule.name, first, last))


def claims(findings: Iterable[Finding]) -> list[Finding]:
    """The findings of rules; those that an audit adds play no part in fixes."""
    return [finding for finding in findings if not finding.audited]


def failed_in(outcome: Linted) -> set[str]:
    """The rules that failed; what they would find is unknown."""
    return {failure.code for failure in outcome.failures}
