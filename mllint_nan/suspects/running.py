"""`--suspects --run -- python train.py`: run the user's own command with its suspects watched.

If none of them is the origin of a NaN, the command is run once more with every line of the
project watched, and if necessary a third time with the checks of the frameworks themselves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mllint_nan import probing
from mllint_nan.findings import Position
from mllint_nan.suspects.candidates import Suspect
from mllint_nan.suspects.program import EntryError
from mllint_nan.syntax.notebooks import is_notebook
from mllint_nan.syntax.reading import text_of

_WATCHED_MOST: Final = 50
"""How many suspects are watched; lower ones are hardly ever the origin, and each costs time."""
_PYTHONS: Final = ("python", "pypy")
_WITH_VALUES: Final = ("-W", "-X", "--check-hash-based-pycs")
"""Options of the interpreter that take a value."""
_BY_SIGNAL: Final = 128


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run showed at one operation."""

    suspect: Suspect | None
    """None if the operation is no suspect."""
    effect: str
    """`value`, `gradient`, or `data`, which came from outside."""
    execution: int
    step: int
    """The optimizer's step; 0 if it is unknown."""
    operands: tuple[str, ...]
    result: str
    path: str
    start: Position
    end: Position
    text: str
    """The source text, if the operation is no suspect."""
    inside: str
    """The operation of a framework, and its place in a package; otherwise empty."""


@dataclass(frozen=True, slots=True)
class Run:
    """The outcome of a run: the origin, or where a bad number came from elsewhere."""

    origin: Seen | None
    """The suspect that is the origin."""
    passed: Seen | None
    """A suspect that received a bad number."""
    held: Seen | None
    """Where a loop, an optimizer or a report of training held a bad number."""
    missed: Seen | None
    """An origin that was not suspected."""
    became: Seen | None
    """Where the infinity of `missed` became NaN."""
    notes: tuple[str, ...]
    watched: int
    executed: int
    """How many of the watched suspects were executed at all."""
    status: int

    @property
    def is_bad(self) -> bool:
        return any((self.origin, self.passed, self.held))


def run(
    suspects: Sequence[Suspect],
    command: Sequence[str],
    files: Collection[str] = (),
    *,
    is_quiet: bool = False,
) -> Run:
    """Run a command and watch the suspects, the likeliest first.

    `files` are all files of the program; if necessary, every line of them is watched in further
    runs. With `is_quiet`, the output of the command goes to standard error. Raises EntryError.
    """
    watched = [one for one in suspects if not is_notebook(one.path)][:_WATCHED_MOST]
    places = places_of(watched)
    every: dict[str, list[dict[str, Any]]] = {
        os.path.realpath(path): [] for path in files if not is_notebook(path)
    }
    told, status = _run({**every, **places}, command, is_quiet=is_quiet)
    origin = seen(told["origin"], watched)
    further: dict[str, Any] = {}
    if origin is None and (told["passed"] or told["tripped"]):
        for is_deep in (False, True):
            how = "with the checks of the frameworks" if is_deep else "with every line watched"
            said = f"no suspect is the origin; running the command again {how}"
            print(f"mllint-nan: {said}", file=sys.stderr)
            further, _ = _run(every, command, is_wide=True, is_deep=is_deep, is_quiet=is_quiet)
            if further["origin"]:
                break
    return Run(
        origin,
        seen(told["passed"], watched),
        seen(told["tripped"], watched),
        seen(further.get("origin"), ()),
        seen(further.get("became"), ()),
        tuple(told["notes"]),
        len(watched),
        len(told["executed"]),
        status,
    )


