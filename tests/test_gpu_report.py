"""The report is written where one framework alone is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow

ALONE = """
import sys

for name in {absent!r}:
    sys.modules[name] = None

from tests.gpu_report import main
sys.exit(main(sys.argv[1:]))
"""
FRAMEWORKS = ("torch", "tensorflow", "keras", "jax")


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_one_framework_is_enough(framework: str, tmp_path: Path) -> None:
    absent = [name for name in FRAMEWORKS if name != framework]
    page = tmp_path / "docs" / "verification.md"
    options = ["--device", "cpu", "--rule", "sqrt-at-zero", "--density", "coarse"]
    options += [
        "--formats",
        "float32",
        "--modes",
        "eager,compiled" if framework == "jax" else "eager",
    ]
    environment = {key: value for key, value in os.environ.items() if "MLLINT" not in key}
    done = subprocess.run(
        [sys.executable, "-c", ALONE.format(absent=absent), *options, "--output", str(page)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = page.read_text(encoding="utf-8")
    assert "made on the CPU, without a GPU" in text
    assert f"| sqrt-at-zero | NAN203 | {framework} | float32 |" in text
    assert (
        f"| sqrt-at-zero | NAN203 | {framework} | float32 |" in text.partition("## Unsafe fixes")[2]
    )
    assert "## Not as claimed\n\nNothing." in text
    assert "| tensorflow |" not in text
