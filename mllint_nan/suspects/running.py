"""`--suspects --run -- python train.py`: the user's own command, with its suspects watched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mllint_nan import probe
from mllint_nan.findings import Hazard, Position
from mllint_nan.suspects.candidates import Suspect
from mllint_nan.suspects.program import EntryError
from mllint_nan.syntax.notebooks import is_notebook
from mllint_nan.syntax.reading import text_of

_WATCHED_MOST: Final = 50
"""Suspects; what stands behind them is hardly ever it, and each costs the program time."""
_PYTHONS: Final = ("python", "pypy")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run showed at one suspect."""

    suspect: Suspect
    effect: str
    execution: int
    operands: tuple[str, ...]
    result: str


@dataclass(frozen=True, slots=True)
class Run:
    """What became of a run: the origin, or where a bad number came in from elsewhere."""

    origin: Seen | None
    passed: Seen | None
    watched: int
    executed: int
    """How many of the watched were executed at all."""
    status: int


def run(suspects: Sequence[Suspect], command: Sequence[str], *, is_quiet: bool = False) -> Run:
    """Run a command and watch the suspects, the likeliest first.

    What it prints goes to standard error where the output is to stay free, `is_quiet`.
    Raises EntryError.
    """
    interpreter, *arguments = _split(command)
    watched = [one for one in suspects if not is_notebook(one.path)][:_WATCHED_MOST]
    with tempfile.TemporaryDirectory(prefix="mllint-nan-") as folder:
        plan, result = (os.path.join(folder, name) for name in ("plan.json", "result.json"))
        with open(plan, "w", encoding="utf-8") as file:
            json.dump({"files": _places(watched), "result": result}, file)
        script = os.path.abspath(probe.__file__)
        line = [interpreter, *_options(arguments), script, plan, "--", *_program(arguments)]
        try:
            output = sys.stderr if is_quiet else None
            status = subprocess.run(line, stdout=output, check=False).returncode
        except OSError as error:
            raise EntryError(f"--run: {interpreter}: {error.strerror or error}") from None
        try:
            with open(result, encoding="utf-8") as file:
                told = json.load(file)
        except (OSError, ValueError):
            raise EntryError(
                f"--run: the program ended with status {status} before it could be watched"
            ) from None
    return Run(
        _seen(told["origin"], watched),
        _seen(told["passed"], watched),
        len(watched),
        len(told["executed"]),
        status,
    )


def script_of(command: Sequence[str]) -> tuple[str, str]:
    """The script that a command runs, or the module, the other one empty. Raises EntryError."""
    program = _program(_split(command)[1:])
    if program[0] == "-m":
        return "", program[1] if len(program) > 1 else ""
    return program[0], ""


def _split(command: Sequence[str]) -> Sequence[str]:
    if not command:
        raise EntryError("--run expects a command behind `--`: --run -- python train.py")
    name = os.path.basename(command[0])
    if not name.startswith(_PYTHONS) or not _program(command[1:]):
        raise EntryError(
            f"--run expects `python SCRIPT` or `python -m MODULE`, not `{' '.join(command)}`"
        )
    return command


def _options(arguments: Sequence[str]) -> Sequence[str]:
    """Those of the interpreter itself, before what it runs."""
    return arguments[: len(arguments) - len(_program(arguments))]


def _program(arguments: Sequence[str]) -> Sequence[str]:
    for index, word in enumerate(arguments):
        if word == "-m" or not word.startswith("-"):
            return arguments[index:]
    return ()


def _places(watched: Iterable[Suspect]) -> dict[str, list[dict[str, Any]]]:
    """The suspects by file, with columns of UTF-8, as the compiler counts them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for number, one in enumerate(watched):
        with open(one.path, "rb") as file:
            rows = text_of(file.read(), one.path).splitlines()
        start, end = (_column(rows, place) for place in (one.finding.start, one.finding.end))
        is_of_values = one.finding.hazard is Hazard.VALUE
        place = {"number": number, "is_of_values": is_of_values, "start": start, "end": end}
        found.setdefault(os.path.realpath(one.path), []).append(place)
    return found


def _column(rows: Sequence[str], place: Position) -> tuple[int, int]:
    row = rows[place.row - 1] if place.row <= len(rows) else ""
    return place.row, len(row[: place.column - 1].encode("utf-8"))


def _seen(told: dict[str, Any] | None, watched: Sequence[Suspect]) -> Seen | None:
    if told is None:
        return None
    return Seen(
        watched[told["number"]],
        told["effect"],
        told["execution"],
        tuple(told["operands"]),
        told["result"],
    )