def _run(
    places: dict[str, list[dict[str, Any]]],
    command: Sequence[str],
    *,
    is_wide: bool = False,
    is_deep: bool = False,
    is_quiet: bool = False,
) -> tuple[dict[str, Any], int]:
    """Return what the probe has written about one run, and the exit status."""
    interpreter, *arguments = _split(command)
    with tempfile.TemporaryDirectory(prefix="mllint-nan-") as folder:
        plan, result = (os.path.join(folder, name) for name in ("plan.json", "result.json"))
        with open(plan, "w", encoding="utf-8") as file:
            asked = {"files": places, "result": result, "is_wide": is_wide, "is_deep": is_deep}
            json.dump(asked, file)
        probe = os.path.dirname(os.path.abspath(probing.__file__))
        line = [interpreter, *_options(arguments), probe, plan, "--", *_program(arguments)]
        try:
            output = sys.stderr if is_quiet else None
            status = subprocess.run(line, stdout=output, check=False).returncode
        except OSError as error:
            raise EntryError(f"--run: {interpreter}: {error.strerror or error}") from None
        try:
            with open(result, encoding="utf-8") as file:
                told = json.load(file)
        except (OSError, ValueError):
            ended = f"by signal {-status}" if status < 0 else f"with status {status}"
            raise EntryError(f"--run: the program ended {ended}, and the probe with it") from None
    return told, status if status >= 0 else _BY_SIGNAL - status


def script_of(command: Sequence[str]) -> tuple[str, str]:
    """Return the script and the module that a command runs; one is empty. Raises EntryError."""
    program = _program(_split(command)[1:])
    if program[0] == "-m":
        if len(program) < 2:
            raise EntryError("--run: -m expects the name of a module")
        return "", program[1]
    return program[0], ""


def _split(command: Sequence[str]) -> Sequence[str]:
    if not command:
        raise EntryError("--run expects a command after `--`: --run -- python train.py")
    name = os.path.basename(command[0])
    program = _program(command[1:])
    if not name.startswith(_PYTHONS) or not program:
        raise EntryError(
            f"--run expects `python SCRIPT` or `python -m MODULE`, not `{' '.join(command)}`"
        )
    if program[0] in ("-c", "-"):
        raise EntryError(f"--run watches the lines of files, and `python {program[0]}` has none")
    return command


def _options(arguments: Sequence[str]) -> Sequence[str]:
    """The options of the interpreter itself, before the program."""
    return arguments[: len(arguments) - len(_program(arguments))]


def _program(arguments: Sequence[str]) -> Sequence[str]:
    is_value = False
    for index, word in enumerate(arguments):
        if is_value:
            is_value = False
        elif word in _WITH_VALUES:
            is_value = True
        elif word in ("-m", "-c", "-") or not word.startswith("-"):
            return arguments[index:]
    return ()


def places_of(watched: Sequence[Suspect]) -> dict[str, list[dict[str, Any]]]:
    """The suspects by file, with columns in UTF-8, as the compiler counts them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for number, one in enumerate(watched):
        with open(one.path, "rb") as file:
            rows = text_of(file.read(), one.path).splitlines()
        start, end = (_column(rows, place) for place in (one.finding.start, one.finding.end))
        place = {"number": number, "is_of_values": one.is_of_values, "start": start, "end": end}
        found.setdefault(os.path.realpath(one.path), []).append(place)
    return found


def _column(rows: Sequence[str], place: Position) -> tuple[int, int]:
    row = rows[place.row - 1] if place.row <= len(rows) else ""
    return place.row, len(row[: place.column - 1].encode("utf-8"))


def seen(told: dict[str, Any] | None, watched: Sequence[Suspect]) -> Seen | None:
    """Convert what the probe has written about one operation."""
    if told is None:
        return None
    number = told["number"]
    start, end = (_position(told["file"], *told[name]) for name in ("start", "end"))
    return Seen(
        watched[number] if 0 <= number < len(watched) else None,
        told["effect"],
        told["execution"],
        told["step"],
        tuple(told["operands"]),
        told["result"],
        told["file"],
        start,
        end,
        told["text"],
        told["inside"],
    )


def _position(path: str, row: int, column: int) -> Position:
    """Convert a place in UTF-8 to code points; without the row's text, the column is kept."""
    try:
        with open(path, "rb") as file:
            rows = text_of(file.read(), path).splitlines()
        line = rows[row - 1].encode("utf-8")
    except (OSError, IndexError):
        return Position(row, column + 1)
    return Position(row, len(line[:column].decode("utf-8", "replace")) + 1)
