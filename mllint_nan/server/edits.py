"""Fixes of a program, as the changes of documents that a client takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lsprotocol import types

from mllint_nan.findings import Applicability, Finding, Fix, Position
from mllint_nan.fixing.apply import splice
from mllint_nan.reporting import rows
from mllint_nan.rulebook.tool import UNUSED_SUPPRESSION
from mllint_nan.server.program import Analysed, Part, diagnostic
from mllint_nan.syntax.suppressions import Form, silence


def quick_fixes(finding: Finding, analysed: Analysed, edits: Edits) -> Iterator[types.CodeAction]:
    fix = finding.fix
    reported = [diagnostic(finding, analysed.part_of(finding))]
    if fix is not None and fix.applicability is not Applicability.DISPLAY_ONLY:
        is_safe = fix.applicability is Applicability.SAFE
        yield types.CodeAction(
            f"{fix.message} ({finding.code})" if is_safe
            else f"{fix.message} ({finding.code}, unsafe)",
            types.CodeActionKind.QuickFix,
            reported,
            is_preferred=is_safe,
            edit=edits.of_fix(finding, fix),
        )  # fmt: skip
    if analysed.is_python and finding.code != UNUSED_SUPPRESSION.code:
        silenced = silence(analysed.text, [(finding.start.row, finding.code)], Form.IGNORE)
        yield types.CodeAction(
            f"Ignore {finding.code} on this line",
            types.CodeActionKind.QuickFix,
            reported,
            edit=edits.from_text(silenced),
        )


@dataclass(frozen=True, slots=True)
class Edits:
    """Changes of a program, in the form that the client takes."""

    analysed: Analysed
    has_version: bool

    def of_fix(self, finding: Finding, fix: Fix) -> types.WorkspaceEdit:
        if self.analysed.notebook is not None:  # a fix may concern several cells
            return self.from_text(splice(self.analysed.text, [finding]))
        (part,) = self.analysed.parts
        return self._of(
            (part, types.TextEdit(part.range(edit.start, edit.end), edit.content))
            for edit in fix.edits
        )

    def from_text(self, after: str) -> types.WorkspaceEdit:
        """The changes to the lines that differ in the new text of the program."""
        parts = self.analysed.parts
        return self._of(
            (part, _difference(part, rows.split(text)))
            for part, text in zip(parts, self.analysed.texts(after), strict=True)
            if text != part.text
        )

    def _of(self, edits: Iterable[tuple[Part, types.TextEdit]]) -> types.WorkspaceEdit:
        by_part: dict[str, list[types.TextEdit]] = {}
        for part, edit in edits:
            by_part.setdefault(part.uri, []).append(edit)
        if not self.has_version:
            return types.WorkspaceEdit(changes=by_part)
        versions = {part.uri: part.version for part in self.analysed.parts}
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(uri, versions[uri]), list(changes)
                )
                for uri, changes in by_part.items()
            ]
        )


def _difference(part: Part, lines: Sequence[str]) -> types.TextEdit:
    before = part.lines
    shared = min(len(before), len(lines))
    head = next((n for n in range(shared) if before[n] != lines[n]), shared)
    most = shared - head
    tail = next((n for n in range(most) if before[-1 - n] != lines[-1 - n]), most)
    end = types.Position(len(before) - tail, 0)
    if before and not tail and not before[-1].endswith(("\n", "\r")):
        last = Position(part.first_row + len(before) - 1, len(before[-1]) + 1)
        end = part.range(last, last).end
    changed = types.Range(types.Position(head, 0), end)
    return types.TextEdit(changed, "".join(lines[head : len(lines) - tail]))
