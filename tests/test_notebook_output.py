"""Notebooks through the command: what is printed about them, and what is written."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mllint_nan.cli import CLEAN, ERROR, FINDINGS, main
from tests.reporting.test_documents import FORMATS, sarif
from tests.syntax.test_notebooks import BAD, GOOD, notebook

FIRST = "%matplotlib inline\nimport torch"
SECOND = f"y = 1\n{BAD}"
KNOW_CELLS = ("json", "json-lines")
"""Formats that give the cell and its line; all others give the line of the file."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.ipynb").write_text(notebook(FIRST, "#!markdown", SECOND))
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *options: str, code: int = FINDINGS) -> str:
    assert main(options) == code
    return capsys.readouterr().out


def line() -> int:
    """Where the finding is in the file."""
    rows = Path("a.ipynb").read_text().splitlines()
    return next(number for number, row in enumerate(rows, 1) if f'"{BAD}"' in row)


def test_people_read_the_cell(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys).startswith("a.ipynb:cell 3:2:8: NAN101 [*] log of a softmax")
    full = printed(capsys, "--output-format", "full")
    assert f"1 | y = 1\n2 | {BAD}\n  |        ^^^^^" in full
    assert f"    - {BAD}\n    + {GOOD}\n" in full


def test_json_has_the_cell(capsys: pytest.CaptureFixture[str]) -> None:
    (finding,) = json.loads(printed(capsys, "--output-format", "json"))
    assert (finding["cell"], finding["location"]) == (3, {"row": 2, "column": 8})
    (edit,) = finding["fix"]["edits"]
    assert (edit["cell"], edit["location"]) == (3, {"row": 2, "column": 8})


def test_sarif_has_the_line_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    (result,) = sarif(capsys)["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region["startLine"] == region["endLine"] == line()
    assert result["message"]["text"].startswith("cell 3, line 2: ")
    assert "fixes" not in result


@pytest.mark.parametrize("format", [each for each in FORMATS if each not in KNOW_CELLS])
def test_other_programs_get_the_line_of_the_file(
    capsys: pytest.CaptureFixture[str], format: str
) -> None:
    text = printed(capsys, "--output-format", format)
    assert "cell 3, line 2: log of a softmax" in text
    assert str(line()) in text


def test_diff_is_of_the_cell(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "--diff")
    assert text == (
        "--- a.ipynb:cell 3\n+++ a.ipynb:cell 3\n@@ -1,2 +1,2 @@\n y = 1\n"
        f"-{BAD}\n\\ No newline at end of file\n+{GOOD}\n\\ No newline at end of file\n"
    )


def test_fix_writes_the_notebook() -> None:
    before = Path("a.ipynb").read_bytes()
    assert main(["--fix"]) == CLEAN
    assert Path("a.ipynb").read_bytes() == before.replace(BAD.encode(), GOOD.encode())


def test_comments_and_baseline_work(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--write-baseline", "known.json"]) == CLEAN
    Path("a.ipynb").write_text(notebook(FIRST, "z = 2", SECOND))
    assert printed(capsys, "--baseline", "known.json", code=CLEAN) == ""
    assert main(["--add-noqa"]) == CLEAN
    silenced = Path("a.ipynb").read_text()
    assert silenced == notebook(FIRST, "z = 2", f"{SECOND}  # mllint-nan: ignore[NAN101]")


def test_standard_input_is_a_notebook_by_its_name(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Path("a.ipynb").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert main(["--fix", "-", "--stdin-filename", "b.ipynb"]) == CLEAN
    assert capsysbinary.readouterr().out == data.replace(BAD.encode(), GOOD.encode())


def test_broken_notebook_is_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.ipynb").write_text('{"cells": torch}')
    assert printed(capsys).startswith("a.ipynb:1:11: NAN901 not a notebook: Expecting value")


def test_row_of_a_notebook_is_one_of_a_cell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--explain-at", "a.ipynb:1"]) == ERROR
    assert "expects FILE:CELL:LINE for a notebook" in capsys.readouterr().err


def test_notebook_in_a_package_is_no_module_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("__init__.py").touch()
    source = "import torch\n\ndef distance(a, b):\n    return torch.sqrt(((a - b) ** 2).sum(-1))"
    document: Any = notebook(source)
    Path("a.ipynb").write_text(document)
    assert "NAN203" in printed(capsys)
