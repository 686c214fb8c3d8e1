"""The identity of a finding when the lines around it move: its rule and its content.

The rows of a finding count, without their blanks; equal ones are told apart by the rows beside
them, and where those changed too, by their number.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mllint_nan.findings import Finding

_ROW_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, order=True)
class Fingerprint:
    """`content` stands for the rows of a finding, `context` for those before and after them."""

    code: str
    content: str
    context: str


def fingerprints(text: str, findings: Iterable[Finding]) -> list[Fingerprint]:
    """One fingerprint for each finding in a text."""
    rows = [" ".join(row.split()) for row in _ROW_END.split(text)]
    return [_fingerprint(rows, finding) for finding in findings]


def _fingerprint(rows: Sequence[str], finding: Finding) -> Fingerprint:
    first, last = finding.start.row - 1, finding.end.row
    before = next((row for row in reversed(rows[:first]) if row), "")
    after = next((row for row in rows[last:] if row), "")
    return Fingerprint(finding.code, _hash(*rows[first:last]), _hash(before, after))


def _hash(*rows: str) -> str:
    return hashlib.sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def numbered(text: str, findings: Sequence[Finding]) -> list[str]:
    """One string for each finding of a text: its content, and its number among equal ones."""
    counts = Counter[tuple[str, str]]()
    words = []
    for one in fingerprints(text, findings):
        counts[one.code, one.content] += 1
        words.append(f"{one.content}:{counts[one.code, one.content]}")
    return words


def known(found: Sequence[Fingerprint], expected: Iterable[Fingerprint]) -> list[bool]:
    """For each fingerprint found, whether it is an expected one; each of these counts once."""
    remaining = Counter(expected)
    answers = [False] * len(found)
    for index, one in enumerate(found):
        if remaining[one] > 0:
            remaining[one] -= 1
            answers[index] = True
    alike = Counter[tuple[str, str]]()
    for one, number in remaining.items():
        alike[one.code, one.content] += number
    for index, one in enumerate(found):
        if not answers[index] and alike[one.code, one.content] > 0:
            alike[one.code, one.content] -= 1
            answers[index] = True
    return answers
