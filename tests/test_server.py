"""The language server, as a client over standard input and output sees it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import url2pathname

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from tests.conftest import ROOT
from tests.language_client import SECONDS, Editor, Pipe, edited, run_in_editor

HEAD = "import torch\n\ndef f(x):\n"
LINE = "    é = '😀'; return torch.log(torch.softmax(x, dim=-1))"
BAD = f"{HEAD}{LINE}\n"
GOOD = BAD.replace("log(torch.softmax(x, dim=-1))", "log_softmax(x, dim=-1)")
UNSAFE = "import torch\n\ndef g(x):\n    return torch.log(torch.relu(x))\n"


@pytest.fixture
def in_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Runs what an editor does in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return partial(run_in_editor, tmp_path)


def test_unsaved_text_is_diagnosed_as_it_is_typed(in_editor: Any, tmp_path: Path) -> None:
    async def does(editor: Editor) -> None:
        (diagnostic,) = await editor.open("b.py", BAD)
        assert diagnostic.severity == types.DiagnosticSeverity.Warning
        of_layer = f"{BAD}\nf(torch.nn.Linear(2, 2)(torch.ones(1, 2)))\n"
        (diagnostic,) = await editor.open("a.py", of_layer)
        assert (diagnostic.code, diagnostic.source) == ("NAN101", "mllint-nan")
        assert diagnostic.severity == types.DiagnosticSeverity.Error
        start = len(LINE[: LINE.index("torch.log")].encode("utf-16-le")) // 2
        assert diagnostic.range.start == types.Position(3, start)
        assert await editor.type("a.py", f"{HEAD}    return (", GOOD) == []
        (error,) = await editor.type("a.py", f"{HEAD}    return (")
        assert error.code == "NAN901"
        assert list(tmp_path.iterdir()) == []

    in_editor(does)


def test_nothing_is_offered_where_the_text_is_not_python_3(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        error, finding = await editor.open("a.py", f"{BAD}print 'a'\n")
        assert {error.code, finding.code} == {"NAN101", "NAN901"}
        for diagnostic in (error, finding):
            assert not await editor.actions("a.py", diagnostic.range)

    in_editor(does)


def test_findings_are_fixed_one_by_one_and_all_at_once(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        twice = BAD + BAD.replace("import torch\n", "").replace("f(", "h(")
        first, second = await editor.open("a.py", twice)
        actions = await editor.actions("a.py", first.range)
        one, ignore, every = actions.values()
        assert one.title == "Replace with `torch.log_softmax(x, dim=-1)` (NAN101)"
        assert one.is_preferred and one.kind == types.CodeActionKind.QuickFix
        assert edited(twice, one.edit) == twice.replace(BAD, GOOD)
        assert ignore.title == "Ignore NAN101 on this line"
        silenced = BAD.replace("-1))", "-1))  # mllint-nan: ignore[NAN101]")
        assert edited(twice, ignore.edit) == twice.replace(BAD, silenced)
        assert every.kind == "source.fixAll.mllint-nan"
        good = GOOD + GOOD.replace("import torch\n", "").replace("f(", "h(")
        assert edited(twice, every.edit) == good
        only = await editor.actions("a.py", second.range, ["source.fixAll"])
        assert list(only) == [every.title]
        assert await editor.actions("a.py", second.range, ["refactor"]) == {}
        nowhere = types.Range(types.Position(0, 0), types.Position(0, 0))
        assert list(await editor.actions("a.py", nowhere)) == [every.title]

    in_editor(does)


def test_unsafe_fix_says_so_and_is_not_among_all(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        (diagnostic,) = await editor.open("a.py", UNSAFE.rstrip())
        assert diagnostic.severity == types.DiagnosticSeverity.Warning
        actions = await editor.actions("a.py", diagnostic.range)
        fix, ignore = actions.values()
        assert fix.title.endswith("(NAN201, unsafe)") and not fix.is_preferred
        assert "relu(x) +" in edited(UNSAFE, fix.edit) or "clamp" in edited(UNSAFE, fix.edit)
        silenced = f"{UNSAFE.rstrip()}  # mllint-nan: ignore[NAN201]"
        assert edited(UNSAFE.rstrip(), ignore.edit) == silenced

    in_editor(does)


def test_fix_that_the_project_cannot_have_is_not_offered(in_editor: Any, tmp_path: Path) -> None:
    text = "import torch\n\ndef g(x):\n    return torch.log(torch.special.ndtr(x))\n"

    async def does(editor: Editor) -> None:
        (diagnostic,) = await editor.open("a.py", text)
        fixes = [one for one in await titles(editor, "a.py", diagnostic) if "Replace" in one]
        assert fixes == ["Replace with `torch.special.log_ndtr(x)` (NAN114, unsafe)"]
        (tmp_path / "requirements.txt").write_text("torch>=1.9\n")
        (diagnostic,) = await editor.open("b.py", text)
        assert not [one for one in await titles(editor, "b.py", diagnostic) if "Replace" in one]

    async def titles(editor: Editor, name: str, diagnostic: types.Diagnostic) -> list[str]:
        return [one.title for one in (await editor.actions(name, diagnostic.range)).values()]

    in_editor(does)


def test_edits_carry_the_version_where_the_client_takes_it(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        (diagnostic,) = await editor.open("a.py", BAD)
        for action in (await editor.actions("a.py", diagnostic.range)).values():
            (change,) = action.edit.document_changes
            assert change.text_document.version == 1

    edits = types.WorkspaceEditClientCapabilities(document_changes=True)
    workspace = types.WorkspaceClientCapabilities(workspace_edit=edits)
    in_editor(does, types.ClientCapabilities(workspace=workspace))


def test_hover_shows_the_page_of_the_rule(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        text = f"{BAD}y = 1  # mllint-nan: ignore[NAN203, log-at-zero]\n"
        await editor.open("a.py", text)
        page = await editor.hover("a.py", 3, len(LINE) - 3)
        assert page is not None
        assert page.startswith("### NAN101 log-of-softmax\n") and "```python" in page
        assert await editor.hover("a.py", 3, 2) is None
        comment = text.splitlines()[4]
        named = await editor.hover("a.py", 4, comment.index("NAN203") + 1)
        assert named is not None and named.startswith("### NAN203 ")
        named = await editor.hover("a.py", 4, comment.index("log-at") + 1)
        assert named is not None and named.startswith("### NAN201 ")
        assert await editor.hover("a.py", 9, 0) is None

    in_editor(does)


def test_rule_is_explained_in_full_with_its_picture(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        page = await editor.execute("mllint-nan.explain", "NAN203")
        assert (page["code"], page["name"]) == ("NAN203", "sqrt-at-zero")
        assert {"## Why it breaks", "## How far off it is", "## References"} <= set(
            page["markdown"].splitlines()
        )
        (path,) = re.findall(r"^!\[.*\]\(file://(.*)\)$", page["markdown"], re.MULTILINE)
        assert page["picture"] == Path(url2pathname(path)).read_text("utf-8").strip()
        assert page["picture"].startswith("<svg ") and page["picture"].endswith("</svg>")
        assert await editor.execute("mllint-nan.explain", "sqrt-at-zero") == page
        of_the_tool = await editor.execute("mllint-nan.explain", "nan901")
        assert of_the_tool["code"] == "NAN901" and of_the_tool["picture"] is None
        assert "](file:" not in of_the_tool["markdown"]
        with pytest.raises(JsonRpcInvalidParams, match="unknown rule 'NAN2O3'; did you mean NAN"):
            await editor.execute("mllint-nan.explain", "NAN2O3")
        for arguments in ((), (1,), ("NAN203", None), ("NAN203", "", "")):
            with pytest.raises(JsonRpcInvalidParams, match=r"explain takes a rule"):
                await editor.execute("mllint-nan.explain", *arguments)

    in_editor(does)


def test_own_rules_are_listed_and_explained(in_editor: Any, tmp_path: Path) -> None:
    rule = (ROOT / "rules" / "compositions" / "log-of-softmax.toml").read_text()
    own = rule.replace("NAN101", "NAN801").replace("log-of-softmax", "our-log-of-softmax")
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "our-log-of-softmax.toml").write_text(own)
    (tmp_path / "mllint-nan.toml").write_text('rules = ["ours"]\n')

    async def does(editor: Editor) -> None:
        uri = editor.uri("a.py")
        listed = {rule["code"] for rule in await editor.execute("mllint-nan.rules")}
        assert {"NAN101", "NAN901"} <= listed and "NAN801" not in listed
        ours = {rule["code"] for rule in await editor.execute("mllint-nan.rules", uri)}
        assert ours == {*listed, "NAN801"}
        assert (await editor.execute("mllint-nan.explain", "NAN801", uri))["code"] == "NAN801"
        (tmp_path / "mllint-nan.toml").write_text("rules = 1\n")
        with pytest.raises(JsonRpcInvalidParams, match="rules: expects a list of strings"):
            await editor.execute("mllint-nan.rules", uri)

    in_editor(does)


def test_settings_of_the_editor_are_stronger_than_files(in_editor: Any, tmp_path: Path) -> None:
    (tmp_path / "mllint-nan.toml").write_text('min-confidence = "certain"\n')

    async def does(editor: Editor) -> None:
        assert len(await editor.open("a.py", UNSAFE)) == 1
        assert await editor.configure({"mllint-nan": {"ignore": ["NAN2"]}}) == []
        assert await editor.configure({"another": {}}) == []
        assert await editor.configure(None) == []
        assert await editor.configure({"mllint-nan": {}}) == []
        assert len(await editor.configure({"mllint-nan": {"min-confidence": "likely"}})) == 1
        assert await editor.configure({"mllint-nan": {"min-confidance": "likely"}}) == []
        message = await asyncio.wait_for(editor.messages.get(), SECONDS)
        assert message == (
            "mllint-nan: settings of the editor: mllint-nan.min-confidance: unknown key; "
            "did you mean 'min-confidence'?"
        )

    in_editor(does, options={"mllint-nan": {"min-confidence": "likely"}})


def test_configuration_holds_and_is_read_anew(in_editor: Any, tmp_path: Path) -> None:
    async def does(editor: Editor) -> None:
        configuration = tmp_path / "mllint-nan.toml"
        configuration.write_text('ignore = ["NAN101"]\nextend-exclude = ["generated"]\n')
        assert await editor.open("a.py", BAD) == []
        assert await editor.open("generated/b.py", UNSAFE) == []
        configuration.write_text("selekt = []\n")
        assert await editor.type("a.py", f"{BAD}\n") == []
        message = await asyncio.wait_for(editor.messages.get(), SECONDS)
        assert "selekt: unknown key; did you mean 'select'?" in message
        configuration.unlink()
        assert len(await editor.type("a.py", BAD, BAD)) == 1

    in_editor(does)


@pytest.mark.parametrize("is_watching", [True, False])
def test_changed_configuration_is_told(in_editor: Any, tmp_path: Path, is_watching: bool) -> None:
    watching = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=is_watching)
    capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(did_change_watched_files=watching),
        notebook_document=NOTEBOOKS.notebook_document,
    )

    async def does(editor: Editor) -> None:
        if is_watching:
            (asked,) = await asyncio.wait_for(editor.registered.get(), SECONDS)
            assert asked.method == "workspace/didChangeWatchedFiles"
            globs = {one["globPattern"] for one in _plain(asked.register_options)["watchers"]}
            assert globs == {"**/pyproject.toml", "**/mllint-nan.toml", "**/.mllint-nan.toml"}
        assert len(await editor.open("a.py", BAD)) == 1
        assert await editor.open_notebook("b.ipynb", *CELLS[::4]) == {
            "W0": [], "W1": ["NAN110 1:4", "NAN106 2:4"],
        }  # fmt: skip
        configuration = tmp_path / "mllint-nan.toml"
        configuration.write_text('ignore = ["NAN1"]\n')
        if is_watching:
            changed = types.FileEvent(configuration.as_uri(), types.FileChangeType.Created)
            editor.client.workspace_did_change_watched_files(
                types.DidChangeWatchedFilesParams([changed])
            )
        else:
            editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
        sent = [await asyncio.wait_for(editor.sent.get(), SECONDS) for _ in range(3)]
        assert [list(one.diagnostics) for one in sent] == [[], [], []]
        assert editor.registered.empty() and editor.sent.empty()

    in_editor(does, capabilities)


def _plain(options: object) -> Any:
    """What a request says, whatever the library has made of it."""
    return json.loads(json.dumps(options, default=lambda one: one._asdict()))


def test_other_documents_and_closed_ones_have_no_findings(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        assert await editor.open("a.md", BAD, "markdown") == []
        assert len(await editor.open("a.py", BAD)) == 1
        closed = types.TextDocumentIdentifier(editor.uri("a.py"))
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(closed))
        assert await editor.diagnostics() == []

    in_editor(does)


NOTEBOOKS = types.ClientCapabilities(
    notebook_document=types.NotebookDocumentClientCapabilities(
        types.NotebookDocumentSyncClientCapabilities()
    )
)
CELLS = (
    "%matplotlib inline\nimport jax.numpy as jnp",
    "#: a heading",
    "!nvidia-smi\nx = load()\np = 1 / (1 + jnp.exp(-x))",
    "%%bash\nls",
    "%%time\nq = jnp.log(jnp.prod(x)) if x else 0\nr = 1 / (1 + jnp.exp(-x))",
)


def test_cells_of_a_notebook_are_one_program(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        found = await editor.open_notebook("a.ipynb", *CELLS)
        assert found == {
            "W0": [], "W2": ["NAN106 2:4"], "W3": [], "W4": ["NAN110 1:4", "NAN106 2:4"]
        }  # fmt: skip
        await editor.type_in_cell("a.ipynb", 2, 2, "x = load()")
        assert (await editor.found_in(4))["W4"] == ["NAN110 1:4", "NAN106 2:4"]
        place = types.Range(types.Position(1, 16), types.Position(1, 23))
        await editor.type_in_cell("a.ipynb", 4, 3, "sum(x)", place)  # instead of `prod(x)`
        assert (await editor.found_in(4))["W4"] == ["NAN106 2:4"]
        await editor.type_in_cell("a.ipynb", 0, 4, "jnp = None")
        assert set(map(tuple, (await editor.found_in(4)).values())) == {()}

    in_editor(does, NOTEBOOKS)


def test_fix_in_a_cell_imports_in_the_first(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        await editor.open_notebook("a.ipynb", *CELLS)
        second, last = editor.cell("a.ipynb", 2), editor.cell("a.ipynb", 4)
        place = types.Range(types.Position(2, 4), types.Position(2, 4))
        one, ignore, every = (await editor.actions(second, place)).values()
        assert _after(one.edit) == {
            "W0": CELLS[0].replace("import jax.numpy", "import jax\nimport jax.numpy"),
            "W2": CELLS[2].replace("1 / (1 + jnp.exp(-x))", "jax.nn.sigmoid(x)"),
        }
        assert _after(ignore.edit) == {"W2": f"{CELLS[2]}  # mllint-nan: ignore[NAN106]"}
        assert set(_after(every.edit)) == {"W0", "W2", "W4"}
        only = await editor.actions(last, place, ["source.fixAll"])
        assert [_after(action.edit) for action in only.values()] == [_after(every.edit)]
        assert (await editor.actions(editor.cell("a.ipynb", 3), place)) == {}
        page = await editor.hover(second, 2, 6)
        assert page is not None and page.startswith("### NAN106 ")
        assert await editor.hover(second, 0, 1) is None

    in_editor(does, NOTEBOOKS)


def _after(edit: types.WorkspaceEdit) -> dict[str, str]:
    """The cells that an edit changes, as it leaves them."""
    assert edit.changes is not None
    texts = {}
    for uri, changes in edit.changes.items():
        cell = uri.partition("#")[2][:2]
        change = types.WorkspaceEdit(changes={uri: changes})
        texts[cell] = edited(CELLS[int(cell[1:])], change)
    return texts


def test_closed_notebook_has_no_findings(in_editor: Any) -> None:
    async def does(editor: Editor) -> None:
        await editor.open_notebook("a.ipynb", *CELLS)
        closed = types.NotebookDocumentIdentifier(editor.uri("a.ipynb"))
        cells = [types.TextDocumentIdentifier(editor.cell("a.ipynb", n)) for n in (0, 2, 3, 4)]
        editor.client.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(closed, cells)
        )
        assert await editor.found_in(4) == {"W0": [], "W2": [], "W3": [], "W4": []}
        assert len(await editor.open("a.py", BAD)) == 1

    in_editor(does, NOTEBOOKS)


def test_without_pygls_one_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls").mkdir()
    (tmp_path / "pygls/__init__.py").write_text("raise ModuleNotFoundError('no', name='pygls')")
    done = subprocess.run(
        [sys.executable, "-m", "mllint_nan", "--server"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        "mllint-nan: error: --server needs pygls: pip install 'mllint-nan[lsp]'\n"
    )


def test_kinds_of_actions_and_an_orderly_end(tmp_path: Path) -> None:
    client = Pipe()
    client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    client.tell("initialized", {})
    uri = (tmp_path / "model.py").as_uri()
    text = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    client.tell("textDocument/didOpen", {"textDocument": document})
    place = {"line": 4, "character": 12}

    def offered(only: list[str]) -> list[str]:
        context = {"diagnostics": [], "only": only}
        span = {"start": place, "end": place}
        asked = {"textDocument": {"uri": uri}, "range": span, "context": context}
        return [action["kind"] for action in client.ask("textDocument/codeAction", asked) or ()]

    assert offered(["quickfix"]) == ["quickfix", "quickfix"]
    assert offered(["source"]) == offered(["source.fixAll"]) == ["source.fixAll.mllint-nan"]
    assert offered(["refactor"]) == []
    asked = {"command": "mllint-nan.explain", "arguments": ["NAN1O1"]}
    assert "did you mean NAN101" in client.refused("workspace/executeCommand", asked)
    assert client.leave() == (0, "")
