"""A file is judged by what the project does with it, and not by the folder that it stands in.

Every fixture and every case, as a file of its own, as a module of a package below `src`, and as
one that a program beside it trains through. What only a name speaks against is surer there.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Final

import pytest

from mllint_nan.findings import Confidence, Finding
from mllint_nan.fixing.repair import Repairer
from mllint_nan.linter import analysis
from mllint_nan.project import Request, check_file
from mllint_nan.reporting.trace import explained
from mllint_nan.settings import Settings
from mllint_nan.syntax import lower, lower_ast, source
from mllint_nan.tracing import explained_row
from tests.fixture_files import ROOT, FixtureFile, fixture_files

FILES = [*fixture_files(), *map(FixtureFile, sorted((ROOT / "cases").glob("*/*.py")))]
BY_FOLDER: dict[str, list[FixtureFile]] = {}
for each in FILES:
    BY_FOLDER.setdefault(each.rule, []).append(each)
REQUEST = Request(Settings())
Verdicts = Counter[tuple[str, int, Confidence]]


@pytest.fixture(autouse=True)
def no_fix_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it stands changes no fix, and most of the time goes into fixes."""
    monkeypatch.setattr(Repairer, "chosen", lambda *_: None)
    monkeypatch.setattr(Repairer, "is_safe", lambda *_: True)


@pytest.fixture(autouse=True)
def a_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What its tree and its program are is told by the text alone, wherever it stands."""
    for module, name in (
        (source, "Source"),
        (lower, "lower_module"),
        (analysis, "tree_of_own"),
        (lower_ast, "lower_module"),
    ):
        monkeypatch.setattr(module, name, lru_cache(1)(getattr(module, name)))


@pytest.mark.slow
@pytest.mark.parametrize("folder", BY_FOLDER)
def test_verdicts_do_not_depend_on_the_folder(
    folder: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for file in BY_FOLDER[folder]:
        with subtests.test(str(file)):
            is_judged_alike(file, tmp_path / file.stem)


UNTRAINED: Final = (
    "suggests that nothing is trained through it",
    "gradient_flows(x): unknown",
    'attains_zero(s, m, "selection"): unknown',
)
"""What `--explain-at` shows where training in sight is evidence: a name, a step in JAX beside which
something is computed, a selection by each example's own score."""


def is_judged_alike(file: FixtureFile, place: Path) -> None:
    alone = place / "alone" / "module.py"
    placed = place / "project" / "src" / "pkg" / "module.py"
    for path in (alone, placed):
        path.parent.mkdir(parents=True)
        path.write_bytes(file.data)
    (place / "project" / "pyproject.toml").touch()
    placed.with_name("__init__.py").touch()
    with pytest.MonkeyPatch.context() as patch:
        if b"# expect: " in file.data:  # nothing but time is lost without the look whether it is so
            patch.setattr(analysis, "without_findings", lambda *_: None)
        expected = verdicts(alone)
        assert verdicts(placed) == expected
        (place / "project" / "train.py").write_text(program_that_trains(file.data))
        trained = verdicts(placed)
        assert certain(trained) >= certain(expected)
        assert as_likely(trained) >= as_likely(expected)
        for _, row in (as_likely(trained) - as_likely(expected)).elements():
            shown = explained("", explained_row(file.data, str(alone), row, Settings()))
            assert any(reason in shown for reason in UNTRAINED), shown


def as_likely(found: Verdicts) -> Counter[tuple[str, int]]:
    """Without what training alone makes surer: that of a shape whose argument it moves."""
    return Counter((code, row) for code, row, _ in found.elements())


def certain(found: Verdicts) -> Verdicts:
    return Counter(one for one in found.elements() if one[2] is Confidence.CERTAIN)


def verdicts(path: Path) -> Verdicts:
    findings: tuple[Finding, ...] = check_file(str(path), REQUEST).findings
    return Counter((one.code, one.start.row, one.confidence) for one in findings)


def program_that_trains(module: bytes) -> str:
    """A script that minimizes the sum of all that the functions of a module give.

    And of what the methods of its plain classes do, of which nobody else makes an object.
    """
    try:
        body = ast.parse(module).body
    except SyntaxError:  # Python 2
        body = []
    called = [f"{one.name}{_batches(one)}" for one in body if isinstance(one, ast.FunctionDef)]
    for one in body:
        if isinstance(one, ast.ClassDef) and not one.bases:
            methods = [each for each in one.body if isinstance(each, ast.FunctionDef)]
            made = next((each for each in methods if each.name == "__init__"), None)
            called += [
                f"{one.name}{_batches(made, 1)}.{each.name}{_batches(each, 1)}"
                for each in methods
                if not each.name.startswith("_") and not each.decorator_list
            ]
    calls = [f"    loss = loss + module.{each}\n" for each in called]
    return (
        "from pkg import module\n\n\ndef train(batch, optimizer):\n    loss = 0.0\n"
        f"{''.join(calls)}    loss.backward()\n    optimizer.step()\n"
    )


def _batches(function: ast.FunctionDef | None, bound: int = 0) -> str:
    """The arguments of a call that gives a batch for each parameter without a default."""
    given = function.args if function is not None else None
    count = len(given.args) - len(given.defaults) - bound if given is not None else 0
    return f"({', '.join(['batch'] * count)})"
