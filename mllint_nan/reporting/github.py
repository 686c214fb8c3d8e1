"""Annotations of GitHub Actions, the most certain first: GitHub shows ten per level and step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mllint_nan.findings import Applicability, Confidence, Finding
from mllint_nan.project import Checked
from mllint_nan.reporting.paths import posix
from mllint_nan.reporting.text import concise
from mllint_nan.results import Failed

_LEVELS: Final = {
    Confidence.CERTAIN: "error",
    Confidence.LIKELY: "warning",
    Confidence.POSSIBLE: "notice",
}


def entries(checked: Checked, text: str) -> list[tuple[int, str]]:
    """Each annotation, preceded by its rank."""
    path = posix(checked.path)
    match checked.outcome:
        case Failed(reason):
            return [(0, _error(path, reason))]
        case _:
            return [
                *((0, _error(path, failure.reason)) for failure in checked.failures),
                *(
                    (-finding.confidence, _annotation(path, checked.path, finding))
                    for finding in checked.findings
                ),
            ]


def document(entries: Sequence[tuple[int, str]]) -> str:
    ranked = sorted(entries, key=lambda entry: entry[0])
    return "".join(f"{line}\n" for _, line in ranked)


def _error(address: str, reason: str) -> str:
    return f"::error title=mllint-nan,file={_property(address)}::{_data(reason)}"


def _annotation(address: str, path: str, finding: Finding) -> str:
    properties = {
        "title": f"mllint-nan ({finding.code})",
        "file": address,
        "line": str(finding.start.row),
        "col": str(finding.start.column),
        "endLine": str(finding.end.row),
        "endColumn": str(finding.end.column),
    }
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = concise(finding, path, Applicability.SAFE)
    return f"::{_LEVELS[finding.confidence]} {written}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
