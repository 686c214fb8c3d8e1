"""Emacs as a client of the language server, configured by what the documentation says."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conftest import ROOT

EMACS: Final = shutil.which("emacs")
SESSION: Final = ROOT / "tests" / "emacs_session.el"
SECONDS: Final = 300
BAD: Final = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
GOOD: Final = BAD.replace("log(torch.softmax(x, dim=-1))", "log_softmax(x, dim=-1)")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        EMACS is None, reason="Emacs is no Python package: Debian has it as emacs-nox"
    ),
]


def _has(library: str) -> bool:
    asked = (
        f"(progn (package-initialize) (kill-emacs (if (locate-library {json.dumps(library)}) 0 1)))"
    )
    command = [str(EMACS), "--batch", "--eval", asked]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def seen_by(client: str, directory: Path) -> dict[str, Any]:
    """What Emacs saw from its start to its end."""
    if not _has(client):
        pytest.skip(f"{client} is no part of this Emacs: Debian has it as elpa-{client}")
    (directory / "a.py").write_text(BAD)
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    for block in re.findall(r"```elisp\n(.*?)```", page, re.DOTALL):
        name = "eglot" if "eglot" in block else "lsp-mode"
        (directory / f"{name}.el").write_text(block)
    command = directory / "bin" / "mllint-nan"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m mllint_nan "$@"\n')
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(directory),
        "CLIENT": client,
    }
    done = subprocess.run(
        [str(EMACS), "--batch", "--load", str(SESSION)],
        cwd=directory, env=environment, capture_output=True, text=True, check=False,
        timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    seen: dict[str, Any] = json.loads((directory / "seen.json").read_text())
    assert "error" not in seen, seen["error"] + done.stderr
    return seen


def test_eglot_shows_findings_and_fixes_them(tmp_path: Path) -> None:
    seen = seen_by("eglot", tmp_path)
    (found,) = seen["found"]
    assert found.startswith("5: ") and "NAN101" in found and "x = [0, 1000]" in found
    assert seen["actions"] == [
        "Replace with `torch.log_softmax(x, dim=-1)` (NAN101)",
        "Ignore NAN101 on this line",
    ]
    assert seen["fixed"] == GOOD
    assert seen["explained"] == "NAN203"
    assert seen["ended"] is True


def test_lsp_mode_shows_findings(tmp_path: Path) -> None:
    assert seen_by("lsp-mode", tmp_path)["found"] == ["NAN101"]
