"""GitLab's report of code quality."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any, Final

from mllint_nan.findings import Confidence, Finding, Position
from mllint_nan.fingerprints import numbered
from mllint_nan.project import Checked
from mllint_nan.reporting.json import dumps
from mllint_nan.reporting.paths import posix

_SEVERITIES: Final = {
    Confidence.CERTAIN: "critical",
    Confidence.LIKELY: "major",
    Confidence.POSSIBLE: "minor",
}


def entries(checked: Checked, text: str) -> list[dict[str, Any]]:
    path = posix(checked.path, os.environ.get("CI_PROJECT_DIR"))
    return [
        _issue(path, finding, identity)
        for finding, identity in zip(
            checked.findings, numbered(text, checked.findings), strict=True
        )
    ]


def document(entries: Sequence[dict[str, Any]]) -> str:
    return dumps(entries) + "\n"


def _issue(path: str, finding: Finding, identity: str) -> dict[str, Any]:
    whole = f"{path}:{finding.code}:{identity}"
    return {
        "check_name": finding.code,
        "description": f"{finding.code}: {finding.message}",
        "fingerprint": hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest(),
        "location": {
            "path": path,
            "positions": {"begin": _position(finding.start), "end": _position(finding.end)},
        },
        "severity": _SEVERITIES[finding.confidence],
    }


def _position(position: Position) -> dict[str, int]:
    return {"line": position.row, "column": position.column}
