"""The language server: findings in an editor, of text that need not be saved.

A document is analysed again a moment after its last change; its configuration is read anew each
time, so that editing it needs no restart.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec, TextDocument

from mllint_nan.baseline import BaselineError
from mllint_nan.config.keys import ConfigError
from mllint_nan.config.resolve import Configurations
from mllint_nan.files import is_excluded
from mllint_nan.findings import Applicability, Confidence, Finding, Position
from mllint_nan.linter import fix_text, lint_text
from mllint_nan.outcomes import Failed, Linted, Unparsable
from mllint_nan.project import settings_at
from mllint_nan.reporting import rows
from mllint_nan.reporting.explain import markdown
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.tool import SYNTAX_ERROR, TOOL_RULES, UNUSED_SUPPRESSION
from mllint_nan.screening import needs_analysis
from mllint_nan.settings import Settings
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
class Analysed:
    """One text of a document, and what was found in it."""

    text: str
    version: int | None
    path: str
    settings: Settings
    findings: tuple[Finding, ...]
    codec: PositionCodec

    @cached_property
    def lines(self) -> list[str]:
        return rows.split(self.text)

    def range(self, start: Position, end: Position) -> types.Range:
        """A range in the units of the client."""
        return self.codec.range_to_client_units(
            self.lines,
            types.Range(
                types.Position(start.row - 1, start.column - 1),
                types.Position(end.row - 1, end.column - 1),
            ),
        )

    def at(self, place: types.Position) -> Position:
        found = self.codec.position_from_client_units(self.lines, place)
        return Position(found.line + 1, found.character + 1)

    @cached_property
    def fixed(self) -> str:
        """The text after all safe fixes."""
        settings = replace(self.settings, unsafe_fixes=False)
        return fix_text(self.text, self.path, settings).text


class Server(LanguageServer):
    """The documents of one editor."""

    def __init__(self) -> None:
        super().__init__(NAME, __version__, types.TextDocumentSyncKind.Full)
        self._analysed: dict[str, Analysed] = {}
        self._said = ""

    def analysed(self, uri: str) -> Analysed:
        """The document as it is now."""
        document = self.workspace.get_text_document(uri)
        known = self._analysed.get(uri)
        if known is None or known.text != document.source:
            known = self._analysed[uri] = self._analyse(document)
        return known

    def publish(self, uri: str) -> None:
        self._analysed.pop(uri, None)  # the configuration may be another
        analysed = self.analysed(uri)
        diagnostics = [diagnostic(finding, analysed) for finding in analysed.findings]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, analysed.version)
        )

    def forget(self, uri: str) -> None:
        self._analysed.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _analyse(self, document: TextDocument) -> Analysed:
        path = to_fs_path(document.uri) or document.uri
        codec = document.position_codec
        nothing = Analysed(document.source, document.version, path, Settings(), (), codec)
        if document.language_id != "python" or document.uri.partition(":")[0] not in _SCHEMES:
            return nothing
        try:
            configurations = Configurations({})
            settings = settings_at(path, configurations)
            excluded = is_excluded(path, configurations)
        except (ConfigError, BaselineError) as error:
            self._complain(str(error))
            return nothing
        self._said = ""
        data = document.source.encode("utf-8", "surrogatepass")
        if excluded or not needs_analysis(data):
            return replace(nothing, settings=settings)
        return replace(nothing, settings=settings, findings=self._findings(nothing, settings))

    def _findings(self, document: Analysed, settings: Settings) -> tuple[Finding, ...]:
        match lint_text(document.text, document.path, settings):
            case Linted(findings):
                return findings
            case Unparsable(finding):
                return (finding,)
            case Failed(reason):
                self.window_log_message(
                    types.LogMessageParams(types.MessageType.Warning, f"{document.path}: {reason}")
                )
        return ()

    def _complain(self, message: str) -> None:
        """Say what is wrong with a configuration, once until it is right again."""
        if message != self._said:
            self._said = message
            self.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"{NAME}: {message}")
            )


def diagnostic(finding: Finding, analysed: Analysed) -> types.Diagnostic:
    witness = f" ({finding.witness})" if finding.witness else ""
    is_unused = finding.code == UNUSED_SUPPRESSION.code
    return types.Diagnostic(
        range=analysed.range(finding.start, finding.end),
        message=f"{finding.message}{witness}",
        severity=_SEVERITIES[finding.confidence],
        code=finding.code,
        code_description=types.CodeDescription(finding.url) if finding.url else None,
        source=NAME,
        tags=[types.DiagnosticTag.Unnecessary] if is_unused else None,
    )


server = Server()


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


@server.feature(types.TEXT_DOCUMENT_HOVER)
def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """The pages of the rules that report here, or that a comment here names."""
    analysed = ls.analysed(params.text_document.uri)
    place = analysed.at(params.position)
    codes = [finding.code for finding in analysed.findings if _covers(finding, place)]
    codes += _named(analysed.lines[place.row - 1 : place.row], place.column)
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
    wanted = params.context.only
    edits = _Edits(params.text_document.uri, analysed, _takes_versions(ls))
    actions: list[types.CodeAction] = []
    if _asks_for(types.CodeActionKind.QuickFix, wanted):
        start, end = analysed.at(params.range.start), analysed.at(params.range.end)
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
    reported = [diagnostic(finding, analysed)]
    if fix is not None and fix.applicability is not Applicability.DISPLAY_ONLY:
        is_safe = fix.applicability is Applicability.SAFE
        yield types.CodeAction(
            f"{fix.message} ({finding.code})" if is_safe
            else f"{fix.message} ({finding.code}, unsafe)",
            types.CodeActionKind.QuickFix,
            reported,
            is_preferred=is_safe,
            edit=edits.of(
                types.TextEdit(analysed.range(edit.start, edit.end), edit.content)
                for edit in fix.edits
            ),
        )  # fmt: skip
    if finding.code not in (SYNTAX_ERROR.code, UNUSED_SUPPRESSION.code):
        silenced = silence(analysed.text, [(finding.start.row, finding.code)], Form.IGNORE)
        yield types.CodeAction(
            f"Ignore {finding.code} on this line",
            types.CodeActionKind.QuickFix,
            reported,
            edit=edits.from_text(silenced),
        )


@dataclass(frozen=True, slots=True)
class _Edits:
    """Changes of one document, in the form that the client takes."""

    uri: str
    analysed: Analysed
    has_version: bool

    def of(self, edits: Iterable[types.TextEdit]) -> types.WorkspaceEdit:
        if not self.has_version:
            return types.WorkspaceEdit(changes={self.uri: list(edits)})
        document = types.OptionalVersionedTextDocumentIdentifier(self.uri, self.analysed.version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])

    def from_text(self, after: str) -> types.WorkspaceEdit:
        """The lines that differ."""
        before, lines = self.analysed.lines, rows.split(after)
        shared = min(len(before), len(lines))
        head = next((n for n in range(shared) if before[n] != lines[n]), shared)
        most = shared - head
        tail = next((n for n in range(most) if before[-1 - n] != lines[-1 - n]), most)
        end = types.Position(len(before) - tail, 0)
        if before and not tail and not before[-1].endswith(("\n", "\r")):
            last = Position(len(before), len(before[-1]) + 1)
            end = self.analysed.range(last, last).end
        changed = types.Range(types.Position(head, 0), end)
        return self.of([types.TextEdit(changed, "".join(lines[head : len(lines) - tail]))])


def serve() -> None:
    """Serve one client on standard input and output, until it says goodbye."""
    server.start_io()
