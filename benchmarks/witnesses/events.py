"""What a recorder sees, and where: the innermost frame in the examined package.

Recorders of the frameworks share this protocol:

    with Recorder(roots, sink):
        program()

calls `sink` with an `Event` for every operation that first makes a non-finite number. A recorder
never changes what the program computes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Protocol

from .witness import Effect, Grade, Witness, worst


@dataclass(frozen=True, slots=True)
class Position:
    """An expression of the examined package that is being evaluated."""

    file: str
    """Relative to the folder that contains the package, with `/`."""
    line: int
    column: int
    """1-based, in characters; 0 if only the line is known."""
    function: str


@dataclass(frozen=True, slots=True)
class Event:
    """An operation at which a non-finite number arises."""

    file: str
    line: int
    column: int
    function: str
    operation: str
    effect: Effect
    least: Grade = Grade.ORDINARY
    """The least grade that the operands allow: half precision is not ordinary."""

    def witness(
        self, source: tuple[str, str, str], kind: tuple[str, Grade], driver: str, command: str
    ) -> Witness:
        """Return the row of the table.

        `source` is the package, its version and its framework; `kind` is the kind of input, with
        its grade.
        """
        package, version, framework = source
        name, grade = kind
        return Witness(
            package=package,
            version=version,
            file=self.file,
            line=self.line,
            column=self.column,
            function=self.function,
            operation=self.operation,
            effect=self.effect,
            grade=worst(grade, self.least),
            kind=name,
            framework=framework,
            driver=driver,
            command=command,
        )

    def as_json(self) -> str:
        """Return the event as one line."""
        return json.dumps(self.as_entry())

    def as_entry(self) -> dict[str, Any]:
        """Return the event as values that JSON can hold."""
        return {**asdict(self), "effect": self.effect.value, "least": self.least.value}

    @classmethod
    def from_json(cls, line: str) -> Event:
        """Parse an event; raises `ValueError` or `KeyError` for a line without one."""
        return cls.from_entry(json.loads(line))

    @classmethod
    def from_entry(cls, entry: dict[str, Any]) -> Event:
        """Convert an entry to an event; raises `ValueError` or `KeyError` for others."""
        known = {name: entry[name] for name in cls.__slots__ if name in entry}
        known["effect"] = Effect(entry["effect"])
        known["least"] = Grade(entry.get("least", Grade.ORDINARY))
        return cls(**known)


Sink = Callable[[Event], None]


class Recorder(Protocol):
    """The class that `record_{framework}` provides: `Recorder(roots, sink)`, a context manager.

    `roots` are the folders (or single files) of the examined packages:
    `.../site-packages/kornia`.
    """

    def __call__(self, roots: Sequence[Path], sink: Sink) -> AbstractContextManager[object]:
        """Return a recorder of the operations whose innermost frame below `roots` is found."""


def position_in_package(
    roots: Sequence[Path],
    frame: FrameType | None = None,
    *,
    skip: int = 0,
    through: Sequence[Path] | None = None,
) -> Position | None:
    """Return the place of the innermost frame below one of `roots`; `None` outside of them.

    It starts at `frame`, or else at the caller's frame, and goes outwards; `skip` leaves out
    frames. With `through`, the frames in between must be below these folders or in none: what a
    test's own function or another library computes is no operation of the package that called
    it.
    """
    folders = _resolved(tuple(roots))
    passed = None if through is None else _resolved(tuple(through))
    for inner in frames(frame if frame is not None else sys._getframe(1)):
        if skip > 0:
            skip -= 1
            continue
        file = inner.f_code.co_filename
        root = _root_of(file, folders)
        if root is not None:
            return None if is_test(file) else position_of(inner, Path(root))
        if passed is not None and not file.startswith("<") and _root_of(file, passed) is None:
            return None
    return None


def is_test(file: str) -> bool:
    """Whether pytest or unittest would look for tests in a file: some are inside their package."""
    name = Path(file).name
    return name.startswith("test_") or name.endswith(("_test.py", "_tests.py", "conftest.py"))


@cache
def _resolved(folders: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(str(folder.resolve()) for folder in folders)


def frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frame and its callers, outwards."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def position_of(frame: FrameType, root: Path) -> Position:
    """Return the place of `frame`; its file is relative to the folder that contains `root`."""
    code = frame.f_code
    line, column = _line_and_column(code, frame.f_lasti, frame.f_lineno)
    file = Path(code.co_filename).resolve().relative_to(root.parent).as_posix()
    return Position(file, line, column, getattr(code, "co_qualname", code.co_name))


@cache
def _root_of(filename: str, folders: tuple[str, ...]) -> str | None:
    if filename.startswith("<"):
        return None
    resolved = str(Path(filename).resolve())
    for folder in folders:
        if resolved == folder or resolved.startswith(folder.rstrip("/") + "/"):
            return folder
    return None


@cache
def _line_and_column(code: CodeType, instruction: int, line: int | None) -> tuple[int, int]:
    """Return the start of the expression; CPython counts columns from 0 and in UTF-8 bytes."""
    if sys.version_info < (3, 11):
        return (line or 0, 0)
    for index, (start, _, column, _) in enumerate(code.co_positions()):
        if index == instruction // 2:
            if start is None or column is None:
                return (line or 0, 0)
            return (start, _characters(code.co_filename, start, column) + 1)
    return (line or 0, 0)


def _characters(filename: str, line: int, column: int) -> int:
    """Return the number of characters in the first `column` bytes of the line."""
    text = _lines(filename)
    if not 0 < line <= len(text):
        return column
    return len(text[line - 1][:column].decode("utf-8", "replace"))


@cache
def _lines(filename: str) -> list[bytes]:
    try:
        return Path(filename).read_bytes().splitlines()
    except OSError:
        return []
