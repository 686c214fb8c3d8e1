from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from mllint_nan.reporting.progress import Tally, shown
from tests.conftest import ROOT


def test_line_appears_late_and_is_gone_whenever_something_else_is_printed() -> None:
    stream = io.StringIO()
    seconds = count(0.0, 0.2)
    for item in shown("abcdefgh", 8, stream, lambda: next(seconds)):
        stream.write(f"<{item}>")
    text = stream.getvalue()
    assert text.startswith("<a><b><c><d>")
    lines = text.split("\r\033[K")
    assert "Checked 5 of 8 files" in lines
    assert text.endswith("<h>")
    assert not [line for line in lines if "Checked" in line and "<" in line]


def test_abandoned_run_leaves_no_line() -> None:
    stream = io.StringIO()
    seconds = count(0.0, 10.0)
    items = shown("abc", 3, stream, lambda: next(seconds))
    assert [next(items), next(items)] == ["a", "b"]
    items.close()  # type: ignore[attr-defined]
    assert stream.getvalue() == "\r\033[KChecked 1 of 3 files\r\033[K"


def test_tally_of_fixes_is_gone_whenever_something_else_is_printed() -> None:
    stream = io.StringIO()
    seconds = count(0.0, 0.6)
    tally = Tally(stream, lambda: next(seconds))

    def files() -> Iterator[str]:
        for name in "ab":
            tally.count()
            tally.count()
            yield name

    for name in tally.between(files()):
        stream.write(f"<{name}>")
    erase = "\r\033[K"
    assert stream.getvalue() == (
        f"{erase}Executed 2 fixes{erase}<a>{erase}Executed 3 fixes{erase}Executed 4 fixes{erase}<b>"
    )


def test_short_run_on_a_terminal_shows_none(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n")
    terminal, end = os.openpty()
    command = [sys.executable, "-m", "mllint_nan", "a.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=end, check=False
    )
    os.close(end)
    said = os.read(terminal, 4096)
    os.close(terminal)
    assert done.returncode == 0
    assert said == b"All checks passed in 1 file\r\n"
