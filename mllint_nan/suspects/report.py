"""What people have when a loss is NaN: the output of a program, read for its places and words.

Read are Python tracebacks, the forward traces of PyTorch's anomaly detection, JAX's and
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

from mllint_nan.frameworks.registry import functions, methods, spelled_functions

_FRAME: Final = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<row>\d+)(?:, in (?P<name>\S+))?')
_GRAPH_FRAME: Final = re.compile(r"^\s*\+ (?P<file>\S.*?) \(L(?P<row>\d+)\) (?P<name>\S+)")
"""As TensorFlow tells where an operation was made; long paths lose their beginnings."""
_CUT: Final = "..."
_PARTS_MOST: Final = 2
"""Of a path of another machine: the file and its folder."""
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

    def rows_in(self, path: str) -> tuple[int, ...]:
        """The rows of a file that were being run, the innermost last."""
        return tuple(frame.row for frame in self.frames if frame.is_of(path))

    def innermost_in(self, paths: Iterable[str]) -> tuple[str, int] | None:
        """The file of these, and its row, that was run deepest."""
        known = tuple(paths)
        for frame in reversed(self.frames):
            for path in known:
                if frame.is_of(path):
                    return path, frame.row
        return None


def report_of(text: str) -> Report:
    """Read an output.

    Of several tracebacks the one counts in which the anomaly arose: PyTorch's forward trace goes
    before that of `backward`, and a cause before what was raised while it was handled.

    >>> report_of("FloatingPointError: invalid value (nan) encountered in jit(div)").operations
    frozenset({'div'})
    """
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


def _frames(text: str) -> Iterator[Frame]:
    """The frames of the first traceback that has any, or of where an operation was made."""
    lines = text.splitlines()
    made = [found for found in map(_GRAPH_FRAME.match, lines) if found is not None]
    if made:
        yield from (Frame(one["file"], int(one["row"]), one["name"]) for one in made)
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
    called = {spelling.operation.name for _, spelling in methods(lowered)}
    return frozenset(called or {snake})


@lru_cache(1)
def _by_last_name() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for path in spelled_functions():
        names = {spelling.operation.name for spelling in functions(path)}
        found.setdefault(path.rpartition(".")[2].lower(), set()).update(names)
    return {name: frozenset(names) for name, names in found.items()}
