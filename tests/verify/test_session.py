"""The child is stopped by the system when it takes more than it was granted, and another starts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from mllint_nan.verify.failures import Stopped
from mllint_nan.verify.session import Limits, Session

pytestmark = pytest.mark.skipif(
    sys.platform == "win32",
    reason="setrlimit is POSIX's: on Windows nothing but the parent's clock ends a child",
)
VARIABLE = {
    "name": "x",
    "lo": -1.0,
    "hi": 1.0,
    "is_integer": False,
    "is_boolean": False,
    "is_differentiable": True,
}


@pytest.fixture
def session() -> Iterator[Session]:
    running = Session(Limits(processor=1.0, memory=256 << 20))
    yield running
    running.close()


def request_of(expression: str) -> dict[str, Any]:
    return {
        "imports": [],
        "before": expression,
        "after": expression,
        "exact": expression,
        "rough": None,
        "shrunk": None,
        "precise": None,
        "variables": [VARIABLE],
        "dtype": "float64",
        "offset": 0.0,
        "constants": [],
        "hazard": "value",
        "is_safe": True,
        "has_axis": False,
        "slack": 0.0,
    }


def test_processor_time_is_limited(session: Session) -> None:
    with pytest.raises(Stopped, match="too much time or memory"):
        session.ask("math", request_of("x + sum(range(10**12))"))
    assert session.ask("math", request_of("x + 1"))["compared"] > 0


SLOW = """\
import time
def slow(x):
    begun = time.process_time()
    while time.process_time() < begun + 0.02:
        pass
    return x
"""


def test_sweep_that_is_cut_off_says_after_how_much() -> None:
    """Each execution takes as much of the processor's time, on whatever machine."""
    running = Session(Limits(sweep=1.0))
    answer = running.ask("math", {**request_of("slow(x) + 1"), "imports": [SLOW]})
    whole = running.ask("math", request_of("x + 1"))
    running.close()
    assert 8 <= answer["compared"] < whole["compared"]
    assert answer["stopped_after"] >= answer["compared"]
    assert whole["stopped_after"] is None


def test_memory_is_limited(session: Session) -> None:
    answer = session.ask("numpy", request_of("x + len(bytearray(1 << 30))"))
    assert "MemoryError" in answer["error"]
    assert session.ask("numpy", request_of("x + len(bytearray(1 << 20))"))["compared"] > 0


THREADS = """\
import threading
def start():
    together = threading.Barrier(32)
    def allocate():
        kept = bytearray(10000)
        together.wait()
    started = [threading.Thread(target=allocate) for _ in range(32)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
reserved = []
def threads(x):
    if not reserved:
        start()
        reserved.append(True)
    return x
"""


def test_addresses_that_are_only_reserved_do_not_use_up_what_is_granted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on a machine of many cores, where glibc gives each thread an arena of 64 MiB."""
    monkeypatch.setenv("MALLOC_ARENA_MAX", "256")
    running = Session(Limits(memory=1 << 30))
    answer = running.ask("math", {**request_of("threads(x) + 1"), "imports": [THREADS]})
    running.close()
    assert answer["compared"] > 0
