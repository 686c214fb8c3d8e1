"""A process that imports a framework once, and forks a process for each unit.

Most test files take less time than the import of what they test. A request is a line of JSON on
standard input; the answer, a line on standard output, says how the unit's process ended.

    python -m benchmarks.witnesses.zygote MODULE...
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

_MEMORY: Final = 6 << 30
_POLL: Final = 0.05


class Zygote:
    """The client: manages a running process of this module, restarted if it has ended."""

    def __init__(
        self, python: str, modules: Sequence[str], folder: Path, environment: dict[str, str]
    ) -> None:
        self._words = ["nice", "-n", "10", python, "-m", "benchmarks.witnesses.zygote", *modules]
        self._folder = folder
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def run(self, main: str, arguments: Sequence[str], said: Path, seconds: float) -> str:
        """Call `main` (`module:function`), and return `exit 0`, `signal 9` or `out of time`.

        Its output goes into the file `said`.
        """
        request = {"main": main, "arguments": arguments, "said": str(said), "seconds": seconds}
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    self._words,
                    cwd=self._folder,
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
            assert self._process.stdin is not None and self._process.stdout is not None
            try:
                self._process.stdin.write(json.dumps(request) + "\n")
                self._process.stdin.flush()
            except BrokenPipeError:
                return "nothing can be imported"
            return self._process.stdout.readline().strip() or "nothing can be imported"

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._process is not None:
                assert self._process.stdin is not None
                self._process.stdin.close()
                self._process.wait()


def fork(request: dict[str, Any]) -> str:
    """Run a request in a forked process, and return how that ended."""
    until = time.monotonic() + request["seconds"]
    child = os.fork()
    if child == 0:
        _serve(request)
    try:
        while time.monotonic() < until:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                return f"exit {code}" if code >= 0 else f"signal {-code}"
            time.sleep(_POLL)
        return "out of time"
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)


def _serve(request: dict[str, Any]) -> None:
    """Run a request, and exit; never returns."""
    status = 70
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        said = os.open(request["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (said, 1), (said, 2)):
            os.dup2(source, target)
        module, _, function = request["main"].partition(":")
        status = int(getattr(importlib.import_module(module), function)(request["arguments"]))
        sys.stdout.flush()
    finally:
        os._exit(status)


def main(modules: Sequence[str]) -> None:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of an import must not mix with answers
    for module in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(module)
    for line in sys.stdin:
        print(fork(json.loads(line)), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
