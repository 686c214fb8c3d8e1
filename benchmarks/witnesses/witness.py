"""What an execution showed at one line, and the table of such witnesses."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from enum import Enum
from pathlib import Path
from typing import Any


class Grade(str, Enum):
    """How far the input that shows a witness is from what a user has, mildest first."""

    ORDINARY = "ordinary"
    """Padding, duplicates, an empty mask, a batch of one, logits after long training."""
    STRESS = "stress"
    """Large magnitudes, half precision."""
    EXTREME = "extreme"
    """The bounds of the format."""


class Effect(str, Enum):
    """What goes wrong at a line."""

    VALUE = "value"
    """A non-finite value of finite operands."""
    GRADIENT = "gradient"
    """A non-finite gradient from a finite one."""
    DEAD = "dead"
    """A gradient that becomes 0 where the loss is not minimal."""


@dataclass(frozen=True, slots=True, order=True)
class Witness:
    """A line of a package that was shown to break; `line` is where the operation starts."""

    package: str
    version: str
    file: str
    """Relative to the folder that contains the package, with `/`: `kornia/losses/ssim.py`."""
    line: int
    column: int
    """1-based, in characters; 0 if the framework tells only the line."""
    function: str
    """The qualified name within the file: `SSIMLoss.forward`."""
    operation: str
    """The framework's name without its module: `sqrt`, `div`, `log_softmax`."""
    effect: Effect
    grade: Grade
    kind: str
    """The name of a kind of input in `kinds.py`: `zeros`, `equal-rows`."""
    framework: str
    driver: str
    """`tests`, `calls` or `scripts`."""
    command: str
    """The command that shows it again, run in the folder of the runs."""

    @property
    def place(self) -> tuple[str, str, int, int, Effect]:
        """The key by which records are the same witness."""
        return (self.package, self.file, self.line, self.column, self.effect)


def worst(*grades: Grade) -> Grade:
    """Return the grade that is farthest from what a user has."""
    order = list(Grade)
    return max(grades, key=order.index)


def mildest(witnesses: Iterable[Witness]) -> list[Witness]:
    """Return one witness for each place: the first of the mildest grade."""
    order = list(Grade)
    kept: dict[tuple[str, str, int, int, Effect], Witness] = {}
    for witness in sorted(witnesses):
        known = kept.get(witness.place)
        if known is None or order.index(witness.grade) < order.index(known.grade):
            kept[witness.place] = witness
    return sorted(kept.values())


def write_table(path: Path, witnesses: Sequence[Witness]) -> None:
    """Write a tab-separated table with a header."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream, delimiter="\t", lineterminator="\n")
        table.writerow(field.name for field in fields(Witness))
        for witness in witnesses:
            row = asdict(witness)
            table.writerow(
                value.value if isinstance(value, Enum) else value for value in row.values()
            )


def read_table(path: Path) -> list[Witness]:
    """Return the rows of `write_table`. Raises `ValueError` for an invalid row."""
    with path.open(newline="", encoding="utf-8") as stream:
        return [_read(row) for row in csv.DictReader(stream, delimiter="\t")]


def _read(row: dict[str, Any]) -> Witness:
    numbers = {"line": int(row["line"]), "column": int(row["column"])}
    return Witness(
        **{**row, **numbers, "effect": Effect(row["effect"]), "grade": Grade(row["grade"])}
    )
