"""What is not analysed has nothing to report: neither what is skipped, nor what takes too much."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path

import pytest

from mllint_nan import linter, project
from mllint_nan.cache import Entry
from mllint_nan.findings import Confidence
from mllint_nan.frameworks.origins import BUILT_IN, modules
from mllint_nan.frameworks.registry import known_functions
from mllint_nan.linter import checking, selection
from mllint_nan.project import Request, check_bytes, check_cached, check_paths, placed
from mllint_nan.results import Linted, LintResult, Skipped, Unparsable
from mllint_nan.screening import needs_analysis
from mllint_nan.settings import Settings
from tests.of_each import of_each

ROOT = Path(__file__).resolve().parent.parent
CASES = sorted((ROOT / "cases").glob("*/*.py"))
FIXTURES = sorted((ROOT / "fixtures").glob("*/torch.py"))
BAD = b"import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def without_frameworks(data: bytes) -> bytes:
    """A program that names no framework: a word that does has an underscore in it."""
    words = "|".join(f"{name[:-1]}(?={name[-1]})" for name in sorted(modules()))
    return re.sub(words.encode(), rb"\g<0>_", data)


OTHERS = [
    path
    for path in sorted((ROOT / "mllint_nan").rglob("*.py"))
    if not needs_analysis(without_frameworks(path.read_bytes()))
]


def in_full(data: bytes, filename: str, settings: Settings) -> LintResult:
    """What an analysis says from which nothing is spared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checking, "needs_analysis", lambda *_: True)
        patch.setattr(selection, "is_silent", lambda *_: False)
        return linter.lint_bytes(data, filename, settings)


def findings(outcome: LintResult) -> tuple[object, ...]:
    match outcome:
        case Linted(found):
            return found
        case Unparsable(finding):
            return (finding,)
        case _:
            return ()


@pytest.mark.slow
@of_each(CASES + FIXTURES, named)
def test_tests_are_silent_at_the_default_confidence(path: Path) -> None:
    data, filename = path.read_bytes(), "tests/test_it.py"
    spared = linter.lint_bytes(data, filename, Settings())
    assert findings(spared) == findings(in_full(data, filename, Settings()))


def test_tests_speak_of_what_is_possible() -> None:
    settings = Settings(min_confidence=Confidence.POSSIBLE)
    assert findings(linter.lint_bytes(BAD, "tests/test_it.py", settings))


@pytest.mark.parametrize("source", [b"x = (\n", b"x = 1  # noqa: NAN101\nimport torch\n"])
def test_tests_are_read_nevertheless(source: bytes) -> None:
    data = b"import torch\n" + source
    assert len(findings(linter.lint_bytes(data, "tests/test_it.py", Settings()))) == 1


@pytest.mark.parametrize("path", OTHERS[::4], ids=named)
def test_skipped_file_has_nothing_to_report(path: Path) -> None:
    data = without_frameworks(path.read_bytes())
    settings = Settings(min_confidence=Confidence.POSSIBLE)
    assert isinstance(linter.lint_bytes(data, str(path), settings), Skipped)
    assert findings(in_full(data, str(path), settings)) == ()


def test_every_spelling_is_found_below_a_module_that_is_looked_for() -> None:
    roots = {name.partition(".")[0] for name in known_functions()}
    passing_arrays_on = {"sklearn"}
    assert roots - modules() == {BUILT_IN} | passing_arrays_on


def test_module_that_only_passes_a_framework_on_is_looked_for() -> None:
    data = b"from flax import linen\n\ndef f(x):\n    return linen.log_softmax(x)\n"
    assert not isinstance(linter.lint_bytes(data, "a.py", Settings()), Skipped)


def test_functions_of_the_user_are_looked_for() -> None:
    data = b"from mine import ln, soft\n\ndef loss(x):\n    return ln(soft(x))\n"
    own = Settings(operations=(("mine.ln", "log"), ("mine.soft", "softmax")))
    assert isinstance(linter.lint_bytes(data, "a.py", Settings()), Skipped)
    assert findings(linter.lint_bytes(data, "a.py", own)) == findings(in_full(data, "a.py", own))
    assert not isinstance(linter.lint_bytes(data, "a.py", own), Skipped)


@pytest.mark.parametrize("jobs", [1, 2])
def test_order_of_files_changes_nothing(jobs: int) -> None:
    files = [str(path) for path in CASES[:10]]
    request = Request(Settings(), roots=(str(ROOT / "cases"),))
    forth = list(check_paths(files, request, jobs))
    back = list(check_paths(files[::-1], request, jobs))
    assert [one.path for one in forth] == files
    assert forth == back[::-1]


def test_file_that_takes_too_long_is_skipped_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forever(*_: object) -> LintResult:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with contextlib.suppress(Exception):
                sum(range(1000))
        return Linted(())

    monkeypatch.setattr(linter, "lint_bytes", forever)
    monkeypatch.setattr(project, "_SECONDS_MOST", 0.05)
    (tmp_path / "entries").mkdir()
    request = Request(Settings(), cache=str(tmp_path))
    checked = check_cached(BAD, "a.py", request)
    assert checked.outcome == Skipped("took more than 0.05 seconds", is_final=False)
    assert Entry.of(str(tmp_path), BAD, "a.py", Settings()).read() is None


def test_file_that_is_too_large_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "LONGEST", 20)
    checked = check_bytes(BAD, "a.py", Request(Settings()))
    assert checked.outcome == Skipped("more than 20 characters")


@pytest.mark.slow
def test_file_of_100_000_lines_is_analysed() -> None:
    data = b"import torch\n" + b"x = 1\n" * 50_000 + b"\n" * 50_000 + BAD
    checked = check_bytes(data, "a.py", Request(placed(Settings(), "a.py")))
    assert [one.code for one in checked.findings] == ["NAN101"]
