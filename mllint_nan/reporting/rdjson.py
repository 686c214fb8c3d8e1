"""Reviewdog's JSON, whose columns count the bytes of UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mllint_nan.findings import Applicability, Finding, Position
from mllint_nan.project import Checked
from mllint_nan.reporting import rows
from mllint_nan.reporting.json import SEVERITIES, dumps
from mllint_nan.reporting.paths import posix


def entries(checked: Checked, text: str) -> list[dict[str, Any]]:
    lines = rows.split(text)
    path = posix(checked.path)
    return [_diagnostic(path, finding, lines) for finding in checked.findings]


def document(entries: Sequence[dict[str, Any]]) -> str:
    source = {"name": "mllint-nan"}
    return dumps({"source": source, "severity": "WARNING", "diagnostics": list(entries)}) + "\n"


def _diagnostic(path: str, finding: Finding, lines: Sequence[str]) -> dict[str, Any]:
    message = f"{finding.message} ({finding.witness})" if finding.witness else finding.message
    return {
        "message": message,
        "location": {"path": path, "range": _range(finding.start, finding.end, lines)},
        "severity": SEVERITIES[finding.confidence].upper(),
        "code": {"value": finding.code, **({"url": finding.url} if finding.url else {})},
        "suggestions": _suggestions(finding, lines),
    }


def _suggestions(finding: Finding, lines: Sequence[str]) -> list[dict[str, Any]]:
    """The fix if it has one edit: a reviewer accepts each suggestion alone."""
    fix = finding.fix
    if fix is None or fix.applicability is Applicability.DISPLAY_ONLY or len(fix.edits) != 1:
        return []
    (edit,) = fix.edits
    return [{"range": _range(edit.start, edit.end, lines), "text": edit.content}]


def _range(start: Position, end: Position, lines: Sequence[str]) -> dict[str, Any]:
    return {"start": _position(start, lines), "end": _position(end, lines)}


def _position(position: Position, lines: Sequence[str]) -> dict[str, int]:
    before = lines[position.row - 1][: position.column - 1] if position.row <= len(lines) else ""
    column = len(before.encode("utf-8", "surrogatepass")) + 1 if before else position.column
    return {"line": position.row, "column": column}
