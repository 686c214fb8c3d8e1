"""Reports of a NaN: the output of a program, searched for places and telling words.

It may hold Python tracebacks, the forward traces of PyTorch's anomaly detection, JAX's and
TensorFlow's checks of what is computed, and the names of parameters whose gradients are NaN.
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
"""As TensorFlow tells where an operation was made; long paths lose their beginnings."""
_SHORT_FRAME: Final = re.compile(
    r"^(?:File )?(?P<file>[^\s:<>\"]+\.py)(?::(?P<row>\d+))?,? in (?P<name>[\w.<>]+)"
)
_CELL: Final = re.compile(
    r"^(?:Cell |Input )?(?P<file>In ?\[\d+\]|<ipython-input-[\w-]+>)(?:,| in )"
)
_ARROW: Final = re.compile(r"^-+> ?(?P<row>\d+) ?(?P<code>.*)$")
"""As notebooks show a traceback: a frame, and the row of it with an arrow in front."""
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PREFIX: Final = re.compile(
    r"^(?:\[[^\]]*\]:? ?|\d{4}-\d\d-\d\d[T ][\d:.,+Z]+ ?|\d\d:\d\d:\d\d[\d.,]* ?"
    r"|\| ?|(?:- )?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|stderr|stdout)\b ?[:|-]? ?|[\w.-]+ ?\| ?)+"
)
"""What a logger, a launcher of several processes or a container puts before each line."""
_DEFINED_AT: Final = re.compile(r"^Detected at node .* defined at \(most recent call last\):", re.M)
"""Begins the frames that made an operation of a graph, after those that ran the graph."""
_CUT: Final = "..."
_PARTS_MOST: Final = 2
"""Of a path of another machine: the file and its folder."""
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
"""How the names of parameters end that stand alone in a row."""
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
    "binarycrossentropy": "bce",
}
"""What autograd and the checkers call operations, where the tables have another name."""


class Phase(Enum):
    """Where it was seen: in what is computed, or in its gradient."""

    FORWARD = "forward"
    BACKWARD = "backward"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Frame:
    """A row of a file that was being run, the outermost first."""

    file: str
    row: int
    function: str
    code: str = ""
    """The row itself, if a notebook shows it: of its cells this alone tells the place."""

    def row_in(self, path: str) -> int | None:
        """The row of a file that was being run, if it is one of it."""
        if not is_notebook(path) or not self.code:
            return self.row if self.is_of(path) else None
        rows = (row for row, text in _rows_of(path) if text == self.code)
        return next(rows, None)

    def is_of(self, path: str) -> bool:
        """Whether the file is the one at an absolute path; where only its end is told, by that."""
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
    """By canonical name: what made the first number that was seen not to be finite."""
    phase: Phase
    parameters: tuple[str, ...]
    """The qualified names of parameters whose values or gradients are NaN."""

    @property
    def is_empty(self) -> bool:
        return not (self.frames or self.operations or self.parameters)

    def innermost_in(self, paths: Iterable[str]) -> tuple[str, int] | None:
        """The file of these, and its row, that was run deepest."""
        known = tuple(paths)
        for frame in reversed(self.frames):
            for path in known:
                row = frame.row_in(path)
                if row is not None:
                    return path, row
        return None

    def made_in(self, paths: Iterable[str]) -> tuple[str, int] | None:
        """The same if something is computed there: `loss.backward()` is only where it was asked."""
        place = self.innermost_in(paths)
        if place is None or self.phase is not Phase.BACKWARD:
            return place
        text = dict(_rows_of(place[0])).get(place[1], "")
        return None if _ASKS_FOR_GRADIENTS.match(text) else place


def report_of(text: str) -> Report:
    """Read an output.

    Of several tracebacks the one counts in which the anomaly arose: PyTorch's forward trace goes
    before that of `backward`, and a cause before what was raised while it was handled.

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
    """A line without colours, and without what was put before it."""
    line = _COLOURS.sub("", line)
    found = _PREFIX.match(line)
    return line if found is None else line[found.end() :]


@lru_cache(16)
def _rows_of(path: str) -> tuple[tuple[int, str], ...]:
    """The rows of a notebook's cells, as one program, without what is around the code."""
    try:
        with open(path, "rb") as file:
            text = read(file.read(), path).text
    except (OSError, NoPython, SourceError):
        return ()
    return tuple((row, line.strip()) for row, line in enumerate(text.splitlines(), 1))


def _frames(text: str) -> Iterator[Frame]:
    """The frames of the first traceback that has any, or of where an operation was made."""
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
    """The frames of the first traceback, each with the row to which an arrow points."""
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
    """Names with dots: in a row that says NaN, or alone in one and ending as parameters do."""
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
    """The canonical operations that a name of autograd or of a checker stands for."""
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
