"""`python -m libcst.tool codemod` runs the repairs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))  # é\n"
GOOD = BAD.replace("log(torch.softmax(x, dim=-1))", "log_softmax(x, dim=-1)")
UNSAFE = "import torch\n\ndef g(x):\n    return torch.log(torch.relu(x))\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codemod(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = ["libcst.tool", "codemod", "-x", "mllint_nan.codemod.RepairCommand", "--no-format"]
    return subprocess.run(
        [sys.executable, "-m", *command, "--hide-progress", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_folder_is_repaired_and_the_rest_is_named() -> None:
    sources = {
        "bad.py": BAD.replace("\n", "\r\n"),
        "unsafe.py": UNSAFE,
        "silenced.py": BAD.replace("# é", "# noqa: NAN101"),
        "other.py": "x = 1\n",
        "vendored/bad.py": BAD,
    }
    for name, source in sources.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(source, encoding="utf-8", newline="")
    Path("mllint-nan.toml").write_text('extend-exclude = ["vendored"]\n')
    done = codemod("-j", "1", ".")
    assert done.returncode == 0, done.stderr
    assert "unsafe.py:4:12: NAN201 " in done.stderr
    written = {name: Path(name).read_bytes().decode() for name in sources}
    assert written == sources | {"bad.py": GOOD.replace("\n", "\r\n")}


def test_unsafe_fixes_are_an_option() -> None:
    Path("unsafe.py").write_text(UNSAFE)
    done = codemod("--unsafe-fixes", "unsafe.py")
    assert done.returncode == 0, done.stderr
    assert Path("unsafe.py").read_text() != UNSAFE
    assert "NAN201" not in done.stderr


def test_standard_input_is_a_filter() -> None:
    assert codemod("-", stdin=BAD).stdout == f"{GOOD}\n"  # LibCST prints a line more
