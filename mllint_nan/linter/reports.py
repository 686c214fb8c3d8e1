"""A verdict as a finding, with its fix, its proof and the page of its rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from mllint_nan.findings import Applicability, Confidence, Finding, Position, Span
from mllint_nan.fixing.unused import misspelt
from mllint_nan.linter.selection import is_selected
from mllint_nan.linter.witnesses import message_of, witness_of
from mllint_nan.results import RuleFailure, Unparsable
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.tool import TOOL_RULES, UNUSED_SUPPRESSION
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import SourceError
from mllint_nan.syntax.suppressions import Suppressions
from mllint_nan.verify.failures import Unavailable

if TYPE_CHECKING:
    from mllint_nan.fixing.repair import Repairer
    from mllint_nan.rulebook.judge import Judge
    from mllint_nan.syntax.source import Source


def misspelt_comments(
    text: str, suppressions: Suppressions, settings: Settings
) -> Iterator[Finding]:
    """Findings about comments that silence nothing as they are written, if that is asked for."""
    if is_selected(UNUSED_SUPPRESSION, settings):
        yield from misspelt(text, suppressions)


def rule_failures(
    raised: Mapping[str, Exception], selected: frozenset[str]
) -> tuple[RuleFailure, ...]:
    """The failures of rules that were selected."""
    return tuple(
        RuleFailure.of(code, f"rule {code}", error, "the other rules are reported")
        for code, error in sorted(raised.items())
        if code in selected
    )


def failures_of_fixes(raised: Mapping[str, Exception]) -> Iterator[RuleFailure]:
    """The failures of rules whose fixes raised an exception."""
    for code, error in sorted(raised.items()):
        yield RuleFailure.of(code, f"the fix of {code}", error, "the finding has none")


def finding_of(source: Source, judge: Judge, verdict: Verdict) -> Finding:
    span = source.span(verdict.reported.site)
    return Finding(
        code=verdict.rule.code,
        name=verdict.rule.name,
        message=message_of(source, verdict),
        span=span,
        start=source.lines.position(span.start),
        end=source.lines.position(span.end),
        confidence=verdict.confidence,
        hazard=verdict.case.hazard,
        framework=verdict.framework,
        witness=witness_of(source, judge, verdict),
        url=None,
        reason=verdict.reason if verdict.confidence is Confidence.POSSIBLE else None,
        audited=verdict.audited,
    )


def with_fix(
    finding: Finding,
    verdict: Verdict,
    repairer: Repairer,
    settings: Settings,
    failures: dict[str, Exception],
) -> Finding:
    """The finding with its fix, if one can be written; exceptions go to `failures`."""
    try:
        return _repaired(finding, verdict, repairer, settings)
    except (MemoryError, Unavailable):
        raise
    except Exception as error:
        failures[finding.code] = error
        return finding


def _repaired(
    finding: Finding, verdict: Verdict, repairer: Repairer, settings: Settings
) -> Finding:
    """The finding with its fix; one that `--verify` does not prove is only shown."""
    chosen = repairer.chosen(verdict)
    if chosen is None:
        return replace(finding, unfixed=repairer.refusal(verdict))
    fix = chosen.fix
    if settings.verifier is None or fix.applicability is Applicability.DISPLAY_ONLY:
        return replace(finding, fix=fix)
    proof = settings.verifier.proof(verdict, chosen, repairer.judge, repairer.source)
    if not settings.verifier.accepts(proof):
        fix = fix.only_shown("executing it did not prove it correct")
    return replace(finding, fix=fix, proof=proof)


def only_shown(finding: Finding, reason: str) -> Finding:
    """The finding with its fix only shown, for this reason."""
    if finding.fix is None:
        return finding
    return replace(finding, fix=finding.fix.only_shown(reason), proof=None)


def trusted(finding: Finding, settings: Settings) -> Finding:
    """The finding, with its fix as safe as the user declares the fixes of the rule to be."""
    fix = finding.fix
    if fix is None or fix.applicability is Applicability.DISPLAY_ONLY:
        return finding
    if finding.code in settings.unsafe_codes:
        applicability = Applicability.UNSAFE
    elif finding.code in settings.safe_codes:
        applicability = Applicability.SAFE
    else:
        return finding
    return replace(finding, fix=replace(fix, applicability=applicability))


def with_pages(findings: Iterable[Finding], settings: Settings) -> Iterator[Finding]:
    """The findings with links to the pages of their rules; user rules have none."""
    if not settings.handbook:
        yield from findings
        return
    pages = {rule.code for rule in (*load_rules(), *TOOL_RULES)}
    for finding in findings:
        url = f"{settings.handbook.rstrip('/')}/rules/{finding.name}/"
        yield replace(finding, url=url) if finding.code in pages else finding


def unparsable(error: SourceError, settings: Settings) -> Unparsable:
    place = Position(error.row, error.column)
    finding = Finding(
        code="NAN901",
        name="syntax-error",
        message=error.message,
        span=Span(0, 0),
        start=place,
        end=place,
        confidence=Confidence.CERTAIN,
        hazard=None,
        framework=None,
        witness=None,
        url=None,
    )
    return Unparsable(next(with_pages((finding,), settings)))
