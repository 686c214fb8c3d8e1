"""One run's output: what goes where, in which format, as the files come in."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TextIO

from mllint_nan.findings import Applicability, Finding
from mllint_nan.project import Checked
from mllint_nan.reporting import json, notebooks, rows, statistics, text
from mllint_nan.reporting.documents import Document
from mllint_nan.reporting.notebooks import notebook_of
from mllint_nan.reporting.paths import shown
from mllint_nan.results import Failed, Unparsable

_NARROWEST: Final = 40


@dataclass(frozen=True, slots=True)
class Output:
    """Findings go to `findings_to`; failures go to standard error."""

    findings_to: TextIO
    format: str
    style: text.Style
    weakest: Applicability
    document: Document | None = None
    is_diff: bool = False
    is_fix_only: bool = False
    is_showing_fixes: bool = False
    is_statistics: bool = False
    is_quiet: bool = False
    is_verbose: bool = False
    width: int | None = None
    """Columns of the terminal that findings go to, if it is one."""

    def add(self, checked: Checked) -> None:
        """Print what can be printed before the last file is done."""
        self._add_proofs(checked)
        self.add_failures(checked)
        match checked.outcome:
            case Failed(reason, traceback, is_file):
                place = f"{shown(checked.path)}:1:1" if is_file else shown(checked.path)
                self._complain(place, reason, traceback)
                if self.document is not None:
                    self.document.add(checked)
            case Unparsable() as unparsable if self.is_diff or self.is_fix_only:
                self._add_errors(checked, unparsable)
            case _ if self.is_diff:
                self._add_diff(checked)
            case _ if self.is_fix_only or self.is_statistics:
                pass
            case _ if self.document is not None:
                self.document.add(checked)
            case _:
                self._add_findings(checked)

    def add_failures(self, checked: Checked) -> None:
        """Report which rules failed, whatever else is reported for the file."""
        for failure in checked.failures:
            self._complain(f"{shown(checked.path)}:1:1", failure.reason, failure.traceback)

    def _complain(self, place: str, reason: str, traceback: str) -> None:
        hint = "; --verbose shows where" if traceback and not self.is_verbose else ""
        print(f"{place}: {reason}{hint}", file=sys.stderr)
        if traceback and self.is_verbose:
            print(traceback, end="", file=sys.stderr)

    def end(self, files: Sequence[Checked]) -> None:
        """Print what depends on all files."""
        is_listing = not (self.is_diff or self.is_fix_only)
        if is_listing and self.is_statistics:
            print(self._statistics(files), end="", file=self.findings_to)
        elif is_listing and self.document is not None:
            print(self.document.end(), end="", file=self.findings_to)
        if self.is_showing_fixes and not self.is_quiet:
            print(statistics.fixes(files), end="", file=sys.stderr)
        if self.is_quiet:
            return
        if not files:
            print("No Python files found below the given paths", file=sys.stderr)
            return
        if is_listing and self.document is not None:
            return
        tally = statistics.Tally.of(files, self.weakest)
        summary = tally.summary("Would fix" if self.is_diff else "Fixed")
        if self.format == "full" and not self.is_diff:
            print(text.wrapped(summary, self.width), file=self.findings_to)
        else:
            print(summary, file=sys.stderr)

    def _add_proofs(self, checked: Checked) -> None:
        """The proofs of the applied fixes, and of fixes whose findings are not printed."""
        told = list(checked.applied)
        if self.is_diff or self.is_fix_only:
            told += checked.findings
        for finding in told:
            if finding.proof is None or self.is_quiet:
                continue
            print(text.concise(finding, checked.path, self.weakest), file=sys.stderr)
            program = finding.proof.counterexample or finding.proof.witness or ""
            for row in program.splitlines():
                print(f"    {row}".rstrip(), file=sys.stderr)

    def _add_errors(self, checked: Checked, unparsable: Unparsable) -> None:
        """Why nothing is repaired in the file."""
        notebook = notebook_of(checked.after, checked.path)
        if notebook is None:
            told = [(error, checked.path) for error in unparsable.errors]
        else:
            cells = notebooks.in_cells(unparsable.errors, checked.path, notebook)
            told = [(one.finding, one.path) for one in cells]
        for error, path in told:
            print(text.concise(error, path, self.weakest), file=sys.stderr)

    def _add_diff(self, checked: Checked) -> None:
        if not checked.is_changed:
            return
        path = checked.path
        old, new = notebook_of(checked.before, path), notebook_of(checked.after, path)
        if old is not None and new is not None:
            changes = notebooks.diff(shown(path), old, new)
        else:
            before, after = _text(checked.before, path), _text(checked.after, path)
            changes = rows.diff(shown(path), before, after)
        print(changes, end="", file=self.findings_to)

    def _add_findings(self, checked: Checked) -> None:
        if self.format not in ("concise", "full") or not checked.findings:
            return
        notebook = notebook_of(checked.after, checked.path)
        if notebook is not None:
            for one in notebooks.by_cell(checked, notebook):
                self._add_finding(one.finding, one.path, one.source)
            return
        source = _text(checked.after, checked.path) if self.format == "full" else ""
        for finding in checked.findings:
            self._add_finding(finding, checked.path, source)

    def _add_finding(self, finding: Finding, path: str, source: str) -> None:
        if self.format == "concise":
            line = text.concise(finding, path, self.weakest, self.style)
        else:
            line = text.full(finding, path, source, self.weakest, self.style, self.width)
        print(line, file=self.findings_to)

    def _statistics(self, files: Sequence[Checked]) -> str:
        findings = (finding for file in files for finding in file.findings)
        counts = statistics.per_rule(findings, self.weakest)
        if self.format == "json":
            return json.dumps([count.as_json() for count in counts]) + "\n"
        return statistics.table(counts)


def style_for(stream: TextIO, *, no_color: bool) -> text.Style:
    """Colours on a terminal; `NO_COLOR` and `FORCE_COLOR` decide elsewhere."""
    if no_color or os.environ.get("NO_COLOR"):
        return text.PLAIN
    if os.environ.get("FORCE_COLOR"):
        return text.Style(is_coloured=True)
    return text.Style(stream.isatty() and os.environ.get("TERM") != "dumb")


def columns_of(stream: TextIO) -> int | None:
    """The columns of a terminal."""
    if not stream.isatty():
        return None
    return max(_NARROWEST, shutil.get_terminal_size().columns)


def width_for(stream: TextIO) -> int:
    """Columns for prose: those of the terminal, but no more than is readable."""
    return min(text.WIDTH, columns_of(stream) or text.WIDTH)


def _text(data: bytes, path: str) -> str:
    from mllint_nan.syntax.reading import text_of

    return text_of(data, path)
