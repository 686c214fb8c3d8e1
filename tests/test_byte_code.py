"""Byte code is kept for the processes that tests start, and never beside sources against a wish."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import keep_byte_code


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where byte code is kept, of sources in another folder."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "imported.py").write_text("answer = 42\n")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    return tmp_path / "kept"


def kept_by_a_process(folder: Path) -> list[str]:
    """The modules whose byte code is there when one was imported."""
    sources = folder.parent / "sources"
    subprocess.run([sys.executable, "-c", "import imported"], cwd=sources, check=True)
    return [path.name.partition(".")[0] for path in folder.parent.rglob("imported*.pyc")]


def test_nothing_is_kept_where_none_is_wanted(folder: Path) -> None:
    assert kept_by_a_process(folder) == []


def test_byte_code_is_kept_away_from_the_sources(folder: Path) -> None:
    keep_byte_code(folder)
    assert sys.pycache_prefix == str(folder)
    assert not sys.dont_write_bytecode
    assert kept_by_a_process(folder) == ["imported"]
    assert os.listdir(folder.parent / "sources") == ["imported.py"]


def test_byte_code_beside_sources_stays_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    keep_byte_code(folder)
    assert sys.pycache_prefix is None
    assert kept_by_a_process(folder) == ["imported"]
    assert not folder.exists()
