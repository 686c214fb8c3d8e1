"""A pytest plugin that runs a package's tests on one kind of input, under the recorders.

    pytest -p benchmarks.witnesses.plugin --witness-kind zeros --witness-root .../kornia
        --witness-framework torch --witness-out FILE tests/test_ssim.py

What a test draws or builds is replaced by the kind. Whether the test passes does not matter.
After each call from a test into the package, the gradient of the result is taken. FILE gets a
line of JSON for each event, and at the end one with the functions that were entered.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import random
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final
from zlib import crc32

import numpy as np
import pytest

from .events import Event
from .kinds import Kind, kind_named
from .places import Places

_GRADIENTS_MOST: Final = 12
"""How often gradients of a function's results are taken in one test."""
FRAMEWORKS: Final = ("torch", "jax", "tensorflow", "numpy")


class TooLong(BaseException):
    """The time of a test is over; a test's `except Exception` does not catch it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of this plugin, without which it does nothing."""
    group = parser.getgroup("witness")
    group.addoption("--witness-kind", default="as-is")
    group.addoption("--witness-root", action="append", default=[])
    group.addoption("--witness-framework", action="append", choices=FRAMEWORKS, default=[])
    group.addoption("--witness-out")
    group.addoption("--witness-seconds", type=float, default=20.0)
    group.addoption("--witness-first", default="", help="statements that are executed first")


def pytest_configure(config: pytest.Config) -> None:
    """Register what runs each test."""
    if config.getoption("--witness-root"):
        exec(config.getoption("--witness-first"), {})
        config.pluginmanager.register(Witnessing(config), "witnessing")


class Witnessing:
    """Runs each test under the recorders, with the inputs of its kind."""

    def __init__(self, config: pytest.Config) -> None:
        self._roots = [Path(root).resolve() for root in config.getoption("--witness-root")]
        self._places = Places(self._roots, Path(config.rootpath))
        self._kind = kind_named(config.getoption("--witness-kind"))
        self._frameworks: Sequence[str] = config.getoption("--witness-framework") or ["torch"]
        self._seconds: float = config.getoption("--witness-seconds")
        out = config.getoption("--witness-out")
        self._out = open(out, "w", encoding="utf-8") if out else sys.stdout  # noqa: SIM115
        self._told: set[Event] = set()
        self._entered: set[CodeType] = set()
        self._tests = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, Any, Any]:
        """Replace tensors that are drawn as parameters of tests."""
        with self._inputs("collection"):
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Mark the following lines as those of this test."""
        self._tests += 1
        self._write({"begun": nodeid})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Watch fixtures too, which draw inputs."""
        with self._witnessed(item):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Watch the test itself."""
        with self._witnessed(item):
            return (yield)

    def pytest_sessionfinish(self) -> None:
        """Write the functions that were entered, as the end of the file."""
        ran = sorted(map(self._places.function, self._entered))
        self._write({"ran": ran, "tests": self._tests})

    @contextlib.contextmanager
    def _witnessed(self, item: pytest.Item) -> Iterator[None]:
        def tell(event: Event) -> None:
            if event not in self._told:
                self._told.add(event)
                self._write({"test": item.nodeid, "event": event.as_entry()})

        with ExitStack() as stack:
            recorders = [
                stack.enter_context(_module("record", name).Recorder(self._roots, tell))
                for name in self._frameworks
            ]
            stack.enter_context(self._inputs(item.nodeid))
            calls = Calls(self._places, self._entered, recorders)
            stack.enter_context(calls)
            stack.enter_context(time_limit(self._seconds))
            yield

    @contextlib.contextmanager
    def _inputs(self, name: str) -> Iterator[None]:
        """Replace inputs, and make random numbers the same in each run."""
        _seed(sys.modules)
        rng = np.random.default_rng(crc32(name.encode()))
        with ExitStack() as stack:
            for framework in dict.fromkeys(["numpy", *self._frameworks]):
                inputs = _inputs_of(framework, self._kind, self._places, rng)
                stack.enter_context(inputs)
            yield

    def _write(self, entry: dict[str, Any]) -> None:
        self._out.write(json.dumps(entry) + "\n")
        self._out.flush()


class Calls:
    """Gives each recorder the result of a call from outside into the package.

    A recorder that takes gradients has `take_gradients(result)`, and `enter_call(frame)` if it
    needs the call: `frame` is that of the function called by the test, through which the package
    is entered.
    """

    def __init__(self, places: Places, entered: set[CodeType], recorders: Sequence[Any]) -> None:
        self._places = places
        self._is_package = places.is_package
        self._entered = entered
        self._takers = [
            recorder.take_gradients for recorder in recorders if hasattr(recorder, "take_gradients")
        ]
        self._enterers = [
            recorder.enter_call for recorder in recorders if hasattr(recorder, "enter_call")
        ]
        self._outermost: FrameType | None = None
        self._taken: Counter[CodeType] = Counter()
        self._before: Any = None

    def __enter__(self) -> Calls:
        self._before = sys.gettrace()
        sys.settrace(self._see)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.settrace(self._before)
        self._outermost = None

    def _see(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if not self._is_package(code):
            return None
        self._entered.add(code)
        if self._outermost is not None or code.co_name == "<module>" or not self._takers:
            return None
        if self._taken[code] >= _GRADIENTS_MOST:
            return None
        self._outermost = frame
        frame.f_trace_lines = False
        for enter in self._enterers:
            enter(self._places.called_by_test(frame))
        return self._leave

    def _leave(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return":
            try:
                if argument is not None:
                    self._taken[frame.f_code] += 1
                    self._take(argument)
            finally:
                self._outermost = None
        return self._leave

    def _take(self, result: Any) -> None:
        for take in self._takers:
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                take(result)


def _inputs_of(framework: str, kind: Kind, places: Places, rng: np.random.Generator) -> Any:
    """Return the inputs of a framework; a null context if it has no module for them."""
    try:
        module = _module("inputs", framework)
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.endswith(f"inputs_{framework}"):
            raise
        return contextlib.nullcontext()
    return module.Inputs(kind, places, rng)


def _module(role: str, framework: str) -> Any:
    return importlib.import_module(f"benchmarks.witnesses.{role}_{framework}")


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooLong` inside, and again if it is caught."""
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 5.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(*_: object) -> None:
    raise TooLong("the time of this test is over")


def _seed(modules: Any) -> None:
    random.seed(0)
    np.random.seed(0)
    if (torch := modules.get("torch")) is not None:
        torch.manual_seed(0)
    if (tensorflow := modules.get("tensorflow")) is not None:
        tensorflow.random.set_seed(0)
