"""Child processes that execute code, one for each framework, and their limits."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mllint_nan.verify.failures import Stopped, Unavailable

_CHILD: Final = Path(__file__).with_name("execution") / "__main__.py"
_SETTINGS: Final[Mapping[str, str]] = {
    "CUDA_VISIBLE_DEVICES": "",
    "JAX_ENABLE_X64": "1",
    "JAX_PLATFORMS": "cpu",
    "KERAS_BACKEND": "tensorflow",
    "MALLOC_ARENA_MAX": "2",
    "NPROC": "2",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "OMP_NUM_THREADS": "1",
}
"""Run on the CPU alone. XLA starts `NPROC` threads for each core, for each of which, up to eight
a core, glibc's allocator reserves 64 MiB of addresses: on 16 cores more than the limit."""
_EXECUTED_BY: Final[Mapping[str, str]] = {"keras": "tensorflow"}
"""The framework that executes another one."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in seconds and bytes. `sweep` ends an execution regularly, the others by force.

    Proofs do not depend on them: they stop executions that take far too long, and those prove
    nothing.
    """

    start: float = 300.0
    """For importing the framework."""
    sweep: float = 60.0
    wall: float = 600.0
    processor: float = 180.0
    memory: int = 4 << 30
    """In addition to what the framework itself takes."""


class Session:
    """The running child processes; `close` ends them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._children: dict[str, subprocess.Popen[str]] = {}
        self._missing: dict[str, str] = {}
        self._directory = tempfile.TemporaryDirectory(prefix="mllint-nan-")

    def ask(self, framework: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer of the framework's child; raises `Unavailable` or `Stopped`."""
        name = _EXECUTED_BY.get(framework, framework)
        if name in self._missing:
            raise Unavailable(f"--verify cannot execute {framework}: {self._missing[name]}")
        child = self._children.get(name)
        if child is None:
            child = self._children[name] = self._started(name, framework)
        granted = {
            "seconds": self.limits.sweep,
            "processor_seconds": self.limits.processor,
            "memory": self.limits.memory,
        }
        return self._exchanged(name, child, {**request, **granted}, self.limits.wall)

    def close(self) -> None:
        for child in self._children.values():
            child.kill()
            child.communicate()
        self._children.clear()
        self._directory.cleanup()

    def _started(self, name: str, framework: str) -> subprocess.Popen[str]:
        """Start a child in an empty directory, isolated from the user's files and `PYTHONPATH`."""
        child = subprocess.Popen(
            [sys.executable, "-I", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._directory.name,
            env={**os.environ, **_SETTINGS},
            text=True,
            encoding="utf-8",
        )
        packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        greeting = {"framework": name, "path": packages}
        reply = self._exchanged(name, child, greeting, self.limits.start)
        if "missing" in reply:
            child.communicate()
            self._missing[name] = f"{name} is not installed"
            raise Unavailable(f"--verify cannot execute {framework}: {self._missing[name]}")
        return child

    def _exchanged(
        self, name: str, child: subprocess.Popen[str], message: Mapping[str, Any], wall: float
    ) -> dict[str, Any]:
        assert child.stdin is not None and child.stdout is not None
        clock = threading.Timer(wall, child.kill)
        clock.start()
        try:
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(json.dumps(message) + "\n")
                child.stdin.flush()
            line = child.stdout.readline()
        finally:
            clock.cancel()
        if line:
            reply: dict[str, Any] = json.loads(line)
            return reply
        child.kill()
        with contextlib.suppress(OSError):
            child.communicate()
        self._children.pop(name, None)
        raise Stopped("its execution took too much time or memory")
