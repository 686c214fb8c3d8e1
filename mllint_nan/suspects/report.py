"""Reports of a NaN: places and key words found in the output of a program.

The output may contain Python tracebacks, forward traces of PyTorch's anomaly detection, checks
by JAX or TensorFlow, and names of parameters whose gradients are NaN.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from mllint_nan.frameworks.registry import functions, known_functions, methods
from mllint_nan.syntax.decoding import NoPython, SourceError
from mllint_nan.syntax.notebooks import is_notebook
from mllint_nan.syntax.reading import read

_FRAME: Final = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<row>\d+)(?:, in (?P<name>\S+))?')
_GRAPH_FRAME: Final = re.compile(r"^\s*\+ (?P<file>\S.*?) \(L(?P<row>\d+)\) (?P<name>\S+)")
"""TensorFlow's format for where an operation was created; long paths are cut at the beginning."""
_SHORT_FRAME: Final = re.compile(
    r"^(?:File )?(?P<file>[^\s:<>\"]+\.py)(?::(?P<row>\d+))?,? in (?P<name>[\w.<>]+)"
)
_CELL: Final = re.compile(
    r"^(?:Cell |Input )?(?P<file>In ?\[\d+\]|<ipython-input-[\w-]+>)(?:,| in )"
)
_ARROW: Final = re.compile(r"^-+> ?(?P<row>\d+) ?(?P<code>.*)$")
"""The format of tracebacks in notebooks: a frame, and its row marked by an arrow."""
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PREFIX: Final = re.compile(
    r"^(?:\[[^\]]*\]:? ?|\d{4}-\d\d-\d\d[T ][\d:.,+Z]+ ?|\d\d:\d\d:\d\d[\d.,]* ?"
    r"|\| ?|(?:- )?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|stderr|stdout)\b ?[:|-]? ?|[\w.-]+ ?\| ?)+"
)
"""The prefix of a line from a logger, a launcher of several processes or a container."""
_DEFINED_AT: Final = re.compile(r"^Detected at node .* defined at \(most recent call last\):", re.M)
"""Begins the frames that created an operation of a graph, after those that ran the graph."""
_CUT: Final = "..."
_PARTS_MOST: Final = 2
"""How many last parts of another machine's path are compared: the file and its folder."""
_ASKS_FOR_GRADIENTS: Final = re.compile(r"[\w.]+\.backward\(|\w+\.scale\(\w+\)\.backward\(")
_CHAINED: Final = re.compile(r"^(During handling of|The above exception was|The stack trace below)")
_BACKWARD: Final = re.compile(
    r"Function '(?P<by>\w+?)Backward\d*' returned nan values|Error detected in (?P<of>\w+?)Backward"
)
_OPERATIONS: Final = (
    re.compile(r"invalid value \((?:nan|inf)\) encountered in (?P<name>[\w.]+)"),
    re.compile(r"[Oo]utput \d+ of (?:eagerly-executing|graph) op \"(?P<name>\w+)\""),
    re.compile(r"(?:Runtime)?Warning: (?:divide by zero|invalid value|overflow) encountered in "
               r"(?P<name>\w+)"),
)  # fmt: skip
_PARAMETER: Final = re.compile(
    r"(?:^|[\s'\"`(,:])(?P<name>[A-Za-z_]\w*(?:\.\w+)+)(?=$|[\s'\"`),:])"
)
_NAN: Final = re.compile(r"\bnan\b|\binf\b|NaN|Infinity|not finite|non-?finite", re.I)
_ENDINGS: Final = frozenset(
    (
        *("weight", "bias", "kernel", "gamma", "beta", "scale", "embedding", "embeddings"),
        *("in_proj_weight", "in_proj_bias", "log_std"),
    )
)
"""The last parts of parameter names, recognized even if they are alone in a row."""
_SPELT: Final = {
    "realdiv": "div",
    "truediv": "div",
    "true_divide": "div",
    "divide": "div",
    "integer_pow": "pow",
    "power": "pow",
    "multiply": "mul",
    "subtract": "sub",
    "add_any": "add",
    "linalgvectornorm": "norm",
    "linalg_vector_norm": "norm",
    "linalg_norm": "norm",
    "euclideannorm": "norm",
    "logistic": "sigmoid",
    "logsumexp": "logsumexp",
    "logsoftmax": "log_softmax",
    "binarycrossentropy": "binary_cross_entropy",
}
"""Names of operations in autograd and the checkers that differ from those in the tables."""


class Phase(Enum):
    """Where the NaN was seen: in a computed value, or in its gradient."""

    FORWARD = "forward"
    BACKWARD = "backward"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Frame:
    """A row of a file that was running; frames are ordered from the outermost."""

    file: str
    row: int
    function: str
    code: str = ""
    """The row's text, if a notebook shows it: only this identifies a row of its cells."""

    def row_in(self, path: str) -> int | None:
        """The row in a file, if the frame is one of it."""
        if not is_notebook(path) or not self.code:
            return self.row if self.is_of(path) else None
        rows = (row for row, text in _rows_of(path) if text == self.code)
        return next(rows, None)

    def is_of(self, path: str) -> bool:
        """Whether the frame's file is this one; if only the end of its path is known, by that."""
        told = self.file.replace("\\", "/")
        known = os.path.realpath(path).replace("\\", "/")
        if told.startswith(_CUT):
            return known.endswith(told.removeprefix(_CUT))
        if os.path.exists(self.file):
            return os.path.realpath(self.file) == os.path.realpath(path)
        # The output may come from another machine, where only the last folders are the same.
        parts = [part for part in told.split("/") if part not in ("", ".", "..")][-_PARTS_MOST:]
        return bool(parts) and known.split("/")[-len(parts) :] == parts


