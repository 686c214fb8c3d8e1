"""A pytest plugin that records the outcome of each test, and the functions that it calls.

It is imported by the interpreter that runs the tests, without the rest of this project. JSON
lines are written as tests end, so that a run that is stopped from outside leaves its results.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, Final

import pytest

BELOW: Final = "UPSTREAM_BELOW"
"""The directory whose functions are recorded."""
LINES: Final = "UPSTREAM_LINES"
"""The file that is written."""
ONLY: Final = "UPSTREAM_ONLY"
"""A file with the tests to run, one a line; without it, all are run."""
SECONDS: Final = "UPSTREAM_SECONDS"
"""The time limit of one test."""
FIRST: Final = "UPSTREAM_FIRST"
"""Statements that are executed before a test file is imported."""
CALLS: Final = "UPSTREAM_CALLS"
"""Whether calls are recorded, which takes time."""

_ERROR_LONGEST: Final = 600


class TooLong(Exception):
    """The time limit of one test is exceeded."""


class Recorder:
    """Records outcomes, and the code that was entered since the last test ended."""

    def __init__(self) -> None:
        self._lines = open(os.environ[LINES], "a", encoding="utf-8")  # noqa: SIM115
        self._below = os.environ[BELOW] + os.sep
        self._seconds = float(os.environ[SECONDS])
        self._has_calls = bool(os.environ.get(CALLS))
        self._entered: set[CodeType] = set()
        self._numbers: dict[str, int] = {}
        self._reports: list[pytest.TestReport] = []
        if self._has_calls:
            self._trace()

    def _write(self, **entry: Any) -> None:
        self._lines.write(json.dumps(entry) + "\n")
        self._lines.flush()

    def _trace(self) -> None:
        sys.settrace(self._enter)
        threading.settrace(self._enter)

    def _enter(self, frame: FrameType, event: str, argument: object) -> None:
        self._entered.add(frame.f_code)

    def _calls(self) -> list[int]:
        """Return the numbers of functions entered since the last call; new ones are written."""
        found = set()
        for code in self._entered:
            if code.co_filename.startswith(self._below):
                path = code.co_filename[len(self._below) :].replace(os.sep, "/")
                found.add(f"{path}:{code.co_firstlineno}")
        self._entered.clear()
        for function in sorted(found):
            if function not in self._numbers:
                self._numbers[function] = len(self._numbers)
                self._write(function=function)
        return sorted(self._numbers[function] for function in found)

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        if os.environ.get(ONLY):
            with open(os.environ[ONLY], encoding="utf-8") as file:
                wanted = set(file.read().split("\n"))
            left_out = [item for item in items if item.nodeid not in wanted]
            items[:] = [item for item in items if item.nodeid in wanted]
            config.hook.pytest_deselected(items=left_out)
        flags = sys.modules.get("absl.flags")
        if flags is not None:
            flags.FLAGS.mark_as_parsed()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write(uncollected=report.nodeid, error=str(report.longrepr)[-_ERROR_LONGEST:])

    def pytest_runtestloop(self) -> None:
        if self._has_calls:
            self._write(imported=self._calls())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._write(begun=item.nodeid)
        self._reports.clear()
        if self._has_calls:
            self._trace()
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            calls = {"calls": self._calls()} if self._has_calls else {}
            self._write(test=item.nodeid, **_outcome(self._reports), **calls)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        _seed()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        _seed()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports.append(report)


def _stop(*_: object) -> None:
    raise TooLong("the time of this test is over")


def _seed() -> None:
    """Give a test the same random numbers, whichever tests run before it."""
    random.seed(0)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(0)
    if (torch := sys.modules.get("torch")) is not None:
        torch.manual_seed(0)


def _outcome(reports: list[pytest.TestReport]) -> dict[str, Any]:
    failed = next((report for report in reports if report.failed), None)
    seconds = round(sum(report.duration for report in reports), 3)
    if failed is not None:
        crash = getattr(failed.longrepr, "reprcrash", None)
        message = crash.message if crash is not None else str(failed.longrepr)
        error = message[:_ERROR_LONGEST]
        return {"outcome": "failed", "seconds": seconds, "error": error, "rows": _rows(failed)}
    if any(report.skipped for report in reports):
        return {"outcome": "skipped", "seconds": seconds}
    return {"outcome": "passed", "seconds": seconds}


def _rows(report: pytest.TestReport) -> list[str]:
    """Return where the exception passed, the innermost place first, as pytest shows paths."""
    traceback = getattr(report.longrepr, "reprtraceback", None)
    places = [entry.reprfileloc for entry in getattr(traceback, "reprentries", ())]
    return [f"{one.path}:{one.lineno}" for one in reversed(places) if one is not None]


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get(LINES):
        exec(os.environ[FIRST], {})
        config.pluginmanager.register(Recorder(), "upstream-recorder")
