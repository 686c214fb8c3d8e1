"""The language server: findings in an editor, of text that need not be saved.

A document is analysed again a moment after its last change, and when the client tells of another
configuration, which is read anew each time, so that editing it needs no restart. The cells of a
notebook are documents of their own, and one program.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec

from mllint_nan.baseline import BaselineError
from mllint_nan.config.keys import ConfigError
from mllint_nan.config.line_length import line_length_of
from mllint_nan.config.read import FILE_NAMES
from mllint_nan.config.resolve import Configurations
from mllint_nan.files import is_excluded
from mllint_nan.findings import Applicability, Confidence, Finding, Fix, Position
from mllint_nan.fixing.apply import splice
from mllint_nan.linter import fix_text, lint_text
from mllint_nan.outcomes import Failed, linted
from mllint_nan.project import settings_at
from mllint_nan.reporting import rows
from mllint_nan.reporting.explain import markdown
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.tool import SYNTAX_ERROR, TOOL_RULES, UNUSED_SUPPRESSION
from mllint_nan.screening import needs_analysis
from mllint_nan.settings import Settings
from mllint_nan.syntax.notebooks import Notebook
from mllint_nan.syntax.suppressions import Form, silence
from mllint_nan.version import __version__

NAME: Final = "mllint-nan"
FIX_ALL: Final = f"source.fixAll.{NAME}"

_PAUSE: Final = 0.2
"""Seconds without a change after which a document is analysed."""
_SCHEMES: Final = ("file", "untitled")
_RULE_IN_COMMENT = re.compile(r"\bNAN\d{3}\b|(?<=[\[ ,])[a-z]+(?:-[a-z0-9]+)+(?=[\], ])")
_SEVERITIES: Final = {
    Confidence.CERTAIN: types.DiagnosticSeverity.Error,
    Confidence.LIKELY: types.DiagnosticSeverity.Warning,
    Confidence.POSSIBLE: types.DiagnosticSeverity.Information,
}


@dataclass(frozen=True)
class Part:
    """A document that is a program, or a part of one: a cell of a notebook."""

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
        """What lies between two places of the program, in the units of the client."""
        return self.codec.range_to_client_units(
            self.lines, types.Range(self._position(start), self._position(end))
        )

    def at(self, place: types.Position) -> Position:
        """The place of the program."""
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
        """Whether anything may be written in it: nothing is in what is not Python 3."""
        return all(finding.code != SYNTAX_ERROR.code for finding in self.findings)

    def part(self, uri: str) -> Part | None:
        return next((part for part in self.parts if part.uri == uri), None)

    def part_of(self, finding: Finding) -> Part:
        """Where a finding begins."""
        begun = [part for part in self.parts if part.first_row <= finding.start.row]
        return begun[-1] if begun else self.parts[0]

    def findings_in(self, part: Part) -> list[Finding]:
        return [finding for finding in self.findings if self.part_of(finding) is part]

    def texts(self, text: str) -> list[str]:
        """What a changed program makes of its parts."""
        return [text] if self.notebook is None else list(self.notebook.sources(text))

    @cached_property
    def fixed(self) -> str:
        """The text after all safe fixes."""
        length = line_length_of(self.path)
        settings = replace(self.settings, unsafe_fixes=False, line_length=length)
        return fix_text(self.text, self.path, settings).text


class Server(LanguageServer):
    """The documents of one editor."""

    def __init__(self) -> None:
        python = types.NotebookCellLanguage("python")
        notebooks = types.NotebookDocumentFilterWithNotebook("*", [python])
        super().__init__(
            NAME,
            __version__,
            types.TextDocumentSyncKind.Full,
            types.NotebookDocumentSyncOptions([notebooks], save=True),
        )
        self._analysed: dict[str, Analysed] = {}
        self._said = ""

    def analysed(self, uri: str) -> Analysed:
        """The program of a document as it is now."""
        program = self._program(uri)
        known = self._analysed.get(program.path)
        if known is None or known.parts != program.parts:
            known = self._analysed[program.path] = self._analyse(program)
        return known

    def publish(self, uri: str) -> None:
        """Report on a document, or on all cells of a notebook."""
        self._analysed.pop(self._program(uri).path, None)  # the configuration may be another
        analysed = self.analysed(uri)
        for part in analysed.parts:
            found = [diagnostic(each, part) for each in analysed.findings_in(part)]
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(part.uri, found, part.version)
            )
        reported = {part.uri for part in analysed.parts}
        self.clear(cell for cell in self._code_cells(uri) if cell not in reported)

    def publish_all(self) -> None:
        """Report on all that is open anew."""
        notebooks = {uri: self._notebook(uri) for uri in self.workspace.text_documents}
        for uri in dict.fromkeys(book.uri if book else uri for uri, book in notebooks.items()):
            self.publish(uri)

    def forget(self, uri: str) -> None:
        """A file or a notebook that is closed."""
        self._analysed.pop(to_fs_path(uri) or uri, None)

    def clear(self, uris: Iterable[str]) -> None:
        """Report nothing on these documents."""
        for uri in uris:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _code_cells(self, uri: str) -> list[str]:
        notebook = self._notebook(uri)
        cells = [] if notebook is None else notebook.cells
        return [cell.document for cell in cells if cell.kind == types.NotebookCellKind.Code]

    def _notebook(self, uri: str) -> types.NotebookDocument | None:
        """The notebook with this address, or with a cell that has it."""
        found = self.workspace.get_notebook_document(notebook_uri=uri)
        return found or self.workspace.get_notebook_document(cell_uri=uri)

    def _program(self, uri: str) -> Analysed:
        """What is not analysed yet."""
        notebook = self._notebook(uri)
        if notebook is not None:
            return self._program_of_cells(notebook)
        document = self.workspace.get_text_document(uri)
        is_python = document.language_id == "python" and uri.partition(":")[0] in _SCHEMES
        source = document.source if is_python else ""
        part = Part(uri, document.version, document.source, 1, document.position_codec)
        return Analysed(source, to_fs_path(uri) or uri, Settings(), (), (part,))

    def _program_of_cells(self, notebook: types.NotebookDocument) -> Analysed:
        documents = {
            number: self.workspace.get_text_document(cell.document)
            for number, cell in enumerate(notebook.cells, 1)
            if cell.kind == types.NotebookCellKind.Code
        }
        program = Notebook.of_cells(
            (number, document.source)
            for number, document in documents.items()
            if document.language_id == "python"
        )
        parts = []
        for cell in program.cells:
            document = documents[cell.number]
            codec = document.position_codec
            parts.append(Part(document.uri, document.version, cell.source, cell.first_row, codec))
        path = to_fs_path(notebook.uri) or notebook.uri
        return Analysed(program.text, path, Settings(), (), tuple(parts), program)

    def _analyse(self, program: Analysed) -> Analysed:
        try:
            configurations = Configurations({})
            settings = settings_at(program.path, configurations)
            excluded = is_excluded(program.path, configurations)
        except (ConfigError, BaselineError) as error:
            self._complain(str(error))
            return program
        self._said = ""
        program = replace(program, settings=settings)
        data = program.text.encode("utf-8", "surrogatepass")
        if excluded or not needs_analysis(data, settings.operations):
            return program
        return replace(program, findings=self._findings(program, settings))

    def _findings(self, document: Analysed, settings: Settings) -> tuple[Finding, ...]:
        outcome = lint_text(document.text, document.path, settings)
        if isinstance(outcome, Failed):
            self._log(document, outcome.reason)
        found = linted(outcome)
        if found is None:
            return ()
        for failure in found.failures:
            self._log(document, failure.reason)
        return found.findings

    def _log(self, document: Analysed, reason: str) -> None:
        self.window_log_message(
            types.LogMessageParams(types.MessageType.Warning, f"{document.path}: {reason}")
        )

    def _complain(self, message: str) -> None:
        """Say what is wrong with a configuration, once until it is right again."""
        if message != self._said:
            self._said = message
            self.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"{NAME}: {message}")
            )


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


server = Server()


@server.feature(types.INITIALIZED)
def _initialized(ls: Server, params: types.InitializedParams) -> None:
    """Ask to be told of changed configurations, where the client looks for such changes."""
    workspace = ls.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if watching is None or not watching.dynamic_registration:
        return
    watched = types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(f"**/{name}") for name in FILE_NAMES]
    )
    registration = types.Registration(NAME, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, watched)
    ls.client_register_capability(types.RegistrationParams([registration]))


@server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _files_changed(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.publish_all()


@server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
def _configuration_changed(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    ls.publish_all()


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def _opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    ls.publish(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def _saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    ls.publish(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
async def _changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    uri, version = params.text_document.uri, params.text_document.version
    await asyncio.sleep(_PAUSE)
    open_documents = ls.workspace.text_documents
    if uri in open_documents and open_documents[uri].version == version:
        ls.publish(uri)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def _closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    ls.forget(params.text_document.uri)
    ls.clear([params.text_document.uri])


@server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
def _notebook_opened(ls: Server, params: types.DidOpenNotebookDocumentParams) -> None:
    ls.publish(params.notebook_document.uri)


@server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
def _notebook_saved(ls: Server, params: types.DidSaveNotebookDocumentParams) -> None:
    ls.publish(params.notebook_document.uri)


@server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
async def _notebook_changed(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
    uri, version = params.notebook_document.uri, params.notebook_document.version
    structure = params.change.cells.structure if params.change.cells else None
    ls.clear(cell.uri for cell in (structure.did_close if structure else None) or ())
    await asyncio.sleep(_PAUSE)
    notebook = ls.workspace.get_notebook_document(notebook_uri=uri)
    if notebook is not None and notebook.version == version:
        ls.publish(uri)


@server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
def _notebook_closed(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    ls.forget(params.notebook_document.uri)
    ls.clear(cell.uri for cell in params.cell_text_documents)


@server.feature(types.TEXT_DOCUMENT_HOVER)
def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """The pages of the rules that report here, or that a comment here names."""
    analysed = ls.analysed(params.text_document.uri)
    part = analysed.part(params.text_document.uri)
    if part is None:
        return None
    place, line = part.at(params.position), params.position.line
    codes = [finding.code for finding in analysed.findings if _covers(finding, place)]
    codes += _named(part.lines[line : line + 1], place.column)
    rules = (*load_rules(analysed.settings.rules), *TOOL_RULES)
    pages = [
        f"### {rule.code} {rule.name}\n\n{markdown(rule)}"
        for rule in rules
        if rule.code in codes or rule.name in codes
    ]
    if not pages:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(pages)))


def _covers(finding: Finding, place: Position) -> bool:
    return finding.start <= place < finding.end


def _named(lines: Iterable[str], column: int) -> Iterator[str]:
    for line in lines:
        comment = line.find("#")
        for found in _RULE_IN_COMMENT.finditer(line, comment) if comment >= 0 else ():
            if found.start() < column <= found.end():
                yield found.group()


@server.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL]),
)
def _code_actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    analysed = ls.analysed(params.text_document.uri)
    part = analysed.part(params.text_document.uri)
    if part is None:
        return []
    wanted = params.context.only
    edits = _Edits(analysed, _takes_versions(ls))
    actions: list[types.CodeAction] = []
    if _asks_for(types.CodeActionKind.QuickFix.value, wanted):
        start, end = part.at(params.range.start), part.at(params.range.end)
        for finding in analysed.findings:
            if finding.start <= end and start <= finding.end:
                actions += _quick_fixes(finding, analysed, edits)
    if _asks_for(FIX_ALL, wanted) and analysed.fixed != analysed.text:
        title = f"{NAME}: apply all safe fixes"
        edit = edits.from_text(analysed.fixed)
        actions.append(types.CodeAction(title, FIX_ALL, edit=edit))
    return actions


def _takes_versions(ls: Server) -> bool:
    workspace = ls.client_capabilities.workspace
    edits = workspace.workspace_edit if workspace else None
    return bool(edits and edits.document_changes)


def _asks_for(kind: str, wanted: Sequence[str] | None) -> bool:
    """Whether a client wants this kind of actions; `source` includes `source.fixAll`."""
    return wanted is None or any(f"{kind}.".startswith(f"{word}.") for word in wanted)


def _quick_fixes(finding: Finding, analysed: Analysed, edits: _Edits) -> Iterator[types.CodeAction]:
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
class _Edits:
    """Changes of a program, in the form that the client takes."""

    analysed: Analysed
    has_version: bool

    def of_fix(self, finding: Finding, fix: Fix) -> types.WorkspaceEdit:
        if self.analysed.notebook is not None:  # it may concern several cells
            return self.from_text(splice(self.analysed.text, [finding]))
        (part,) = self.analysed.parts
        return self._of(
            (part, types.TextEdit(part.range(edit.start, edit.end), edit.content))
            for edit in fix.edits
        )

    def from_text(self, after: str) -> types.WorkspaceEdit:
        """The lines that differ."""
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


def serve() -> None:
    """Serve one client on standard input and output, until it says goodbye.

    The server closes what it talks through; the process's own streams stay open behind it.
    """
    with (
        open(os.dup(sys.stdin.fileno()), "rb") as stdin,
        open(os.dup(sys.stdout.fileno()), "wb") as stdout,
    ):
        server.start_io(stdin, stdout)