@dataclass(frozen=True, slots=True)
class Report:
    """What an output tells; whatever it does not tell is empty."""

    frames: tuple[Frame, ...]
    operations: frozenset[str]
    """By canonical name: the operations that made the first non-finite number seen."""
    phase: Phase
    parameters: tuple[str, ...]
    """The qualified names of parameters whose values or gradients are NaN."""

    @property
    def is_empty(self) -> bool:
        return not (self.frames or self.operations or self.parameters)

    def innermost_in(self, paths: Iterable[str]) -> tuple[str, int] | None:
        """The file and row of the innermost frame in one of these files."""
        known = tuple(paths)
        for frame in reversed(self.frames):
            for path in known:
                row = frame.row_in(path)
                if row is not None:
                    return path, row
        return None

    def made_in(self, paths: Iterable[str]) -> tuple[str, int] | None:
        """The innermost row if it computes something: `loss.backward()` only requests gradients."""
        place = self.innermost_in(paths)
        if place is None or self.phase is not Phase.BACKWARD:
            return place
        text = dict(_rows_of(place[0])).get(place[1], "")
        return None if _ASKS_FOR_GRADIENTS.match(text) else place


def report_of(text: str) -> Report:
    """Read an output.

    Of several tracebacks, the one where the anomaly arose is used: PyTorch's forward trace takes
    precedence over that of `backward`, and a cause over what was raised while handling it.

    >>> report_of("FloatingPointError: invalid value (nan) encountered in jit(div)").operations
    frozenset({'div'})
    """
    text = "\n".join(map(_bare, text.splitlines()))
    text = re.sub(r"jit\((\w+)\)", r"\1", text)
    backward = _BACKWARD.search(text)
    names = [m["name"] for one in _OPERATIONS for m in one.finditer(text)]
    if backward is not None:
        names = [backward["by"] or backward["of"]]
    parameters = tuple(dict.fromkeys(_parameters(text)))
    if backward is not None:
        phase = Phase.BACKWARD
    elif names:
        phase = Phase.FORWARD
    else:
        phase = Phase.BACKWARD if parameters and "grad" in text.lower() else Phase.UNKNOWN
    found = frozenset(canonical for name in names for canonical in _canonical(name))
    return Report(tuple(_frames(text)), found, phase, parameters)


def _bare(line: str) -> str:
    """A line without colours and prefixes."""
    line = _COLOURS.sub("", line)
    found = _PREFIX.match(line)
    return line if found is None else line[found.end() :]


@lru_cache(16)
def _rows_of(path: str) -> tuple[tuple[int, str], ...]:
    """The rows of a file, or of a notebook's cells as one program, without surrounding blanks."""
    try:
        with open(path, "rb") as file:
            text = read(file.read(), path).text
    except (OSError, NoPython, SourceError):
        return ()
    return tuple((row, line.strip()) for row, line in enumerate(text.splitlines(), 1))


def _frames(text: str) -> Iterator[Frame]:
    """Yield the frames of the first traceback, or of where an operation was created."""
    node = _DEFINED_AT.search(text)
    lines = text[node.end() if node is not None else 0 :].splitlines()
    made = [found for found in map(_GRAPH_FRAME.match, lines) if found is not None]
    if made:
        yield from (Frame(one["file"], int(one["row"]), one["name"]) for one in made)
        return
    if any(map(_ARROW.match, lines)):
        yield from _frames_of_notebook(lines)
        return
    frames: list[Frame] = []
    for line in lines:
        if _CHAINED.match(line) and frames:
            break
        found = _FRAME.match(line)
        if found is not None:
            frames.append(Frame(found["file"], int(found["row"]), found["name"] or ""))
        elif frames and line and not line[0].isspace() and not line.startswith("|"):
            break
    yield from frames


def _frames_of_notebook(lines: Iterable[str]) -> Iterator[Frame]:
    """Yield the frames of the first traceback, each with the row marked by an arrow."""
    place: tuple[str, str] | None = None
    for line in lines:
        if _CHAINED.match(line):
            return
        cell, frame, arrow = _CELL.match(line), _SHORT_FRAME.match(line), _ARROW.match(line)
        if cell is not None:
            place = (cell["file"], "<module>")
        elif frame is not None:
            place = (frame["file"], frame["name"])
        elif arrow is not None and place is not None:
            file, name = place
            yield Frame(file, int(arrow["row"]), name, arrow["code"].strip())
            place = None


def _parameters(text: str) -> Iterator[str]:
    """Yield dotted names of parameters: in a row that says NaN, or alone in a row."""
    for line in text.splitlines():
        if _FRAME.match(line) or _GRAPH_FRAME.match(line):
            continue
        says_nan = _NAN.search(line) is not None
        for found in _PARAMETER.finditer(line):
            last = found["name"].rpartition(".")[2]
            is_alone = line.strip(" \t-*,'\"`") == found["name"]
            if last in _ENDINGS and (says_nan or is_alone):
                yield found["name"]


def _canonical(name: str) -> frozenset[str]:
    """The canonical operations for a name used by autograd or a checker."""
    word = name.rpartition(".")[2]
    lowered = word.lower()
    if lowered in _SPELT:
        return frozenset((_SPELT[lowered],))
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word).lower()
    known = _by_last_name()
    found = known.get(lowered) or known.get(snake)
    if found:
        return found
    called = {signature.operation.name for _, signature in methods(lowered)}
    return frozenset(called or {snake})


@lru_cache(1)
def _by_last_name() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for path in known_functions():
        names = {signature.operation.name for signature in functions(path)}
        found.setdefault(path.rpartition(".")[2].lower(), set()).update(names)
    return {name: frozenset(names) for name, names in found.items()}
