"""The fate of each verdict on a line: it is reported, or something prevents that.

The order is that of a check: of several rules about one operation one is chosen, then selection,
confidence and comments decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mllint_nan.findings import Confidence, Position
from mllint_nan.linter import Prepared, is_selected
from mllint_nan.linter.selection import speaking_codes
from mllint_nan.rulebook.audit import Audit
from mllint_nan.rulebook.verdict import Verdict, matched_sites
from mllint_nan.settings import Settings
from mllint_nan.syntax.suppressions import Suppressions, suppressions_of


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, its position, and why it is not reported, in words; empty if it is."""

    code: str
    name: str
    confidence: Confidence
    place: Position
    against: str
    is_audit: bool = False


def decisions_on(prepared: Prepared, row: int, settings: Settings) -> tuple[Decision, ...]:
    """The decisions about the verdicts that start on a row, in the order of the line."""
    judge, codes = prepared.judge, speaking_codes(settings)
    audited = Audit(judge).verdicts(codes)
    speaking = judge.verdicts(codes)
    found = [
        _decision(prepared, verdict, speaking, settings)
        for verdict in (*(judge.every or ()), *audited)
        if _start(prepared, verdict).row == row
    ]
    return tuple(sorted(set(found), key=lambda one: (one.place.column, one.code)))


def verdicts_on(prepared: Prepared, row: int) -> Iterator[Verdict]:
    """The verdicts of rules on a row, including those that another rule overrides."""
    if prepared.judge.every is None:
        prepared.judge.verdicts()
    for verdict in prepared.judge.every or ():
        if _start(prepared, verdict).row == row:
            yield verdict


def _decision(
    prepared: Prepared, verdict: Verdict, speaking: Sequence[Verdict], settings: Settings
) -> Decision:
    is_heard = verdict.audited or any(one is verdict for one in speaking)
    against = (
        _not_reported(prepared, verdict, settings)
        if is_heard
        else _silenced(prepared, verdict, speaking)
    )
    rule, place = verdict.rule, _start(prepared, verdict)
    return Decision(rule.code, rule.name, verdict.confidence, place, against, verdict.audited)


def _not_reported(prepared: Prepared, verdict: Verdict, settings: Settings) -> str:
    """Why a verdict that no other rule silences is not reported."""
    if not is_selected(verdict.rule, settings):
        return "the rule is not selected, or is ignored for this file"
    if verdict.confidence < settings.min_confidence:
        return f"--min-confidence {verdict.confidence} would report it"
    text = prepared.source.text
    return _commented(prepared, verdict, suppressions_of(text))


def _commented(prepared: Prepared, verdict: Verdict, suppressions: Suppressions) -> str:
    span = prepared.source.span(verdict.reported.site)
    first, last = (prepared.source.lines.position(end).row for end in (span.start, span.end))
    rule = verdict.rule
    covering = suppressions.covering(rule.code, rule.name, first, last)
    if not covering:
        return ""
    place = covering[0].place
    row = prepared.source.lines.position(place.start).row
    comment = prepared.source.text[place.start : covering[0].end].strip()
    return f"silenced by the comment on line {row}: {comment}"


def _silenced(prepared: Prepared, verdict: Verdict, speaking: Iterable[Verdict]) -> str:
    """Which rule reports the same operation instead, and why."""
    sites = matched_sites(verdict)
    near = [one for one in speaking if sites & matched_sites(one)]
    at = [one for one in near if one.reported.site is verdict.reported.site]
    overriding = [one for one in near if verdict.rule.code in one.rule.overrides]
    other = next(iter((*overriding, *at, *near)), None)
    if other is None:
        return "another rule reports the same operation"
    place = _start(prepared, other)
    by = f"{other.rule.code} reports the same operation at {place.row}:{place.column}"
    if other.rule is verdict.rule:
        return f"it is part of what {other.rule.code} reports at {place.row}:{place.column}"
    if overriding:
        return f"{by}, and overrides {verdict.rule.code} at the same confidence"
    if other.sureness > verdict.sureness:
        return f"{by}, with stronger evidence"
    return f"{by}, and its match covers more of the code"


def _start(prepared: Prepared, verdict: Verdict) -> Position:
    span = prepared.source.span(verdict.reported.site)
    return prepared.source.lines.position(span.start)
