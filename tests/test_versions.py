"""What the package is written in is understood by the oldest Python that it claims."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import tomli

from tests.conftest import ROOT

PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OLDEST = (3, 10)
FILES = sorted((ROOT / "mllint_nan").rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_oldest_python_reads_it(path: Path) -> None:
    ast.parse(path.read_bytes(), feature_version=OLDEST)


def test_oldest_python_is_the_same_everywhere() -> None:
    version = ".".join(map(str, OLDEST))
    assert PROJECT["project"]["requires-python"] == f">={version}"
    # Which names of the standard library it has is what mypy judges.
    assert PROJECT["tool"]["mypy"]["python_version"] == version
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{OLDEST[0]}{OLDEST[1]}"
    listed = [name.rpartition(":: ")[2] for name in PROJECT["project"]["classifiers"]]
    assert version in listed and "3.14" in listed
