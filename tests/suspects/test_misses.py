"""What no suspect has made: a second run says which line it was, and asks for an issue."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.cli import main
from tests.fixture_files import ROOT
from tests.preloaded import python_for

PROGRAMS = sorted((ROOT / "fixtures" / "suspects" / "misses").glob("*.py"))

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_miss_is_told_with_its_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = path.read_text(encoding="utf-8").splitlines()
    origin = next(row for row, line in enumerate(rows, 1) if line.endswith("# origin"))
    command = ["--suspects", "--run", "--output-format", "full", "--"]
    assert main([*command, python_for(path), str(path)]) == 1
    output = capsys.readouterr().out
    assert output.startswith("No suspect is the origin")
    assert f"{path.name}:{origin}:" in output
    is_of_data = "came in with the data" in output
    assert ("report it with these lines: https://" in output) is not is_of_data
    assert is_of_data is (path.stem == "torch_data")
