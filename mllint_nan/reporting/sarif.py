"""SARIF 2.1.0, as GitHub code scanning reads it.

GitHub wants paths relative to the repository, a fingerprint that survives moved lines, and help
on every rule; findings silenced by comments or the baseline are included, marked as suppressed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mllint_nan.findings import Applicability, Confidence, Finding, Fix, Position
from mllint_nan.fingerprints import numbered
from mllint_nan.project import Checked
from mllint_nan.reporting import rows
from mllint_nan.reporting.explain import markdown_page, page
from mllint_nan.reporting.json import dumps
from mllint_nan.reporting.paths import posix
from mllint_nan.results import Failed, Linted
from mllint_nan.rulebook.rule import Rule
from mllint_nan.version import __version__

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT: Final = "%SRCROOT%"
_LONGEST: Final = 1024
"""The most characters of a description that GitHub takes."""
_LEVELS: Final = {
    Confidence.CERTAIN: "error",
    Confidence.LIKELY: "warning",
    Confidence.POSSIBLE: "note",
}
_PRECISIONS: Final = {
    Confidence.CERTAIN: "very-high",
    Confidence.LIKELY: "high",
    Confidence.POSSIBLE: "medium",
}


@dataclass(frozen=True, slots=True)
class Notification:
    """A file that could not be checked, or a rule that failed on it."""

    value: Mapping[str, Any]


def entries(checked: Checked, text: str) -> list[tuple[Finding, dict[str, Any]] | Notification]:
    """Every finding with its result, or the notification about a file that could not be checked."""
    artifact = _artifact(checked.path)
    failed = [Notification(_notification(artifact, one.reason)) for one in checked.failures]
    match checked.outcome:
        case Failed(reason):
            return [Notification(_notification(artifact, reason))]
        case Linted() as linted:
            silent = {id(finding): "inSource" for finding in linted.suppressed}
            silent.update((id(finding), "external") for finding in linted.known)
            findings = [*linted.findings, *linted.suppressed, *linted.known]
        case _:
            silent, findings = {}, list(checked.findings)
    findings.sort(key=lambda finding: finding.sort_key)
    lines = rows.split(text)
    return failed + [
        (finding, _result(finding, artifact, lines, identity, silent.get(id(finding))))
        for finding, identity in zip(findings, numbered(text, findings), strict=True)
    ]


def document(
    entries: Sequence[tuple[Finding, dict[str, Any]] | Notification],
    rules: Iterable[Rule],
    address: str = "",
) -> str:
    """One run, with the rules that occur. `address` is where all rules are explained."""
    found = [entry for entry in entries if not isinstance(entry, Notification)]
    notifications = [entry.value for entry in entries if isinstance(entry, Notification)]
    names = {finding.code: finding for finding, _ in found}
    codes = sorted(names)
    by_code = {rule.code: rule for rule in rules}
    for finding, result in found:
        result["ruleIndex"] = codes.index(finding.code)
    run = {
        "tool": {
            "driver": {
                "name": "mllint-nan",
                "version": __version__,
                **({"informationUri": address} if address else {}),
                "rules": [_rule(names[code], by_code.get(code)) for code in codes],
            }
        },
        "automationDetails": {"id": "mllint-nan/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri() + "/"}},
        "invocations": [
            {
                "executionSuccessful": not notifications,
                "toolExecutionNotifications": notifications,
            }
        ],
        "results": [result for _, result in found],
    }
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def homepage() -> str:
    """The home page in the metadata of the installed package, if it has one."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        addresses = metadata("mllint-nan").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    return next((one.partition(",")[2].strip() for one in addresses), "")


def _rule(finding: Finding, rule: Rule | None) -> dict[str, Any]:
    level = max((case.at_most for case in rule.cases), default=None) if rule else None
    confidence = level or finding.confidence
    summary = rule.summary if rule else finding.message
    full = rule.docs.why if rule and rule.docs.why else summary
    text = page(rule) if rule else summary
    return {
        "id": finding.code,
        "name": finding.name,
        "shortDescription": {"text": _short(summary)},
        "fullDescription": {"text": _short(full)},
        "help": {"text": text, "markdown": markdown_page(rule) if rule else summary},
        **({"helpUri": finding.url} if finding.url else {}),
        "defaultConfiguration": {"level": _LEVELS[confidence]},
        "properties": {
            "tags": ["numerical-stability", *(rule.frameworks if rule else ())],
            "precision": _PRECISIONS[confidence],
            "problem.severity": _LEVELS[confidence].replace("note", "recommendation"),
        },
    }


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _result(
    finding: Finding,
    artifact: Mapping[str, Any],
    lines: Sequence[str],
    identity: str,
    silenced: str | None,
) -> dict[str, Any]:
    message = f"{finding.message} ({finding.witness})" if finding.witness else finding.message
    place = {
        "artifactLocation": artifact,
        "region": _region(finding.start, finding.end) | _snippet(finding, lines),
        "contextRegion": _context(finding, lines),
    }
    properties = {
        "confidence": str(finding.confidence),
        "hazard": str(finding.hazard) if finding.hazard else None,
        "framework": finding.framework,
        "witness": finding.witness,
    }
    result = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.confidence],
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"primaryLocationLineHash": identity},
        # All results of a run have this property, or none.
        "suppressions": [{"kind": silenced}] if silenced else [],
        "properties": {key: value for key, value in properties.items() if value is not None},
    }
    if finding.fix is not None and finding.fix.applicability is not Applicability.DISPLAY_ONLY:
        result["fixes"] = [_fix(finding.fix, artifact)]
    return result


def _fix(fix: Fix, artifact: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "description": {"text": f"{fix.message} ({fix.applicability})"},
        "artifactChanges": [
            {
                "artifactLocation": artifact,
                "replacements": [
                    {
                        "deletedRegion": _region(edit.start, edit.end),
                        "insertedContent": {"text": edit.content},
                    }
                    for edit in fix.edits
                ],
            }
        ],
    }


def _region(start: Position, end: Position) -> dict[str, Any]:
    return {
        "startLine": start.row,
        "startColumn": start.column,
        "endLine": end.row,
        "endColumn": end.column,
    }


def _snippet(finding: Finding, lines: Sequence[str]) -> dict[str, Any]:
    """The flagged characters themselves."""
    found = list(lines[finding.start.row - 1 : finding.end.row])
    if not found or finding.start == finding.end:
        return {}
    if len(found) == finding.end.row - finding.start.row + 1:
        found[-1] = found[-1][: finding.end.column - 1]
    found[0] = found[0][finding.start.column - 1 :]
    return {"snippet": {"text": "".join(found)}}


def _context(finding: Finding, lines: Sequence[str]) -> dict[str, Any]:
    """The whole rows of a finding, with one before and one after."""
    first = max(finding.start.row - 1, 1)
    last = max(first, min(finding.end.row + 1, len(lines)))
    return {
        "startLine": first,
        "endLine": last,
        "snippet": {"text": "".join(lines[first - 1 : last])},
    }


def _artifact(path: str) -> dict[str, Any]:
    """The location of a file: GitHub resolves no symbolic links, and knows only the repository."""
    from urllib.parse import quote

    relative = posix(os.path.realpath(path), os.path.realpath(os.curdir))
    if os.path.isabs(relative):
        return {"uri": Path(relative).as_uri()}
    return {"uri": quote(os.fsencode(relative)), "uriBaseId": _ROOT}


def _notification(artifact: Mapping[str, Any], reason: str) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": reason},
        "locations": [{"physicalLocation": {"artifactLocation": artifact}}],
    }
