"""Runs test files of a tree by pytest, within limits of time and memory.

The environment is given as the path of an interpreter. The result of a test file is a
`FileResult`, however its process ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.package_tests import recorder

_PLUGIN: Final = "upstream_recorder"
LATE: Final = "out of time"


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of wall-clock time, and MiB of writable memory."""

    test: float = 60.0
    memory: int = 8192
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a test: `passed`, `skipped`, `failed`, or `stopped` with its process.

    `rows` are the places that its exception passed, the innermost first, and `calls` the
    functions of the tree that it entered, all as `path:row`.
    """

    test: str
    outcome: str
    seconds: float = 0.0
    error: str = ""
    rows: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileResult:
    """A test file, and the tests that its process reached; `ended` if the process stopped in it."""

    file: str
    ended: str
    seconds: float
    tests: tuple[Outcome, ...] = ()
    imported: tuple[str, ...] = ()
    trouble: str = ""

    def of(self, outcome: str) -> frozenset[str]:
        return frozenset(one.test for one in self.tests if one.outcome == outcome)

    def called(self, test: Outcome) -> frozenset[str]:
        return frozenset(test.calls) | frozenset(self.imported)

    def dumps(self) -> str:
        """Return JSON in which functions are numbers."""
        content = asdict(self)
        functions = sorted({call for test in self.tests for call in test.calls})
        numbers = {function: number for number, function in enumerate(functions)}
        for test in content["tests"]:
            test["calls"] = [numbers[call] for call in test["calls"]]
        return json.dumps({**content, "functions": functions})

    @staticmethod
    def loads(text: str) -> FileResult:
        content: dict[str, Any] = json.loads(text)
        functions = content.pop("functions")
        tests = [
            Outcome(
                **{
                    **test,
                    "calls": tuple(functions[number] for number in test["calls"]),
                    "rows": tuple(test["rows"]),
                }
            )
            for test in content.pop("tests")
        ]
        imported = tuple(content.pop("imported"))
        return FileResult(tests=tuple(tests), imported=imported, **content)


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs test files with an interpreter; their output goes below a directory."""

    python: Path
    home: Path
    limits: Limits
    first: str = ""
    """Statements that are executed before a test file is imported."""

    def run(
        self,
        tree: Path,
        files: Sequence[str],
        seconds: float,
        only: Iterable[str] | None = None,
        with_calls: bool = False,
        paths: Sequence[str] = ("",),
    ) -> dict[str, FileResult]:
        """Run test files of a tree; `paths` are its folders from which they import.

        They share a process: an import takes longer than most tests. A file that the process
        does not reach has no tests.
        """
        with tempfile.TemporaryDirectory(prefix="run-", dir=self._scratch()) as scratch:
            settings = self._settings(tree, Path(scratch), only, with_calls, paths)
            command = [
                *("nice", "-n", "10", str(self.python), "-m", "pytest", *files, "-q"),
                *("-p", _PLUGIN, "-p", "no:cacheprovider", "-o", "addopts="),
                *("--rootdir", str(tree), "--continue-on-collection-errors"),
            ]
            with open(Path(scratch, "said"), "w+b") as said:
                process = subprocess.Popen(
                    command,
                    cwd=tree,
                    env=settings,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=self._limit,
                )
                ended = _waited(process, seconds)
                said.seek(0)
                output = said.read().decode(errors="replace")
            lines = Path(scratch, "lines")
            text = lines.read_text() if lines.exists() else ""
            return _results(files, ended, text, output)

    def _scratch(self) -> Path:
        scratch = self.home / "scratch"
        scratch.mkdir(parents=True, exist_ok=True)
        return scratch

    def _settings(
        self,
        tree: Path,
        scratch: Path,
        only: Iterable[str] | None,
        with_calls: bool,
        paths: Sequence[str],
    ) -> dict[str, str]:
        shutil.copyfile(recorder.__file__, scratch / f"{_PLUGIN}.py")
        where = [str(tree / path) if path else str(tree) for path in paths]
        settings = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([*where, str(scratch)]),
            "PYTHONHASHSEED": "0",
            "OMP_NUM_THREADS": str(self.limits.threads),
            "MKL_NUM_THREADS": str(self.limits.threads),
            "HOME": str(scratch),
            "TMPDIR": str(scratch),
            "MPLBACKEND": "agg",
            "JAX_PLATFORMS": "cpu",
            recorder.BELOW: str(tree),
            recorder.LINES: str(scratch / "lines"),
            recorder.SECONDS: str(self.limits.test),
            recorder.CALLS: "1" if with_calls else "",
            recorder.ONLY: "",
            recorder.FIRST: self.first,
        }
        if only is not None:
            chosen = scratch / "only"
            chosen.write_text("\n".join(sorted(only)))
            settings[recorder.ONLY] = str(chosen)
        return settings

    def _limit(self) -> None:
        most = self.limits.memory * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _waited(process: subprocess.Popen[bytes], seconds: float) -> str:
    """Return how a process ended; all processes of its session are killed."""
    try:
        status = process.wait(seconds)
        return f"exit {status}" if status >= 0 else f"signal {-status}"
    except subprocess.TimeoutExpired:
        return LATE
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _results(files: Sequence[str], ended: str, text: str, output: str) -> dict[str, FileResult]:
    """Return the results of each file from the recorder's lines."""
    functions: list[str] = []
    tests: dict[str, dict[str, Outcome]] = {file: {} for file in files}
    imported: tuple[str, ...] = ()
    trouble: dict[str, str] = {}
    begun = ""
    for entry in _entries(text):
        match entry:
            case {"function": str(name)}:
                functions.append(name)
            case {"imported": list(numbers)}:
                imported = tuple(functions[number] for number in numbers)
            case {"uncollected": str(name), "error": str(error)}:
                trouble[name.partition("::")[0]] = error
            case {"begun": str(name)}:
                begun = name
            case {"test": str(name), **rest}:
                tests[name.partition("::")[0]][name] = _outcome(name, rest, functions)
                begun = ""
    if begun and ended != LATE:
        tests[begun.partition("::")[0]][begun] = Outcome(begun, "stopped", error=ended)
    if not any(tests.values()) and not trouble:
        trouble = dict.fromkeys(files, output[-600:])
    unfinished = begun.partition("::")[0]
    return {
        file: FileResult(
            file,
            ended if file == unfinished else "",
            round(sum(one.seconds for one in tests[file].values()), 1),
            tuple(tests[file].values()),
            imported,
            trouble.get(file, ""),
        )
        for file in files
    }


def _entries(text: str) -> Iterable[Mapping[str, Any]]:
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # the process ended while writing
            return


def _outcome(name: str, entry: Mapping[str, Any], functions: Sequence[str]) -> Outcome:
    return Outcome(
        name,
        entry["outcome"],
        entry["seconds"],
        entry.get("error", ""),
        tuple(entry.get("rows", ())),
        tuple(functions[number] for number in entry.get("calls", ())),
    )
