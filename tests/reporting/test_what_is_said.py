"""What a run says beside its findings: what it left out, and why."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from mllint_nan.cli import CLEAN, FINDINGS, main
from mllint_nan.reporting.rows import columns
from tests.conftest import ROOT

POSSIBLE = "import torch\n\ndef f(x, y):\n    z = torch.sqrt(y)\n    return z + torch.sqrt(x)\n"
CERTAIN = "import torch\n\ndef g(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
CERTAIN += "\ng(torch.nn.Linear(2, 2)(torch.ones(1, 2)))\n"
LIKELY = "import torch\n\ndef h(x):\n    return torch.log(torch.relu(x))\n"
CELL = '{"cell_type": "code", "metadata": {}, "outputs": [], "source": %s}'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """The summary of a run."""
    main(["--no-cache", "--output-format", "concise", *options])
    return capsys.readouterr().err.splitlines()[-1]


def test_findings_that_are_not_asked_for_are_counted(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("a.py", POSSIBLE), ("b.py", CERTAIN), ("c.py", LIKELY)):
        (here / name).write_text(text)
    assert said(capsys) == (
        "Found 2 findings in 3 files (1 fixable with --fix; 1 more with --unsafe-fixes); "
        "at least 2 more with --min-confidence possible"
    )
    assert "; 1 more with --min-confidence likely; at least 3 more with --min-confidence" in said(
        capsys, "--min-confidence", "certain"
    )
    assert said(capsys, "--select", "NAN101") == "Found 1 finding in 3 files (1 fixable with --fix)"
    assert "--min-confidence" not in said(capsys, "--min-confidence", "possible")


def test_problem_matchers_of_other_linters_read_a_line(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text(LIKELY)
    main(["--no-cache", "--output-format", "concise"])
    line = capsys.readouterr().out
    of_flake8 = re.compile(r"^([^\s]+):(\d+):(\d+): ([A-Z]+\d+) (.+)$", re.MULTILINE)
    matched = of_flake8.search(line)
    assert matched is not None and matched.groups()[:4] == ("a.py", "4", "12", "NAN201")
    assert matched[5].endswith(" (torch.relu(x) = 0) [likely]")


def test_silenced_findings_are_not_promised(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    silenced = POSSIBLE.replace("(y)", "(y)  # mllint-nan: ignore[NAN203]")
    (here / "a.py").write_text(silenced)
    assert said(capsys) == (
        "All checks passed in 1 file; at least 1 more with --min-confidence possible"
    )


def test_what_is_not_shown_is_kept_in_the_cache(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text(POSSIBLE)
    for _ in range(2):
        assert main(["--output-format", "concise"]) == CLEAN
        assert "at least 2 more with" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.py", b"x = 1\0\n", "a.py:1:1: NAN901 the file contains a null byte"),
        ("a.ipynb", b"x = 1\n", "a.ipynb:1:1: NAN901 not a notebook: "),
        ("a.ipynb", b'{"a": 1}\n', "a.ipynb:1:1: NAN901 not a notebook: it has no cells"),
    ],
)
def test_file_that_is_no_program_is_a_finding_whatever_it_names(
    here: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, found: str
) -> None:
    (here / name).write_bytes(content)
    assert main(["--no-cache", "--output-format", "concise"]) == FINDINGS
    assert capsys.readouterr().out.startswith(found)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.py", "x = (\n", "no numerical framework named, so not parsed"),
        ("a.ipynb", '{"cells": [%s]}' % (CELL % '"x = ("'), "no numerical framework named"),
        ("a.ipynb", '{"worksheets": []}', "a notebook in a format older than 4"),
        ("a.py", "import torch  # mllint-nan: skip-file\n", "the file asks to be skipped"),
    ],
)
def test_file_that_is_skipped_says_the_reason(
    here: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, reason: str
) -> None:
    (here / name).write_text(content)
    assert f"All checks passed; 1 file skipped: {reason}" in said(capsys)


def test_run_without_python_files_says_so_in_every_format(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for format in ("concise", "full", "json", "sarif", "junit"):
        assert main(["--output-format", format]) == CLEAN
        assert capsys.readouterr().err == "No Python files found below the given paths\n"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            "return torch.log(  # of the logits\n        torch.softmax(x, dim=-1))",
            "the code to be replaced contains",
        ),
        ("s = jnp.linalg.norm(x)\n    return jnp.where(s == 0, x, x + s)", "the program tests"),
    ],
)
def test_fix_says_why_it_is_only_shown(
    here: Path, capsys: pytest.CaptureFixture[str], code: str, reason: str
) -> None:
    (here / "a.py").write_text(f"import torch\nimport jax.numpy as jnp\n\ndef f(x):\n    {code}\n")
    main(["--no-cache", "--output-format", "full", "--min-confidence", "possible"])
    assert f"= by hand ({reason}" in capsys.readouterr().out


def test_full_keeps_to_the_width_of_the_terminal(here: Path) -> None:
    (here / "a.py").write_text(CERTAIN.replace("return ", "return 1234567890 * x.sum() * ") * 2)
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    terminal, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 48, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    environment |= {"PYTHONPATH": str(ROOT), "TERM": "xterm", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "mllint_nan", "--no-cache", "a.py"]
    done = subprocess.run(command, cwd=here, env=environment, stdout=end, check=False)
    os.close(end)
    printed = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert done.returncode == FINDINGS
    assert "= confidence: certain" in printed and "fixable with" in printed
    assert max(map(columns, printed.splitlines())) <= 48
