"""Programs whose loss becomes NaN for a reason that is known: where it stands in the list."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Final

import pytest

from mllint_nan.settings import Settings
from mllint_nan.suspects.candidates import suspects_of
from mllint_nan.suspects.program import entry_of, program_from
from tests.fixture_files import ROOT

_ORIGIN: Final = re.compile(r"# origin$")
PROGRAMS: Final = sorted((ROOT / "fixtures" / "suspects" / "programs").glob("*.py"))
CASES: Final = sorted((ROOT / "cases" / "broken").glob("*.py"))
_EXPECTED: Final = re.compile(r"#.*\bexpect: NAN")


@lru_cache(None)
def _rank(path: Path, mark: re.Pattern[str]) -> int | None:
    """The place of the first suspect that stands on an origin, from 1 on."""
    rows = {
        row
        for row, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if mark.search(line)
    }
    ranked = suspects_of(program_from(entry_of(str(path))), lambda _: Settings()).ranked
    for rank, one in enumerate(ranked, 1):
        if rows & {one.finding.start.row, *one.like}:
            return rank
    return None


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_loss_of_each_program_becomes_nan(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-2:] == ["loss", "nan"]


def _share(paths: list[Path], mark: re.Pattern[str], most: int) -> float:
    ranks = [_rank(path, mark) for path in paths]
    return sum(rank is not None and rank <= most for rank in ranks) / len(ranks)


@pytest.mark.parametrize(("most", "share"), [(1, 0.6), (3, 0.85), (10, 0.98)])
def test_the_origin_is_among_the_first(most: int, share: float) -> None:
    assert _share(PROGRAMS, _ORIGIN, most) >= share


@pytest.mark.slow
@pytest.mark.parametrize(("most", "share"), [(1, 0.6), (3, 0.85), (10, 0.98)])
def test_the_origin_is_among_the_first_in_the_cases(most: int, share: float) -> None:
    assert _share(CASES, _EXPECTED, most) >= share
