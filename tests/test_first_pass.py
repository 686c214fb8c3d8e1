"""CPython's tree decides whether LibCST's is needed, so the same must be found by both."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Prepared, Settings, analysis, lint_text
from mllint_nan.linter.analysis import without_findings
from mllint_nan.linter.checking import analysed
from mllint_nan.linter.evaluation import evaluated, judge_of
from mllint_nan.linter.selection import selected_codes
from mllint_nan.project import placed
from mllint_nan.project_files import unchanging
from mllint_nan.rulebook.judge import Judge
from mllint_nan.syntax import lower_ast
from mllint_nan.syntax.decoding import decode
from tests.fixture_files import FIXTURES, ROOT, FixtureFile, fixture_files

PROJECTS = FIXTURES / "projects"
LEVELS = (Confidence.LIKELY, Confidence.POSSIBLE)
FILES = [
    *fixture_files(),
    *(FixtureFile(path) for path in sorted((ROOT / "cases").glob("*/*.py"))),
    *(FixtureFile(path) for path in sorted(PROJECTS.rglob("*.py"))),
]
HAZARD = "import torch\ny = torch.log(torch.softmax(x, dim=0))\n"
POSSIBLE = "import torch\n\n\ndef f(x):\n    return torch.log(x)\n"


def settings_for(path: Path, confidence: Confidence) -> Settings:
    settings = Settings(min_confidence=confidence)
    if not path.is_relative_to(PROJECTS):
        return settings
    root = PROJECTS / path.relative_to(PROJECTS).parts[0]
    return placed(settings, str(path), (str(root),))


def name_of(file: FixtureFile) -> str:
    """Where it is not for its neighbours, the same in a checkout below a folder `tests`."""
    return str(file.path) if file.path.is_relative_to(PROJECTS) else file.filename


def told(judge: Judge) -> Iterator[object]:
    for verdict in judge.verdicts():
        yield verdict.rule.code, verdict.case, verdict.framework, verdict.confidence
        yield verdict.occurrence.term.key, verdict.reported.key
    yield list(judge.silenced.items())


@dataclass(frozen=True)
class BothPasses:
    """One file by both trees, each of which is made and judged once for all levels."""

    file: FixtureFile

    @cached_property
    def text(self) -> str:
        return decode(self.file.data).text

    @cached_property
    def settings(self) -> Settings:
        return settings_for(self.file.path, Confidence.POSSIBLE)

    @cached_property
    def first(self) -> Judge:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(self.text)
        return judge_of(lower_ast.lower_module(tree), name_of(self.file), self.settings)

    @cached_property
    def full(self) -> Prepared:
        return evaluated(self.text, name_of(self.file), self.settings)

    def are_judged_alike(self) -> None:
        assert list(told(self.first)) == list(told(self.full.judge))

    def give_the_same(self, confidence: Confidence) -> None:
        settings = replace(self.settings, min_confidence=confidence)
        selected = selected_codes(settings)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(analysis, "judge_of", lambda *_: self.first)
            patch.setattr(analysis, "evaluated", lambda *_: self.full)
            first = without_findings(self.text, name_of(self.file), selected, settings)
            if first is not None:
                patch.setattr(analysis, "without_findings", lambda *_: None)
                assert analysed(self.text, name_of(self.file), settings) == first


@pytest.mark.slow
@unchanging()
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.relative_to(ROOT).as_posix())
def test_both_trees_tell_the_same(file: FixtureFile, subtests: pytest.Subtests) -> None:
    passes = BothPasses(file)
    with subtests.test("both are judged alike"):
        passes.are_judged_alike()
    for confidence in LEVELS:
        with subtests.test(f"the first pass at {confidence.name.lower()}"):
            passes.give_the_same(confidence)


@pytest.fixture
def libcst_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("LibCST was asked")

    monkeypatch.setattr("mllint_nan.linter.analysis.evaluated", read)


@pytest.mark.usefixtures("libcst_is_missing")
@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (POSSIBLE, Settings()),
        (POSSIBLE + "z = 1  # noqa: NAN999\n", Settings(ignore=("NAN902",))),
        (HAZARD, Settings(ignore=("NAN101",))),
        (HAZARD, Settings(select=("NAN2",))),
    ],
)
def test_text_without_findings_is_read_once(text: str, settings: Settings) -> None:
    outcome = lint_text(text, "m.py", settings)
    assert isinstance(outcome, Linted)
    assert not outcome.findings


@pytest.mark.usefixtures("libcst_is_missing")
@pytest.mark.parametrize(
    "text",
    [
        HAZARD,
        HAZARD.replace("\n", "  # noqa: NAN101\n"),
        POSSIBLE + "z = 1  # mllint-nan: ignore[NAN101]\n",
        POSSIBLE + "def f(:\n",
    ],
)
def test_other_texts_are_read_with_their_places(text: str) -> None:
    with pytest.raises(AssertionError, match="LibCST was asked"):
        lint_text(text, "m.py", Settings())


@pytest.mark.parametrize(
    ("given", "are_asked"), [("x", [False, True]), ("torch.relu(x)", [False, False])]
)
def test_calls_that_told_nothing_are_not_asked_again(
    given: str, are_asked: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HAZARD + "\n\ndef g(y):\n    z = y + 1\n    return torch.log(y)\n"
    text += f"\n\ndef h(x):\n    return g({given})\n"
    idle: list[bool] = []
    judged = analysis.judge_of

    def noted(*given: object) -> Judge:
        idle.append(given[-1] is True)
        return judged(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(analysis, "judge_of", noted)
    monkeypatch.setattr("mllint_nan.linter.evaluation.judge_of", noted)
    outcome = lint_text(text, "m.py", Settings())
    assert isinstance(outcome, Linted)
    assert idle[:2] == are_asked


def test_warnings_of_the_parser_are_not_shown(recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("always")
    lint_text(POSSIBLE + "'\\q'\n1 is 1\n", "m.py", Settings())
    assert not recwarn.list
