"""The table of repairs: operations, by line, that a commit protected from breaking."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GRADES: Final = ("ordinary", "rare", "extreme")
"""How common the input is that breaks the operation."""
FLAWS: Final = ("value", "gradient", "both", "digits")
COLUMNS: Final = (
    *("repository", "commit", "file", "rows", "flaw", "operation", "input", "grade", "complete"),
)


@dataclass(frozen=True, slots=True)
class Repair:
    """An operation that its author repaired, and its place before the commit."""

    repository: str
    commit: str
    file: str
    first: int
    last: int
    flaw: str
    operation: str
    input: str
    grade: str
    is_complete: bool
    """Whether no input breaks the operation after the commit, as far as a reader can tell."""

    @property
    def half(self) -> str:
        return half_of(self.repository)


def half_of(repository: str) -> str:
    """Return the half of a repository, by a hash of its name: `dev` or `held-out`."""
    digest = hashlib.sha256(repository.lower().encode()).hexdigest()
    return "dev" if int(digest, 16) % 2 else "held-out"


def read_table(path: Path) -> list[Repair]:
    """Return the rows of a table. Raises `ValueError`, with the place, for an invalid row."""
    found = []
    with path.open(encoding="utf-8", newline="") as opened:
        rows = csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE)
        if tuple(next(rows, ())) != COLUMNS:
            raise ValueError(f"{path}:1: the columns are {', '.join(COLUMNS)}")
        for number, row in enumerate(rows, 2):
            if len(row) != len(COLUMNS) or row[4] not in FLAWS or row[7] not in GRADES:
                raise ValueError(f"{path}:{number}: no row of {len(COLUMNS)} columns")
            repository, commit, file, rows_text, flaw, operation, broken_by, grade, complete = row
            first, _, last = rows_text.partition("-")
            place = (repository, commit, file, int(first), int(last or first))
            found.append(Repair(*place, flaw, operation, broken_by, grade, complete == "yes"))
    return found
