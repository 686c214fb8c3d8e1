"""What is executed in a process of its own starts alone: nothing else of the package is there."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from mllint_nan.verify import execution

FOLDER = Path(execution.__file__).parent
MODULES = sorted(FOLDER.glob("*.py"))
STARTED = """\
import runpy, sys
runpy.run_path({path!r})["stand_for_folders_above"]()
import mllint_nan.verify.execution.process
print(*sorted(name for name in sys.modules if name.partition(".")[0] == "mllint_nan"))
print(*sorted({{name.partition(".")[0] for name in sys.modules}} - sys.stdlib_module_names))
"""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_nothing_else_of_the_package_is_imported(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_bytes())):
        modules = []
        if isinstance(node, ast.Import):
            modules = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [str(node.module)]
        for module in modules:
            is_own = module.startswith("mllint_nan.verify.execution.")
            assert is_own or module.partition(".")[0] in sys.stdlib_module_names, module


def test_packages_above_stand_for_their_folders(tmp_path: Path) -> None:
    """In an isolated interpreter, whose path has neither the package nor the current folder."""
    (tmp_path / "mllint_nan.py").write_text("raise SystemExit('the wrong one')\n")
    code = STARTED.format(path=str(FOLDER / "__main__.py"))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    own, others = done.stdout.splitlines()
    parts = {f"mllint_nan.verify.execution.{path.stem}" for path in MODULES if path.stem[0] != "_"}
    packages = {"mllint_nan", "mllint_nan.verify", "mllint_nan.verify.execution"}
    assert set(own.split()) == parts | packages
    assert others.split() == ["__main__", "mllint_nan"] or others.split() == ["mllint_nan"]
