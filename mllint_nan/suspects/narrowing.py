"""How a suspect relates to what a report shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final

from mllint_nan.ir.term import ATTRIBUTE, OPAQUE, Term, peel, walk
from mllint_nan.linter import Prepared
from mllint_nan.suspects.evidence import Candidate
from mllint_nan.suspects.program import Unit
from mllint_nan.suspects.report import Phase, Report


class Relation(Enum):
    """How an operation is related to the one in a report; the value is the description."""

    SEEN = "it was reported here"
    NAMED = "it is an operation of the reported kind"
    FEEDS = "it feeds the reported operation"
    RETURNS = "its gradient flows back into the reported operation"
    RUNNING = "it is in a function that was running"
    PARAMETER = "it reads a parameter that is NaN"


_WORDS: Final = re.compile(r"\w+")
BOOST: Final = {
    Relation.SEEN: 8.0,
    Relation.NAMED: 5.0,
    Relation.FEEDS: 5.0,
    Relation.RETURNS: 5.0,
    Relation.RUNNING: 2.0,
    Relation.PARAMETER: 2.0,
}
"""Log-odds: the report has precedence in the ranking, and evidence orders the rest."""


class Narrowing:
    """Relates one report to the operations of one file."""

    def __init__(self, report: Report, seen_at: tuple[str, int] | None, file: str,
                 prepared: Prepared) -> None:  # fmt: skip
        """`seen_at` is the file and row of the innermost frame in the program."""
        self._report = report
        self._file = file
        row = seen_at[1] if seen_at is not None and seen_at[0] == file else None
        at = list(_terms_at(prepared, row)) if row is not None else []
        named = [term for term in at if term.operation.name in report.operations]
        self._seen = {id(term.site) for term in (named or at)}
        self._is_placed = seen_at is not None
        self._inside = {id(part.site) for term in (named or at) for part in walk(term)}
        self._parameters = {
            part
            for name in report.parameters
            for part in name.split(".")[:-1]
            if not part.isdigit()
        }

    def relations(self, candidate: Candidate, unit: Unit) -> Iterator[Relation]:
        """Yield the relations of a candidate to the report."""
        term = candidate.verdict.reported
        if id(term.site) in self._seen:
            yield Relation.SEEN
        elif id(term.site) in self._inside and self._report.phase is not Phase.BACKWARD:
            yield Relation.FEEDS
        elif self._report.phase is not Phase.FORWARD and self._returns(term):
            yield Relation.RETURNS
        if not self._is_placed and self._is_named(candidate):
            yield Relation.NAMED
        function = unit.name.rpartition(".")[2]
        if any(frame.is_of(self._file) and _is_in(frame.function, function)
               for frame in self._report.frames):  # fmt: skip
            yield Relation.RUNNING
        if self._parameters and any(
            not self._parameters.isdisjoint(_WORDS.findall(str(part.detail)))
            for part in walk(term)
            if part.operation in (ATTRIBUTE, OPAQUE)
        ):
            yield Relation.PARAMETER

    def _is_named(self, candidate: Candidate) -> bool:
        """Whether the operation, or another one of its match, is of the reported kind."""
        verdict = candidate.verdict
        parts = (verdict.reported, verdict.occurrence.term, *verdict.found.passed)
        return any(peel(part).operation.name in self._report.operations for part in parts)

    def _returns(self, term: Term) -> bool:
        return any(id(part.site) in self._seen for part in walk(term) if part.site is not None)


def _is_in(running: str, function: str) -> bool:
    return running.rpartition(".")[2] == (function if function.isidentifier() else "<module>")


def _terms_at(prepared: Prepared, row: int) -> Iterator[Term]:
    """Yield the operations on a row; a call over several rows counts for each of them."""
    source = prepared.source
    for occurrence in prepared.judge.analysis.occurrences:
        site = occurrence.term.site
        if site is None or not source.knows(site):
            continue
        span = source.span(site)
        if source.lines.position(span.start).row <= row <= source.lines.position(span.end).row:
            yield occurrence.term
