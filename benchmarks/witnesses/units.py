"""Units of work: a test file, a module or a script on one kind of input, each in a process.

Results count even if the process is stopped. The last line of a unit's file says how it ended; a
unit with such a line is not run again.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .packages import Package
from .zygote import Zygote

_CHECKOUT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Unit:
    """A file of tests (or a module, or a script) and a kind of input."""

    package: Package
    driver: str
    name: str
    kind: str

    def lines(self, home: Path) -> Path:
        """Return the file of the results."""
        folder = home / "events" / self.package.name / self.driver
        return folder / f"{_plain(self.name)}.{self.kind}.jsonl"

    def is_done(self, home: Path) -> bool:
        """Whether it has ended before, in whichever way."""
        return any("ended" in entry for entry in read_lines(self.lines(home)))


def _plain(name: str) -> str:
    """Return a name that is valid for a file."""
    return re.sub(r"[^\w.=-]", "_", name.replace("/", "__"))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a file of JSON lines, without a truncated one; none without a file."""
    found: list[dict[str, Any]] = []
    if path.exists():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
    return found


def python_of(home: Path) -> str:
    """Return the interpreter of the environment `venv` below `home`, or else the running one."""
    own = home / "venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def run_unit(
    unit: Unit, home: Path, zygote: Zygote, limits: tuple[float, float], left: float
) -> str:
    """Run a unit and return how it ended: `exit 0`, `signal 9`, `out of time`.

    The limits are seconds for a unit and for a test. If fewer seconds are `left` and they do not
    suffice, the unit is run again another time.
    """
    seconds, test_seconds = limits
    lines = unit.lines(home)
    lines.parent.mkdir(parents=True, exist_ok=True)
    lines.unlink(missing_ok=True)
    said = lines.with_suffix(".said")
    main, *arguments = command(unit, home, lines, test_seconds)
    ended = zygote.run(main, arguments, said, min(seconds, left))
    is_whole = ended != "out of time" or left >= seconds
    with lines.open("a", encoding="utf-8") as file:
        trouble = "" if ended in ("exit 0", "exit 1") else _tail(said)
        file.write(
            "\n" + json.dumps({"ended" if is_whole else "cut": ended, "said": trouble}) + "\n"
        )
    said.unlink(missing_ok=True)
    return ended


def zygote_of(package: Package, home: Path, scratch: str) -> Zygote:
    """Return the process that runs the units of a package.

    A package is preloaded only for PyTorch: others may start threads on import, which a fork
    lacks.
    """
    modules = ["numpy", "pytest", "benchmarks.witnesses.plugin"]
    for framework in package.frameworks:
        modules += [framework, f"benchmarks.witnesses.record_{framework}"]
        modules += [f"benchmarks.witnesses.inputs_{framework}"]
    if package.frameworks == ("torch",):
        modules += [Path(root).name for root in package.roots]
    settings = environment(package, home, scratch)
    return Zygote(python_of(home), modules, package.source(home), settings)


def _tail(path: Path) -> str:
    return path.read_text(errors="replace")[-600:] if path.exists() else ""


def command(unit: Unit, home: Path, lines: Path, test_seconds: float) -> list[str]:
    """Return the function that runs the unit, and its arguments; results go to `lines`."""
    words = ["--witness-kind", unit.kind, "--witness-out", str(lines)]
    for root in unit.package.folders(home):
        words += ["--witness-root", str(root)]
    for framework in unit.package.frameworks:
        words += ["--witness-framework", framework]
    if unit.driver == "scripts":
        return ["benchmarks.witnesses.scripts:main", *words, *shlex.split(unit.name)]
    if unit.package.first:
        words += ["--witness-first", unit.package.first]
    words += ["--witness-seconds", str(test_seconds), "-q", "--tb=no", "--no-header"]
    words += ["-p", "benchmarks.witnesses.plugin", "-p", "no:cacheprovider", "-o", "addopts="]
    return ["pytest:main", unit.name, "--rootdir", str(unit.package.source(home)), *words]


def environment(package: Package, home: Path, scratch: str) -> dict[str, str]:
    """Return an environment: one thread, no compilation, writes only to `home` or `scratch`."""
    source = package.source(home)
    paths = [str(source / path) if path else str(source) for path in package.imports]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*paths, str(_CHECKOUT)]),
        "PYTHONHASHSEED": "0",
        "PYTHONPYCACHEPREFIX": str(home / "bytecode"),
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
