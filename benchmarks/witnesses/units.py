"""Units of work: a test file, a module or a script on one kind of input, each a process.

What a process has told when it is stopped counts. The last line of a unit's file tells how it
ended; a unit that has one is not run again.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .packages import Package

_MEMORY: Final = 6 << 30
_CHECKOUT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Unit:
    """A file of tests (or a module, or a script) and a kind of input."""

    package: Package
    driver: str
    name: str
    kind: str

    def lines(self, home: Path) -> Path:
        """The file that keeps what is told."""
        folder = home / "events" / self.package.name / self.driver
        return folder / f"{self.name.replace('/', '__')}.{self.kind}.jsonl"

    def is_done(self, home: Path) -> bool:
        """Whether it came to its end before, in whichever way."""
        return any("ended" in entry for entry in read_lines(self.lines(home)))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The entries of a file of JSON lines, without one that was cut off; none without a file."""
    found: list[dict[str, Any]] = []
    if path.exists():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
    return found


def python_of(home: Path) -> str:
    """The interpreter of the environment `venv` below `home`, else the one that runs."""
    own = home / "venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def run_unit(unit: Unit, home: Path, seconds: float, test_seconds: float) -> str:
    """Runs a unit and returns how it ended: `exit 0`, `signal 9`, `out of time`."""
    lines = unit.lines(home)
    lines.parent.mkdir(parents=True, exist_ok=True)
    lines.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="witness-") as scratch:
        ended, said = _run(command(unit, home, lines, test_seconds), unit, home, scratch, seconds)
    with lines.open("a", encoding="utf-8") as file:
        trouble = "" if ended in ("exit 0", "exit 1") else said[-600:]
        file.write("\n" + json.dumps({"ended": ended, "said": trouble}) + "\n")
    return ended


def command(unit: Unit, home: Path, lines: Path | None, test_seconds: float) -> list[str]:
    """What runs the unit; with `lines`, what it tells goes there."""
    file, _, test = unit.name.partition("::")
    words = [python_of(home), "-m", "pytest", file + (f"::{test}" if test else "")]
    words += ["-p", "benchmarks.witnesses.plugin", "-p", "no:cacheprovider", "-o", "addopts="]
    words += ["--rootdir", str(unit.package.source(home)), "-q", "--tb=no", "--no-header"]
    words += ["--witness-kind", unit.kind, "--witness-seconds", str(test_seconds)]
    for root in unit.package.folders(home):
        words += ["--witness-root", str(root)]
    for framework in unit.package.frameworks:
        words += ["--witness-framework", framework]
    if unit.package.first:
        words += ["--witness-first", unit.package.first]
    return [*words, "--witness-out", str(lines)] if lines is not None else words


def environment(package: Package, home: Path, scratch: str) -> dict[str, str]:
    """One thread, nothing compiled, nothing written outside of `scratch`."""
    source = package.source(home)
    paths = [str(source / path) if path else str(source) for path in package.imports]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*paths, str(_CHECKOUT)]),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "HOME": scratch,
        "TMPDIR": scratch,
        "MPLBACKEND": "agg",
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTORCH_JIT": "0",
        "TORCHDYNAMO_DISABLE": "1",
        "HF_HUB_OFFLINE": "1",
    }


def _run(words: list[str], unit: Unit, home: Path, scratch: str, seconds: float) -> tuple[str, str]:
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            ["nice", "-n", "10", *words],
            cwd=unit.package.source(home),
            env=environment(unit.package, home, scratch),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_limit,
        )
        try:
            status = process.wait(seconds)
            ended = f"exit {status}" if status >= 0 else f"signal {-status}"
        except subprocess.TimeoutExpired:
            ended = "out of time"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        said.seek(0)
        return ended, said.read().decode(errors="replace")


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
