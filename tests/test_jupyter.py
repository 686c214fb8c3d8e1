"""JupyterLab's language servers: the installed package is found, started and spoken with."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from mllint_nan.config.keys import KEYS
from mllint_nan.jupyter import specification
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

SECONDS: Final = 60
TOKEN: Final = "of-the-test"
# What JupyterLab makes of a notebook's cells: one document, its magics replaced.
NOTEBOOK: Final = """import torch
get_ipython().run_line_magic("matplotlib", "inline")


x = load()


y = torch.log(torch.softmax(x, dim=-1))
"""


def test_specification_fits_the_schema() -> None:
    from jupyter_lsp.schema import LANGUAGE_SERVER_SPEC_MAP

    specifications = specification(None)
    assert list(LANGUAGE_SERVER_SPEC_MAP.iter_errors(specifications)) == []
    keys = specifications["mllint-nan"]["config_schema"]["properties"]
    assert set(keys) == {f"mllint-nan.{key.name}" for key in KEYS}


def test_documented_specification_fits_the_schema() -> None:
    from jupyter_lsp.schema import LANGUAGE_SERVER_SPEC_MAP

    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    blocks = [json.loads(each) for each in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    (traits,) = (
        each["LanguageServerManager"] for each in blocks if "LanguageServerManager" in each
    )
    assert list(LANGUAGE_SERVER_SPEC_MAP.iter_errors(traits["language_servers"])) == []


@pytest.fixture(scope="module")
def address(
    installation: Path, no_grammars: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A Jupyter server that sees the installed package."""
    home = tmp_path_factory.mktemp("home")
    (home / "notebooks").mkdir()
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [
        sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={home / 'notebooks'}",
        "--ServerApp.jpserver_extensions={'jupyter_lsp': True}",
    ]  # fmt: skip
    path = os.pathsep.join(map(str, (installation, no_grammars)))
    environment = {**os.environ, "PYTHONPATH": path, "HOME": str(home)}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment, cwd=home, stdout=log, stderr=log)
        try:
            yield _listening(f"127.0.0.1:{port}", server, home / "log")
        finally:
            server.terminate()
            server.wait(SECONDS)


def _listening(address: str, server: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            _status(address)
        except (URLError, ConnectionError):
            time.sleep(0.2)
        else:
            return address
    raise AssertionError(log.read_text())


def _status(address: str) -> Any:
    request = Request(f"http://{address}/lsp/status", headers={"Authorization": f"token {TOKEN}"})
    with urlopen(request, timeout=SECONDS) as answer:
        return json.load(answer)


def test_server_is_offered_for_python(address: str) -> None:
    status = _status(address)
    offered = status["specs"]["mllint-nan"]
    assert offered["languages"] == ["python"]
    assert status["sessions"]["mllint-nan"]["status"] == "not_started"
    assert "mllint-nan.min-confidence" in offered["config_schema"]["properties"]


def test_notebook_is_diagnosed_over_the_websocket(address: str) -> None:
    assert asyncio.run(_session(address)) == [["NAN101 7:4"], [], ["NAN101 7:4"]]
    assert _status(address)["sessions"]["mllint-nan"]["handler_count"] == 0


async def _session(address: str) -> list[list[str]]:
    """What is reported on a notebook, with other settings, and with those of before."""
    from tornado.httpclient import HTTPRequest
    from tornado.websocket import websocket_connect

    url = f"ws://{address}/lsp/ws/mllint-nan"
    headers = {"Authorization": f"token {TOKEN}", "Origin": f"http://{address}"}
    connection = await websocket_connect(HTTPRequest(url, headers=headers))

    async def tell(method: str, parameters: object, **more: object) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters, **more}
        await connection.write_message(json.dumps(message))

    async def heard(wanted: str) -> Any:
        while True:
            text = await asyncio.wait_for(connection.read_message(), SECONDS)
            assert text is not None, "the connection is closed"
            message = json.loads(text)
            if wanted in (message.get("method"), message.get("id")):
                return message.get("result", message.get("params"))

    async def reported() -> list[str]:
        diagnostics = (await heard("textDocument/publishDiagnostics"))["diagnostics"]
        starts = ((each["code"], each["range"]["start"]) for each in diagnostics)
        return [f"{code} {start['line']}:{start['character']}" for code, start in starts]

    root = _status(address)["specs"]["mllint-nan"]
    assert root["display_name"] == "mllint-nan"
    capabilities = {"textDocument": {"publishDiagnostics": {}}}
    starting = {"processId": None, "rootUri": None, "capabilities": capabilities}
    await tell("initialize", starting, id="initialize")
    assert "codeActionProvider" in (await heard("initialize"))["capabilities"]
    await tell("initialized", {})
    document = {
        "uri": "file:///notebooks/.virtual_documents/a.ipynb",
        "languageId": "python",
        "version": 1,
        "text": NOTEBOOK,
    }
    await tell("textDocument/didOpen", {"textDocument": document})
    found = [await reported()]
    for keys in ({"ignore": ["NAN1"]}, {}):
        await tell("workspace/didChangeConfiguration", {"settings": {"mllint-nan": keys}})
        found.append(await reported())
    connection.close()
    await asyncio.sleep(1)
    return found
