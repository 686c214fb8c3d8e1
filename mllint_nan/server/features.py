"""The requests of a client, and their answers."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from mllint_nan.config.read import FILE_NAMES
from mllint_nan.server.documents import Server
from mllint_nan.server.edits import Edits, quick_fixes
from mllint_nan.server.explaining import EXPLAIN, listed, page, pages_at
from mllint_nan.server.program import NAME
from mllint_nan.server.suspecting import SUSPECTS, suspects_from

FIX_ALL: Final = f"source.fixAll.{NAME}"
RULES: Final = f"{NAME}.rules"

_PAUSE: Final = 0.2
"""Seconds without a change after which a document is analysed."""

server = Server()


@server.feature(types.INITIALIZE)
def _initialize(ls: Server, params: types.InitializeParams) -> None:
    ls.configure(params.initialization_options)


@server.feature(types.INITIALIZED)
def _initialized(ls: Server, params: types.InitializedParams) -> None:
    """Ask to be notified of changed configurations, if the client watches for them."""
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
    ls.configure(params.settings)
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
    line = params.position.line
    pages = pages_at(analysed, part.at(params.position), part.lines[line : line + 1])
    if pages is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, pages))


@server.command(EXPLAIN)
def _explain(ls: Server, *arguments: object) -> dict[str, Any]:
    """The full page of a rule; the address of a document decides which user rules there are."""
    match arguments:
        case (str(rule),):
            return page(rule, ls.rules_of(""))
        case (str(rule), str(uri)):
            return page(rule, ls.rules_of(uri))
    raise JsonRpcInvalidParams(f"{EXPLAIN} takes a rule and, optionally, a document's address")


@server.command(RULES)
def _rules(ls: Server, *arguments: object) -> list[dict[str, str]]:
    """The rules that can be explained."""
    match arguments:
        case ():
            return listed(ls.rules_of(""))
        case (str(uri),):
            return listed(ls.rules_of(uri))
    raise JsonRpcInvalidParams(f"{RULES} takes a document's address, or nothing")


@server.command(SUSPECTS)
def _suspects(ls: Server, *arguments: object) -> dict[str, Any]:
    """The possible origins of a NaN in the program that starts at a saved document or function."""
    match arguments:
        case (str(uri),):
            return suspects_from(ls.path_of(uri), ls.settings_of)
        case (str(uri), str(function)):
            return suspects_from(f"{ls.path_of(uri)}::{function}", ls.settings_of)
    raise JsonRpcInvalidParams(f"{SUSPECTS} takes a document's address, and a function's name")


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
    edits = Edits(analysed, _takes_versions(ls))
    actions: list[types.CodeAction] = []
    if _asks_for(types.CodeActionKind.QuickFix.value, wanted):
        start, end = part.at(params.range.start), part.at(params.range.end)
        for finding in analysed.findings:
            if finding.start <= end and start <= finding.end:
                actions += quick_fixes(finding, analysed, edits)
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
    """Whether a client wants this kind of action; `source` includes `source.fixAll`."""
    return wanted is None or any(f"{kind}.".startswith(f"{word}.") for word in wanted)


def _is_unforeseen(record: logging.LogRecord) -> bool:
    """Whether a message reports more than an error that a client receives as an answer."""
    return not (record.exc_info and isinstance(record.exc_info[1], JsonRpcException))


def serve() -> None:
    """Serve one client on standard input and output, until it says goodbye.

    The server closes the streams it talks through; the standard streams of the process stay open.
    """
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_unforeseen)
    with (
        open(os.dup(sys.stdin.fileno()), "rb") as stdin,
        open(os.dup(sys.stdout.fileno()), "wb") as stdout,
    ):
        server.start_io(stdin, stdout)
