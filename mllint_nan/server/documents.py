"""The documents of one editor, and what was found in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from mllint_nan.baseline import BaselineError
from mllint_nan.config.keys import ConfigError, checked
from mllint_nan.config.read import Layer
from mllint_nan.config.resolve import Configurations
from mllint_nan.files import is_excluded
from mllint_nan.findings import Finding
from mllint_nan.linter import lint_text
from mllint_nan.project import settings_at
from mllint_nan.results import Failed, linted
from mllint_nan.rulebook.rule import Rule
from mllint_nan.screening import needs_analysis
from mllint_nan.server.explaining import rules_of
from mllint_nan.server.program import NAME, Analysed, Part, diagnostic
from mllint_nan.settings import Settings
from mllint_nan.syntax.notebooks import Notebook
from mllint_nan.version import __version__

_SCHEMES: Final = ("file", "untitled")


class Server(LanguageServer):
    """The documents of one editor."""

    def __init__(self) -> None:
        python = types.NotebookCellLanguage("python")
        notebooks = types.NotebookDocumentFilterWithNotebook("*", [python])
        super().__init__(
            NAME,
            __version__,
            types.TextDocumentSyncKind.Incremental,  # as editors send cells, whatever is said here
            types.NotebookDocumentSyncOptions([notebooks], save=True),
        )
        self._analysed: dict[str, Analysed] = {}
        self._said = ""
        self._settings: Mapping[str, Any] = {}

    def configure(self, settings: object) -> None:
        """Take the editor's settings below the tool's name, by key of the configuration.

        If they do not mention the tool, the earlier settings stay.
        """
        table = settings.get(NAME) if isinstance(settings, Mapping) else None
        if isinstance(table, Mapping):
            self._settings = table

    def rules_of(self, uri: str) -> tuple[Rule, ...]:
        """The rules that apply to a document, or to none in particular."""
        if not uri:
            return rules_of(())
        try:
            directories = settings_at(self.path_of(uri), self._configurations()).rules
        except (ConfigError, BaselineError) as error:
            raise JsonRpcInvalidParams(str(error)) from None
        return rules_of(directories)

    def settings_of(self, path: str) -> Settings:
        """The settings of a file. Raises `JsonRpcInvalidParams`."""
        try:
            return settings_at(path, self._configurations())
        except (ConfigError, BaselineError) as error:
            raise JsonRpcInvalidParams(str(error)) from None

    def analysed(self, uri: str) -> Analysed:
        """The program of a document as it is now."""
        program = self._program(uri)
        known = self._analysed.get(program.path)
        if known is None or known.parts != program.parts:
            known = self._analysed[program.path] = self._analyse(program)
        return known

    def publish(self, uri: str) -> None:
        """Report on a document, or on all cells of a notebook."""
        self._analysed.pop(self._program(uri).path, None)  # the configuration may have changed
        analysed = self.analysed(uri)
        for part in analysed.parts:
            found = [diagnostic(each, part) for each in analysed.findings_in(part)]
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(part.uri, found, part.version)
            )
        reported = {part.uri for part in analysed.parts}
        self.clear(cell for cell in self._code_cells(uri) if cell not in reported)

    def publish_all(self) -> None:
        """Report on all open documents again."""
        notebooks = {uri: self._notebook(uri) for uri in self.workspace.text_documents}
        for uri in dict.fromkeys(book.uri if book else uri for uri, book in notebooks.items()):
            self.publish(uri)

    def forget(self, uri: str) -> None:
        """Forget a file or a notebook that was closed."""
        self._analysed.pop(to_fs_path(uri) or uri, None)

    def clear(self, uris: Iterable[str]) -> None:
        """Report nothing on these documents."""
        for uri in uris:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def path_of(self, uri: str) -> str:
        """The path of a file or, for a cell, of its notebook."""
        notebook = self._notebook(uri)
        uri = uri if notebook is None else notebook.uri
        return to_fs_path(uri) or uri

    def _code_cells(self, uri: str) -> list[str]:
        notebook = self._notebook(uri)
        cells = [] if notebook is None else notebook.cells
        return [cell.document for cell in cells if cell.kind == types.NotebookCellKind.Code]

    def _notebook(self, uri: str) -> types.NotebookDocument | None:
        """The notebook with this address, or that has a cell with it."""
        found = self.workspace.get_notebook_document(notebook_uri=uri)
        return found or self.workspace.get_notebook_document(cell_uri=uri)

    def _program(self, uri: str) -> Analysed:
        """The program of a document that is not analysed yet."""
        notebook = self._notebook(uri)
        if notebook is not None:
            return self._program_of_cells(notebook)
        document = self.workspace.get_text_document(uri)
        is_python = document.language_id == "python" and uri.partition(":")[0] in _SCHEMES
        source = document.source if is_python else ""
        part = Part(uri, document.version, document.source, 1, document.position_codec)
        return Analysed(source, self.path_of(uri), Settings(), (), (part,))

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
        path = self.path_of(notebook.uri)
        return Analysed(program.text, path, Settings(), (), tuple(parts), program)

    def _analyse(self, program: Analysed) -> Analysed:
        try:
            configurations = self._configurations()
            settings = settings_at(program.path, configurations)
            excluded = is_excluded(program.path, configurations)
        except (ConfigError, BaselineError) as error:
            self._complain(str(error))
            return program
        self._said = ""
        program = replace(program, settings=settings)
        data = program.text.encode("utf-8", "surrogatepass")
        if excluded or not needs_analysis(data, settings.operations, settings.project):
            return program
        return replace(program, findings=self._findings(program, settings))

    def _configurations(self) -> Configurations:
        """The configuration files, with the editor's settings on top; raises `ConfigError`."""
        source = f"settings of the editor: {NAME}."
        root = self.workspace.root_path or os.getcwd()
        editor = Layer(checked(self._settings, source), source, root)
        return Configurations({}, layers=[editor])

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
        """Report what is wrong with a configuration, only once until it is valid again."""
        if message != self._said:
            self._said = message
            self.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"{NAME}: {message}")
            )
