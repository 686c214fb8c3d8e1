"""Documents as programs: a file is one program, and so are all cells of a notebook."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from lsprotocol import types
from pygls.workspace import PositionCodec

from mllint_nan.config.line_length import line_length_of
from mllint_nan.findings import Confidence, Finding, Position
from mllint_nan.linter import fix_text
from mllint_nan.reporting import rows
from mllint_nan.rulebook.tool import SYNTAX_ERROR, UNUSED_SUPPRESSION
from mllint_nan.settings import Settings
from mllint_nan.syntax.notebooks import Notebook

NAME: Final = "mllint-nan"

_SEVERITIES: Final = {
    Confidence.CERTAIN: types.DiagnosticSeverity.Error,
    Confidence.LIKELY: types.DiagnosticSeverity.Warning,
    Confidence.POSSIBLE: types.DiagnosticSeverity.Information,
}


@dataclass(frozen=True)
class Part:
    """A document that is a program, or a cell of a notebook, which is part of one."""

    uri: str
    version: int | None
    text: str
    first_row: int
    """The row of the program on which it begins."""
    codec: PositionCodec

    @cached_property
    def lines(self) -> list[str]:
        return rows.split(self.text)

    def range(self, start: Position, end: Position) -> types.Range:
        """The range between two positions of the program, in the units of the client."""
        return self.codec.range_to_client_units(
            self.lines, types.Range(self._position(start), self._position(end))
        )

    def at(self, place: types.Position) -> Position:
        """The position in the program."""
        found = self.codec.position_from_client_units(self.lines, place)
        return Position(found.line + self.first_row, found.character + 1)

    def _position(self, place: Position) -> types.Position:
        return types.Position(max(place.row - self.first_row, 0), place.column - 1)


@dataclass(frozen=True)
class Analysed:
    """One state of a program, and what was found in it."""

    text: str
    path: str
    settings: Settings
    findings: tuple[Finding, ...]
    parts: tuple[Part, ...]
    notebook: Notebook | None = None

    @property
    def is_python(self) -> bool:
        """Whether it is Python 3: nothing else is ever edited."""
        return all(finding.code != SYNTAX_ERROR.code for finding in self.findings)

    def part(self, uri: str) -> Part | None:
        return next((part for part in self.parts if part.uri == uri), None)

    def part_of(self, finding: Finding) -> Part:
        """The part in which a finding begins."""
        begun = [part for part in self.parts if part.first_row <= finding.start.row]
        return begun[-1] if begun else self.parts[0]

    def findings_in(self, part: Part) -> list[Finding]:
        return [finding for finding in self.findings if self.part_of(finding) is part]

    def texts(self, text: str) -> list[str]:
        """The texts of the parts after the program has changed."""
        return [text] if self.notebook is None else list(self.notebook.sources(text))

    @cached_property
    def fixed(self) -> str:
        """The text after all safe fixes."""
        length = line_length_of(self.path)
        settings = replace(self.settings, unsafe_fixes=False, line_length=length)
        return fix_text(self.text, self.path, settings).text


def diagnostic(finding: Finding, part: Part) -> types.Diagnostic:
    witness = f" ({finding.witness})" if finding.witness else ""
    is_unused = finding.code == UNUSED_SUPPRESSION.code and finding.fix is not None
    return types.Diagnostic(
        range=part.range(finding.start, finding.end),
        message=f"{finding.message}{witness}",
        severity=_SEVERITIES[finding.confidence],
        code=finding.code,
        code_description=types.CodeDescription(finding.url) if finding.url else None,
        source=NAME,
        tags=[types.DiagnosticTag.Unnecessary] if is_unused else None,
    )
