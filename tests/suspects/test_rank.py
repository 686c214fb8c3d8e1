"""Programs whose loss becomes NaN for a reason that is known: where it stands in the list."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest

from benchmarks.suspects.corpus import (
    CASE,
    HARD,
    Known,
    known_programs,
    origins_of,
    share,
    suspected,
)
from mllint_nan.suspects.program import entry_of, program_from
from mllint_nan.suspects.running import run
from tests.preloaded import python_for

KNOWN: Final = known_programs()
PROGRAMS: Final = [one for one in KNOWN if one.kind != CASE]
OF_SESSIONS: Final = "compat.v1"
"""Names what builds a graph first: a session runs its operations in no order of their own."""


def _command(known: Known) -> list[str]:
    files = program_from(entry_of(str(known.entry))).files
    return [python_for(*map(Path, files)), str(known.entry)]


@pytest.mark.slow
@pytest.mark.parametrize("known", PROGRAMS, ids=lambda known: known.name)
def test_the_loss_of_each_program_becomes_nan(known: Known) -> None:
    command = _command(known)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-2:] == ["loss", "nan"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "known",
    [
        one
        for one in PROGRAMS
        if one.kind == HARD and OF_SESSIONS not in one.entry.read_text(encoding="utf-8")
    ],
    ids=lambda known: known.name,
)
def test_a_run_confirms_the_origin(known: Known) -> None:
    ranked = [one for one, _ in suspected(known)]
    origin = run(ranked, _command(known), is_quiet=True).origin
    assert origin is not None
    seen = origin.suspect
    assert (seen.path, seen.finding.start.row) in origins_of(known)


def test_there_are_enough_programs_to_measure_by() -> None:
    assert len(PROGRAMS) >= 40
    assert len([one for one in PROGRAMS if one.kind == HARD]) >= 20
    assert all(origins_of(one) for one in PROGRAMS)


@pytest.mark.slow
@pytest.mark.parametrize(("most", "least"), [(1, 0.6), (3, 0.85), (10, 0.98)])
def test_the_origin_is_among_the_first(most: int, least: float) -> None:
    assert share(PROGRAMS, most) >= least


@pytest.mark.slow
@pytest.mark.parametrize(("most", "least"), [(1, 0.5), (3, 0.85), (10, 0.98)])
def test_it_is_where_much_else_looks_as_bad(most: int, least: float) -> None:
    assert share([one for one in PROGRAMS if one.kind == HARD], most) >= least


@pytest.mark.slow
@pytest.mark.parametrize(("most", "least"), [(1, 0.6), (3, 0.85), (10, 0.98)])
def test_it_is_in_programs_that_the_weights_were_not_fitted_to(most: int, least: float) -> None:
    assert share([one for one in PROGRAMS if one.is_held_out], most) >= least


@pytest.mark.slow
@pytest.mark.parametrize(("most", "least"), [(1, 0.6), (3, 0.85), (10, 0.98)])
def test_the_origin_is_among_the_first_of_all(most: int, least: float) -> None:
    assert share(list(KNOWN), most) >= least
