"""What the package is written in is understood by the oldest Python that it claims."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

from tests.conftest import ROOT
from tests.of_each import of_each

PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OLDEST = (3, 10)
FILES = sorted((ROOT / "mllint_nan").rglob("*.py"))


@of_each(FILES, lambda path: path.relative_to(ROOT).as_posix())
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


@pytest.mark.slow
def test_no_text_is_read_or_written_in_the_encoding_of_the_system(tmp_path: Path) -> None:
    """On Windows that is not UTF-8; Python warns wherever it is asked for in silence."""
    (tmp_path / "train.py").write_text(
        "import torch\n\nπ = 3\ny = torch.log(torch.softmax(x, dim=-1))\n", encoding="utf-8"
    )
    (tmp_path / "mllint-nan.toml").write_text('exclude = ["ä"]\n', encoding="utf-8")
    (tmp_path / ".gitignore").write_text("ä/\n", encoding="utf-8")
    warned = ("-X", "warn_default_encoding", "-W", "error::EncodingWarning")
    for options in (
        ["--write-baseline", "known.json"],
        ["--baseline", "known.json", "--output-format", "sarif", "--output-file", "out.sarif"],
        ["--output-format", "full"],
        ["--explain-at", "train.py:4"],
        ["--add-noqa"],
        ["--fix", "--no-cache"],
        ["--list-rules"],
        ["--show-settings"],
    ):
        done = subprocess.run(
            [sys.executable, *warned, "-m", "mllint_nan", *options],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1), (options, done.stderr)
        assert "EncodingWarning" not in done.stderr
