"""The result of a file to JSON and back, for the cache."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from mllint_nan.findings import (
    Applicability,
    Confidence,
    Edit,
    Finding,
    Fix,
    Hazard,
    Position,
    Span,
)
from mllint_nan.results import Linted, LintResult, Skipped, Unparsable


def json_of(result: LintResult) -> list[Any] | None:
    """A result as values for JSON; None for a failure, or for what took too long."""
    match result:
        case Linted(findings, suppressed, silenced, known, stale, failures=()):
            rows = [[astuple(one) for one in some] for some in (findings, suppressed, known)]
            return ["linted", *rows, silenced, stale, result.weaker]
        case Unparsable(_, _, read):
            kept = json_of(read)
            errors = [astuple(one) for one in result.errors]
            return None if kept is None else ["unparsable", errors, kept]
        case Skipped(reason, is_final=True):
            return ["skipped", reason]
        case _:
            return None


def result_of(kept: Any) -> LintResult:
    """The result that `json_of` has converted.

    Raises ValueError or TypeError if it is not one.
    """
    match kept:
        case ["linted", findings, suppressed, known, silenced, stale, weaker]:
            return Linted(
                tuple(map(_finding, findings)),
                tuple(map(_finding, suppressed)),
                tuple((code, number) for code, number in silenced),
                tuple(map(_finding, known)),
                stale,
                weaker=tuple((Confidence(level), number) for level, number in weaker),
            )
        case ["unparsable", [error, *others], ["linted", *_] as read]:
            found = result_of(read)
            assert isinstance(found, Linted)
            return Unparsable(_finding(error), tuple(map(_finding, others)), found)
        case ["skipped", reason]:
            return Skipped(reason)
        case _:
            raise ValueError("no result")


def _finding(kept: list[Any]) -> Finding:
    code, name, message, span, start, end, *claim = kept
    confidence, hazard, framework, witness, url, fix, _, reason, audited, unfixed = claim
    return Finding(
        code=code,
        name=name,
        message=message,
        span=Span(*span),
        start=Position(*start),
        end=Position(*end),
        confidence=Confidence(confidence),
        hazard=None if hazard is None else Hazard(hazard),
        framework=framework,
        witness=witness,
        url=url,
        fix=None if fix is None else _fix(fix),
        reason=reason,
        audited=audited,
        unfixed=unfixed,
    )


def _fix(kept: list[Any]) -> Fix:
    message, applicability, edits, reason = kept
    return Fix(
        message,
        Applicability(applicability),
        tuple(
            Edit(Span(*span), content, Position(*start), Position(*end))
            for span, content, start, end in edits
        ),
        reason,
    )
