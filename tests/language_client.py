"""Clients of the language server, over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.conftest import ROOT
from tests.preloaded import python_with

SECONDS = 60


class Editor:
    """A client that keeps the diagnostics it is sent."""

    def __init__(self, client: LanguageClient, directory: Path) -> None:
        self.client = client
        self.directory = directory
        self.sent: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.messages: asyncio.Queue[str] = asyncio.Queue()
        self.registered: asyncio.Queue[list[types.Registration]] = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: types.PublishDiagnosticsParams) -> None:
            self.sent.put_nowait(params)

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def _(params: types.RegistrationParams) -> None:
            self.registered.put_nowait(list(params.registrations))

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def _(params: types.ShowMessageParams) -> None:
            self.messages.put_nowait(params.message)

    def uri(self, name: str) -> str:
        return (self.directory / name).as_uri()

    async def open(self, name: str, text: str, language: str = "python") -> list[types.Diagnostic]:
        item = types.TextDocumentItem(self.uri(name), language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics()

    async def type(self, name: str, *texts: str) -> list[types.Diagnostic]:
        for version, text in enumerate(texts, 2):
            self.client.text_document_did_change(
                types.DidChangeTextDocumentParams(
                    types.VersionedTextDocumentIdentifier(version, self.uri(name)),
                    [types.TextDocumentContentChangeWholeDocument(text)],
                )
            )
        return await self.diagnostics()

    async def open_notebook(self, name: str, *sources: str) -> dict[str, list[str]]:
        """The codes of the findings, by cell; a source of Markdown begins with `#:`."""
        cells, documents = [], []
        for number, source in enumerate(sources):
            cell = self.cell(name, number)
            is_code = not source.startswith("#:")
            kind = types.NotebookCellKind.Code if is_code else types.NotebookCellKind.Markup
            cells.append(types.NotebookCell(kind, cell))
            if is_code:
                documents.append(types.TextDocumentItem(cell, "python", 1, source))
        notebook = types.NotebookDocument(self.uri(name), "jupyter-notebook", 1, cells)
        self.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(notebook, documents)
        )
        return await self.found_in(len(documents))

    async def type_in_cell(
        self, name: str, number: int, version: int, text: str, place: types.Range | None = None
    ) -> None:
        """Replace what a cell has at a place, or all of it."""
        whole = types.TextDocumentContentChangeWholeDocument(text)
        change = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(version, self.cell(name, number)),
            [types.TextDocumentContentChangePartial(place, text) if place else whole],
        )
        self.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(version, self.uri(name)),
                types.NotebookDocumentChangeEvent(
                    cells=types.NotebookDocumentCellChanges(text_content=[change])
                ),
            )
        )

    def cell(self, name: str, number: int) -> str:
        return f"vscode-notebook-cell:{self.directory.as_posix()}/{name}#W{number}sZmlsZQ%3D%3D"

    async def found_in(self, documents: int) -> dict[str, list[str]]:
        sent = [await asyncio.wait_for(self.sent.get(), SECONDS) for _ in range(documents)]
        return {
            each.uri.partition("#")[2][:2]: [
                f"{found.code} {found.range.start.line}:{found.range.start.character}"
                for found in each.diagnostics
            ]
            for each in sent
        }

    async def execute(self, command: str, *arguments: object) -> Any:
        return await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command, list(arguments))
        )

    async def configure(self, settings: object) -> list[types.Diagnostic]:
        self.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
        return await self.diagnostics()

    async def diagnostics(self) -> list[types.Diagnostic]:
        params = await asyncio.wait_for(self.sent.get(), SECONDS)
        return list(params.diagnostics)

    async def actions(
        self, name: str, place: types.Range, only: list[str] | None = None
    ) -> dict[str, types.CodeAction]:
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(name if ":" in name else self.uri(name)),
                place,
                types.CodeActionContext([], only=only),  # type: ignore[arg-type]
            )
        )
        return {action.title: action for action in found or [] if hasattr(action, "edit")}

    async def hover(self, name: str, row: int, column: int) -> str | None:
        hover = await self.client.text_document_hover_async(
            types.HoverParams(
                types.TextDocumentIdentifier(name if ":" in name else self.uri(name)),
                types.Position(row, column),
            )
        )
        return None if hover is None else hover.contents.value  # type: ignore[union-attr]


def run_in_editor(
    directory: Path,
    does: Callable[[Editor], Awaitable[None]],
    capabilities: types.ClientCapabilities | None = None,
    options: object = None,
) -> None:
    """Run what an editor does, from its start to its orderly end."""

    async def session() -> None:
        client = LanguageClient("test", "1")
        editor = Editor(client, directory)
        python = python_with("mllint_nan", "mllint_nan.server")
        await client.start_io(python, "-m", "mllint_nan", "--server")
        parameters = types.InitializeParams(
            capabilities=capabilities or types.ClientCapabilities(),
            initialization_options=options,
            root_uri=directory.as_uri(),
        )
        await client.initialize_async(parameters)
        client.initialized(types.InitializedParams())
        try:
            await does(editor)
            await client.shutdown_async(None)
        finally:
            client.exit(None)
            await client.stop()

    asyncio.run(session())


def edited(text: str, edit: types.WorkspaceEdit) -> str:
    """What an editor makes of a text, columns counted as UTF-16."""
    assert edit.changes is not None
    (changes,) = edit.changes.values()
    for change in sorted(changes, key=lambda change: _key(change.range.start), reverse=True):
        start, end = _offset(text, change.range.start), _offset(text, change.range.end)
        text = text[:start] + change.new_text + text[end:]
    return text


def _key(place: types.Position) -> tuple[int, int]:
    return place.line, place.character


def _offset(text: str, place: types.Position) -> int:
    lines = text.splitlines(keepends=True)
    row = (lines[place.line] if place.line < len(lines) else "").encode("utf-16-le")
    return sum(map(len, lines[: place.line])) + len(row[: 2 * place.character].decode("utf-16-le"))


class Pipe:
    """A client that speaks the protocol's own text, and knows nothing of the server's library."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mllint_nan", "--server"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._count = 0

    def tell(self, method: str, parameters: object, **more: object) -> None:
        assert self._process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, "params": parameters, **more}
        body = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def ask(self, method: str, parameters: object) -> Any:
        return self._answer(method, parameters)["result"]

    def refused(self, method: str, parameters: object) -> str:
        """The message of the error that answers."""
        message: str = self._answer(method, parameters)["error"]["message"]
        return message

    def _answer(self, method: str, parameters: object) -> dict[str, Any]:
        self._count += 1
        self.tell(method, parameters, id=self._count)
        while True:
            answer = self._read()
            if answer.get("id") == self._count and "method" not in answer:
                return answer

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while (line := self._process.stdout.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        answer: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return answer

    def leave(self) -> tuple[int, str]:
        """The server's exit status, and what it said on standard error."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        _, said = self._process.communicate(timeout=60)
        return self._process.returncode, said.decode()
