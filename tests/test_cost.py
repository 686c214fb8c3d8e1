"""What a file costs grows with its length, also where much is found in it: no finding asks for a
look at the whole file. Calls are counted, which, unlike seconds, are the same on every machine."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from benchmarks.cost import EVERYTHING, written
from mllint_nan.linter import Linted, lint_bytes

pytestmark = pytest.mark.slow

LINES = 500
MORE_THAN_TWICE = 2.07
"""Times the calls for twice the lines: 2.11 to 2.29 where each finding looks at the whole file."""


def calls_of(data: bytes) -> int:
    """How often an analysis enters a function, or a generator goes on."""
    calls = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    outer = sys.getprofile()
    sys.setprofile(note)
    try:
        outcome = lint_bytes(data, "file.py", EVERYTHING)
    finally:
        sys.setprofile(outer)
    assert isinstance(outcome, Linted)
    return calls


@pytest.mark.parametrize("shape", ["functions", "class", "helper", "loops"])
def test_twice_the_lines_take_twice_the_calls(shape: str) -> None:
    calls_of(written(shape, 100))  # what is read once is read here
    short, long = (calls_of(written(shape, lines)) for lines in (LINES, 2 * LINES))
    assert long < MORE_THAN_TWICE * short, long / short
