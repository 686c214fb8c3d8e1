"""The rulebook asks few questions, and each part of the package can be read at once."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import mllint_nan
from mllint_nan.rulebook.predicates import PREDICATES

PACKAGE: Final = Path(mllint_nan.__file__).parent
OF_PREDICATES: Final = sorted((PACKAGE / "rulebook" / "predicates").glob("*.py"))


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_rules_ask_few_predicates() -> None:
    assert len(PREDICATES) <= 60


def test_functions_of_predicates_are_short() -> None:
    long = [
        f"{path.name}: {node.name}"
        for path in OF_PREDICATES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 40
    ]
    assert not long


def test_files_are_short() -> None:
    assert not [path.name for path in OF_PREDICATES if _lines(path) > 400]
    assert not [path.name for path in PACKAGE.rglob("*.py") if _lines(path) >= 500]
