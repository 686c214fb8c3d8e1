"""Findings for programs, in the shape that consumers of ruff's JSON read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from mllint_nan.findings import Confidence, Edit, Finding, Fix, Position, Proof
from mllint_nan.project import Checked
from mllint_nan.reporting.notebooks import notebook_of
from mllint_nan.reporting.paths import absolute

if TYPE_CHECKING:
    from mllint_nan.syntax.notebooks import Notebook


SEVERITIES: Final = {
    Confidence.CERTAIN: "error",
    Confidence.LIKELY: "warning",
    Confidence.POSSIBLE: "info",
}
"""The severity of a finding by its confidence, in every format that has one."""


def dumps(value: object) -> str:
    """A value as JSON in ASCII, so that every stream can carry it."""
    return json.dumps(value, indent=2)


def entries(checked: Checked, text: str) -> list[dict[str, Any]]:
    notebook = notebook_of(checked.after, checked.path)
    return [entry(checked.path, finding, notebook) for finding in checked.findings]


def document(entries: Sequence[dict[str, Any]]) -> str:
    """A list of the findings."""
    return dumps(entries) + "\n"


def lines(entries: Sequence[dict[str, Any]]) -> str:
    """One finding per line."""
    return "".join(f"{json.dumps(entry)}\n" for entry in entries)


def entry(path: str, finding: Finding, notebook: Notebook | None) -> dict[str, Any]:
    cell = notebook.cell_at(finding.start) if notebook else None
    start = cell.position(finding.start) if cell else finding.start
    end = cell.position(finding.end) if cell else finding.end
    told = {
        "cell": cell.number if cell else None,
        "code": finding.code,
        "confidence": str(finding.confidence),
        "end_location": _location(end),
        "filename": absolute(path),
        "fix": _fix(finding.fix, notebook) if finding.fix else None,
        "framework": finding.framework,
        "hazard": str(finding.hazard) if finding.hazard else None,
        "location": _location(start),
        "message": finding.message,
        "name": finding.name,
        "noqa_row": start.row,
        "severity": SEVERITIES[finding.confidence],
        "url": finding.url,
        "witness": finding.witness,
    }
    if finding.reason is not None:
        told["reason"] = finding.reason
    if finding.proof is not None:
        told["proof"] = _proof(finding.proof)
    return told


def _proof(proof: Proof) -> dict[str, Any]:
    return {
        "confirmed": proof.is_confirmed,
        "counterexample": proof.counterexample,
        "deviation_ulp": proof.deviation,
        "fix": str(proof.fix),
        "inputs": proof.inputs,
        "summary": proof.summary,
        "witness": proof.witness,
    }


def _fix(fix: Fix, notebook: Notebook | None) -> dict[str, Any]:
    return {
        "applicability": str(fix.applicability),
        "edits": [_edit(edit, notebook) for edit in fix.edits],
        "message": fix.message,
        **({"reason": fix.reason} if fix.reason is not None else {}),
    }


def _edit(edit: Edit, notebook: Notebook | None) -> dict[str, Any]:
    cell = notebook.cell_at(edit.start) if notebook else None
    if cell is None:
        places = {"end_location": _location(edit.end), "location": _location(edit.start)}
        return {"content": edit.content, **places}
    return {
        "cell": cell.number,
        "content": edit.content,
        "end_location": _location(cell.position(edit.end)),
        "location": _location(cell.position(edit.start)),
    }


def _location(position: Position) -> dict[str, int]:
    return {"column": position.column, "row": position.row}
