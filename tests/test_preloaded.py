"""What stands for `python` where modules are imported before a program begins."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.preloaded import python_for, python_with

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="interpreters are prepared on Linux alone; elsewhere programs run in `sys.executable`",
)

PROGRAM = """\
import decimal_before
import os, sys
print(sys.argv, __name__, os.getcwd(), os.environ["SAID"], sys.path[0], sys.stdin.read())
print("calendar" in sys.modules, file=sys.stderr)
"""


def _run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SAID": "é", "PYTHONPATH": str(folder / "libraries")}
    return subprocess.run(
        command, input="ü", capture_output=True, text=True, cwd=folder, env=environment, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "libraries").mkdir()
    (tmp_path / "libraries" / "decimal_before.py").write_text("import decimal\n")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("arguments", [["program.py", "a", "-b"], ["-m", "program", "-c"]])
def test_a_program_runs_as_under_python(folder: Path, arguments: list[str]) -> None:
    plain = _run(sys.executable, *arguments, folder=folder)
    done = _run(python_with("calendar"), *arguments, folder=folder)
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout) != (1, "")
    assert (plain.stderr, done.stderr) == ("False\n", "True\n")


@pytest.mark.parametrize(
    "text",
    ["raise SystemExit(5)", "1 / 0", "import os\nos.abort()", "def f():\n    f.x\nf()", "x = ("],
)
def test_it_ends_and_fails_as_under_python(folder: Path, text: str) -> None:
    (folder / "program.py").write_text(text)
    plain = _run(sys.executable, "program.py", folder=folder)
    done = _run(python_with("calendar"), "program.py", folder=folder)
    assert (done.returncode, done.stderr) == (plain.returncode, plain.stderr)


def test_it_ends_with_what_waits_for_it(folder: Path) -> None:
    (folder / "program.py").write_text("import time\nprint(1, flush=True)\ntime.sleep(600)\n")
    command = [python_with("calendar"), str(folder / "program.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"1\n"
        process.send_signal(signal.SIGKILL)
        assert process.stdout.read() == b""  # no other process holds the stream


def test_what_no_program_imports_is_not_imported(folder: Path) -> None:
    assert python_for(folder / "program.py") == sys.executable
