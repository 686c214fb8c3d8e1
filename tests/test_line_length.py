"""The length of lines is that of the project, in whatever file it says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mllint_nan.cli import main
from mllint_nan.config.line_length import UNKNOWN, line_length_of

CODE = """import torch


def mean(values, chosen):
    selected = chosen > 0
    return values[selected].sum() / selected.sum()
"""
FIXED = CODE.replace("selected.sum()\n", "selected.sum().clamp(min=1)\n")


@pytest.mark.parametrize(
    ("name", "content", "length"),
    [
        ("ruff.toml", "line-length = 61\n", 61),
        (".ruff.toml", "line-length = 62\n", 62),
        ("ruff.toml", "[lint]\nselect = ['E']\n", 88),
        ("pyproject.toml", "[tool.ruff]\nline-length = 63\n", 63),
        ("pyproject.toml", "[tool.black]\nline-length = 64\n", 64),
        ("pyproject.toml", "[tool.black]\npreview = true\n", 88),
        ("pyproject.toml", "[tool.flake8]\nmax-line-length = 65\n", 65),
        ("pyproject.toml", "[tool.other]\nline-length = 65\n", UNKNOWN),
        ("setup.cfg", "[flake8]\nmax-line-length = 66\n", 66),
        ("setup.cfg", "[pycodestyle]\nmax_line_length = 67\n", 67),
        ("tox.ini", "[flake8]\nmax-line-length = 68\n", 68),
        (".flake8", "[flake8]\nignore = E1\nmax-line-length = 69\n", 69),
        (".flake8", "[flake8]\nignore = E1\n", UNKNOWN),
        ("pyproject.toml", "this is no TOML\n", UNKNOWN),
        ("setup.cfg", "this is no INI\n", UNKNOWN),
        (".flake8", "[flake8]\nmax-line-length = long\n", UNKNOWN),
    ],
)
def test_length_of_a_project(tmp_path: Path, name: str, content: str, length: int) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(content)
    folder = tmp_path / "package" / "deep"
    folder.mkdir(parents=True)
    assert line_length_of(str(folder / "a.py")) == length


def test_nearest_directory_decides(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 61\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "setup.cfg").write_text("[flake8]\nmax-line-length = 62\n")
    assert line_length_of(str(inner / "a.py")) == 62
    assert line_length_of(str(tmp_path / "a.py")) == 61


def test_extended_configuration_is_followed(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text("line-length = 61\n")
    (tmp_path / "ruff.toml").write_text('extend = "base.toml"\n')
    assert line_length_of(str(tmp_path / "a.py")) == 61
    (tmp_path / "base.toml").write_text('extend = "ruff.toml"\n')
    assert line_length_of(str(tmp_path / "a.py")) == 88


def test_changed_configuration_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 61\n")
    assert line_length_of(str(tmp_path / "a.py")) == 61
    (tmp_path / "ruff.toml").write_text("line-length = 120\n")
    assert line_length_of(str(tmp_path / "a.py")) == 120


@pytest.mark.slow
def test_fixed_file_is_as_its_formatter_leaves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.py"
    seen = set()
    for length in (50, 55, 60, 88):
        (tmp_path / "pyproject.toml").write_text(f"[tool.ruff]\nline-length = {length}\n")
        path.write_text(CODE)
        assert main([str(path), "--fix", "--no-cache"]) == 0
        text = path.read_text()
        seen.add(text)
        command = [sys.executable, "-m", "ruff", "format", "--no-cache", "-"]
        formatted = subprocess.run(command, input=FIXED, capture_output=True, text=True, check=True)
        assert text == formatted.stdout
        for values, chosen in (([1.0, 2.0], [0, 1]), ([3.0, 4.0], [2, 2])):
            results = []
            for code in (CODE, text):
                names: dict[str, Any] = {}
                exec(code, names)
                results.append(names["mean"](torch.tensor(values), torch.tensor(chosen)))
            torch.testing.assert_close(*results, rtol=0, atol=0)
    assert len(seen) > 2


def test_file_that_nothing_says_anything_of_keeps_its_own_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    path = tmp_path / "a.py"
    long = CODE.replace("selected", "selected_entries_of_them")
    path.write_text(long)
    assert main([str(path), "--fix", "--no-cache"]) == 0
    rows = path.read_text().splitlines()
    assert max(map(len, rows)) <= 88 and len(rows) > len(long.splitlines())
    commented = f"# {'-' * 120}\n{long}"
    path.write_text(commented)
    assert main([str(path), "--fix", "--no-cache"]) == 0
    assert path.read_text() == f"# {'-' * 120}\n" + "\n".join(rows) + "\n"
    wide = f"names = '{'-' * 120}'\n" * 3 + long
    path.write_text(wide)
    assert main([str(path), "--fix", "--no-cache"]) == 0
    assert path.read_text() == wide.replace("them.sum()\n", "them.sum().clamp(min=1)\n")
