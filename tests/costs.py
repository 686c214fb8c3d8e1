"""Measures what tests cost, in seconds of a processor, with all processes that they start.

`python -m pytest -n 0 -p tests.costs tests/test_cli.py` writes what was run into `costs.tsv`, of
which the rest stays as it is. Whole files: what is not run is not counted. It needs `/proc`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.distribution import TABLE, Place, measured_costs, place_of, table

_spent: Counter[Place] = Counter()
_counts: Counter[Place] = Counter()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    place, before = place_of(item), seconds_of(os.getpid(), _processes())
    try:
        return (yield)
    finally:
        # What nobody waited for, as for a browser's processes, is gone where they end.
        _spent[place] += max(0.0, seconds_of(os.getpid(), _processes()) - before)
        _counts[place] += 1


def pytest_sessionfinish() -> None:
    TABLE.write_text(table({**measured_costs(), **_spent}, _counts), encoding="utf-8")


def seconds_of(process: int, processes: Mapping[int, tuple[int, float]]) -> float:
    """Of a process and all that it started, of processes with their parents.

    >>> seconds_of(2, {1: (0, 8.0), 2: (1, 4.0), 3: (2, 2.0), 4: (3, 1.0)})
    7.0
    """
    children = [child for child, (parent, _) in processes.items() if parent == process]
    return processes[process][1] + sum(seconds_of(child, processes) for child in children)


def _processes() -> dict[int, tuple[int, float]]:
    """The parent of each, and what it took, with what its finished children took."""
    found, ticks = {}, os.sysconf("SC_CLK_TCK")
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:  # it has just ended
            continue
        fields = told.rpartition(") ")[2].split()
        found[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:15])) / ticks
    return found
