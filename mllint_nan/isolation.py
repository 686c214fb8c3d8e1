"""Check untrusted texts where they can do no harm: in another process, within limits.

A text that hangs, crashes or uses all memory costs only its own result, and the memory of the
caller stays flat. A checker is one process at a time; an engine that spreads work over a cluster
keeps one in each of its workers.

>>> with IsolatedChecker() as checker:
...     answer = checker.check("import torch\\ny = torch.log(torch.softmax(x, dim=0))")
>>> [finding.code for finding in answer.findings], answer.error
(['NAN101'], None)
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import TracebackType

    from mllint_nan.findings import Finding
    from mllint_nan.settings import Settings

_LENGTH: Final = struct.Struct("<Q")
_CHILD: Final = "from mllint_nan.isolation import _serve; _serve()"


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one text: its findings, or in one line why there is no answer."""

    findings: tuple[Finding, ...] = ()
    error: str | None = None


class IsolatedChecker:
    """`check_source` in a process that is replaced when it fails, or has checked enough texts."""

    def __init__(
        self,
        *,
        seconds: float = 30.0,
        most_bytes: int = 2_000_000,
        most_memory: int = 2 << 30,
        texts_per_process: int = 1000,
    ) -> None:
        """A text may take `seconds`, be `most_bytes` long, and need `most_memory` bytes.

        The memory limit needs a system that can limit processes; Windows cannot.
        """
        self.seconds = seconds
        self.most_bytes = most_bytes
        self.most_memory = most_memory
        self.texts_per_process = texts_per_process
        self._process: subprocess.Popen[bytes] | None = None
        self._done = 0

    def check(
        self, text: str, filename: str = "<string>", settings: Settings | None = None
    ) -> Answer:
        """As `check_source`, but never raises because of the text."""
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > self.most_bytes:
            return Answer(error=f"not checked: {size} bytes, more than {self.most_bytes}")
        if self._done >= self.texts_per_process:
            self.close()
        process = self._running()
        self._done += 1
        overdue = threading.Event()

        def stop() -> None:
            overdue.set()
            process.kill()

        timer = threading.Timer(self.seconds, stop)
        timer.start()
        try:
            with contextlib.suppress(BrokenPipeError):
                _write(process.stdin, (text, filename, settings))
            answer = _read(process.stdout)
        finally:
            timer.cancel()
        if isinstance(answer, Answer):
            return answer
        self.close()
        if overdue.is_set():
            return Answer(error=f"not checked: took longer than {self.seconds:g} seconds")
        return Answer(error=f"not checked: the process died with status {process.returncode}")

    def close(self) -> None:
        """End the process; the next text starts another."""
        process, self._process, self._done = self._process, None, 0
        if process is not None:
            process.kill()
            process.communicate()

    def __enter__(self) -> IsolatedChecker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            process.kill()

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle only the limits: a copy elsewhere has a process of its own."""
        return _again, (self.seconds, self.most_bytes, self.most_memory, self.texts_per_process)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            # The child can import the packages that this process can, however `sys.path` was set.
            paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CHILD, str(self.most_memory)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": paths},
            )
        return self._process


def _again(
    seconds: float, most_bytes: int, most_memory: int, texts_per_process: int
) -> IsolatedChecker:
    return IsolatedChecker(
        seconds=seconds,
        most_bytes=most_bytes,
        most_memory=most_memory,
        texts_per_process=texts_per_process,
    )


def _write(to: IO[bytes] | None, value: object) -> None:
    assert to is not None
    data = pickle.dumps(value)
    to.write(_LENGTH.pack(len(data)) + data)
    to.flush()


def _read(source: IO[bytes] | None) -> object:
    """The next value, or None if there is none."""
    assert source is not None
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = source.read(length)
    return pickle.loads(data) if len(data) == length else None


def _serve() -> None:
    """Answer one text after the other until there are no more."""
    _limit_memory(int(sys.argv[1]))
    to = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # no printed text gets between the answers
    for text, filename, settings in _requests():
        _write(to, _answer(text, filename, settings))


def _requests() -> Iterator[tuple[str, str, Settings | None]]:
    while True:
        request = _read(sys.stdin.buffer)
        if not isinstance(request, tuple):
            return
        yield request


def _answer(text: str, filename: str, settings: Settings | None) -> Answer:
    from mllint_nan.linter import AnalysisError, check_text
    from mllint_nan.settings import Settings

    try:
        return Answer(check_text(text, filename, settings or Settings()))
    except AnalysisError as error:
        return Answer(error=f"not checked: {error}")
    except MemoryError:
        return Answer(error="not checked: out of memory")
    except Exception as error:  # one text must never stop the others
        said = next(iter(str(error).splitlines()), "")
        return Answer(error=f"not checked: internal error: {type(error).__name__}: {said}")


def _limit_memory(most: int) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
