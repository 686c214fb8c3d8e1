"""Programs whose loss becomes NaN at known lines, to fit and measure the ranking.

Programs of `fixtures/suspects/programs` mark the line of the origin, which a run of each
confirms; those in `hard` have several other lines that look as bad, and some have several files.
In `cases/broken`, the origins are the lines named by annotations. Every third program is held
out: the weights are fitted to the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from mllint_nan.project_files import unchanging
from mllint_nan.settings import Settings
from mllint_nan.suspects.candidates import Suspect, suspects_of
from mllint_nan.suspects.program import entry_of, program_from

_ROOT: Final = Path(__file__).parents[2]
_PROGRAMS: Final = _ROOT / "fixtures" / "suspects" / "programs"
_CASES: Final = _ROOT / "cases" / "broken"
_MARKED: Final = re.compile(r"# origin$")
_EXPECTED: Final = re.compile(r"#.*\bexpect: NAN")
_ENTRY: Final = "train.py"
_HELD_OUT_EVERY: Final = 3
PLAIN, HARD, CASE = "plain", "hard", "case"


@dataclass(frozen=True, slots=True)
class Known:
    """A program for which the origin of its NaN is known."""

    entry: Path
    kind: str
    is_held_out: bool

    @property
    def name(self) -> str:
        return self.entry.parent.name if self.entry.name == _ENTRY else self.entry.stem


@lru_cache(1)
def known_programs() -> tuple[Known, ...]:
    """Return all programs, ordered by kind and name."""
    found = {
        PLAIN: sorted(_PROGRAMS.glob("*.py")),
        HARD: sorted([*_PROGRAMS.glob("hard/*.py"), *_PROGRAMS.glob(f"hard/*/{_ENTRY}")]),
        CASE: sorted(_CASES.glob("*.py")),
    }
    return tuple(
        Known(path, kind, number % _HELD_OUT_EVERY == 0)
        for kind, paths in found.items()
        for number, path in enumerate(paths)
    )


def origins_of(known: Known) -> frozenset[tuple[str, int]]:
    """Return the files and rows where the first non-finite number is made."""
    mark = _EXPECTED if known.kind == CASE else _MARKED
    files = program_from(entry_of(str(known.entry))).files
    return frozenset(
        (file, row)
        for file in files
        for row, line in enumerate(Path(file).read_text(encoding="utf-8").splitlines(), 1)
        if mark.search(line)
    )


@lru_cache(None)
def suspected(known: Known) -> tuple[tuple[Suspect, bool], ...]:
    """Return the suspects of a program, ranked, and whether each is at an origin."""
    origins = origins_of(known)
    with unchanging():
        ranked = suspects_of(program_from(entry_of(str(known.entry))), lambda _: Settings()).ranked
    return tuple((one, not origins.isdisjoint(_places(one))) for one in ranked)


def _places(one: Suspect) -> Iterator[tuple[str, int]]:
    return ((one.path, row) for row in (one.finding.start.row, *one.like))


def rank_of(known: Known) -> int | None:
    """Return the rank of the first suspect at an origin, from 1."""
    ranks = (rank for rank, (_, is_origin) in enumerate(suspected(known), 1) if is_origin)
    return next(ranks, None)


def share(programs: list[Known], most: int) -> float:
    """Return the share of programs whose origin is among the first `most` suspects."""
    with unchanging():
        ranks = [rank_of(one) for one in programs]
    return sum(rank is not None and rank <= most for rank in ranks) / len(ranks)
