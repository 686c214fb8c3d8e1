"""The suspects of a program as an editor asks for them, over the protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcInvalidParams

from tests.language_client import Editor, run_in_editor

TRAINING = (
    "import torch\nfrom losses import loss_of\n\nw = torch.ones(3, requires_grad=True)\n"
    "loss_of(w).backward()\n"
)
LOSSES = (
    "import torch\n\n\ndef loss_of(x):\n    return -torch.log(torch.softmax(x, dim=0)).sum()\n\n\n"
    "def unused(x):\n    return torch.acos(x)\n"
)


def _in_editor(folder: Path, does: Callable[[Editor], Awaitable[None]]) -> None:
    (folder / "train.py").write_text(TRAINING)
    (folder / "losses.py").write_text(LOSSES)
    run_in_editor(folder, does)


def test_the_suspects_are_a_page_and_a_list(tmp_path: Path) -> None:
    async def does(editor: Editor) -> None:
        found = await editor.execute("mllint-nan.suspects", editor.uri("train.py"))
        assert found["entry"].endswith("train.py")
        first, *others = found["suspects"]
        assert (first["rank"], first["code"], first["location"]["row"]) == (1, "NAN101", 5)
        assert first["filename"].endswith("losses.py")
        assert "NAN206" not in {one["code"] for one in others}
        assert "torch.log(torch.softmax(x, dim=0))" in found["markdown"]
        assert found["markdown"].startswith("### ")

    _in_editor(tmp_path, does)


def test_a_function_may_be_the_entry(tmp_path: Path) -> None:
    async def does(editor: Editor) -> None:
        uri = editor.uri("losses.py")
        found = await editor.execute("mllint-nan.suspects", uri, "unused")
        assert {one["location"]["row"] for one in found["suspects"]} == {9}
        assert "no code that was read takes gradients" in found["markdown"]

    _in_editor(tmp_path, does)


def test_what_is_no_program_is_said(tmp_path: Path) -> None:
    async def does(editor: Editor) -> None:
        with pytest.raises(JsonRpcInvalidParams, match="no such file"):
            await editor.execute("mllint-nan.suspects", editor.uri("missing.py"))
        with pytest.raises(JsonRpcInvalidParams, match="takes a document's address"):
            await editor.execute("mllint-nan.suspects")

    _in_editor(tmp_path, does)
