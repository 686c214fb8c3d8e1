"""Projects of several files: each file of `fixtures/projects/*` is reported as it says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings
from mllint_nan.project import Request, check_file, check_paths
from tests.fixture_files import FIXTURES, Claim, FixtureFile, stated

PROJECTS = FIXTURES / "projects"
FILES = [FixtureFile(path) for path in sorted(PROJECTS.rglob("*.py"))]
EVERYTHING = Request(Settings(min_confidence=Confidence.POSSIBLE))


def request_for(path: Path) -> Request:
    """As if the whole project that the file is part of were linted."""
    return replace(EVERYTHING, roots=(str(PROJECTS / path.relative_to(PROJECTS).parts[0]),))


@pytest.mark.parametrize(
    "fixture", FILES, ids=lambda file: file.path.relative_to(PROJECTS).as_posix()
)
def test_findings_equal_the_annotations(fixture: FixtureFile) -> None:
    checked = check_file(str(fixture.path), request_for(fixture.path))
    expected = Counter(annotation.claim for annotation in fixture.annotations)
    assert Counter(map(Claim.of, stated(checked.findings))) == expected


def test_order_and_processes_change_nothing() -> None:
    paths = [str(fixture.path) for fixture in FILES if "functions" in fixture.path.parts]
    request = request_for(Path(paths[0]))
    forwards = list(check_paths(paths, request))
    backwards = list(check_paths(paths[::-1], request))
    assert forwards == backwards[::-1]
    assert forwards == list(check_paths(paths, request, jobs=2))
