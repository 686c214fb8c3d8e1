"""Find commits whose message mentions a non-finite number, as candidates for the table.

    python -m benchmarks.repairs.commits HOME [OWNER/NAME ...]

HOME holds clones, bare or not, each in a folder `OWNER+NAME`. For each commit that changes a few
lines of Python outside of tests, its repository, revision, date and subject are printed, with
tabs between. Whether it repairs a hazard, and where, has to be determined by hand.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SPEAKS: Final = (
    r"\bnans?\b|\binfs?\b|\binfinit|\bnon-?finite|numerical(ly)? ?(in|un)?-?stab"
    r"|numeric(al)? (issue|problem|error|precision)|div(ide|ision|iding|ided)?[ -]by[ -](zero|0)"
    r"|zero[ -]?div|underflow|overflow|log ?\(? ?(0|zero|of zero|of 0)|\beps(ilon)?\b"
)
_BESIDE: Final = re.compile(
    r"(^|/)(tests?|testing|docs?|third_party|external)/|(^|/)test_|_tests?\.py$|(^|/)conftest\.py$"
)
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_FILES_MOST: Final = 4
_LINES_MOST: Final = 40


@dataclass(frozen=True, slots=True)
class Hunk:
    """A change of a file: the rows before and after it, and its lines without the signs."""

    file: str
    before: range
    after: range
    lines: tuple[str, ...]


def git(clone: Path, *arguments: str) -> str:
    """Return what git prints. Raises `subprocess.CalledProcessError`."""
    command = ["git", "-C", str(clone), *arguments]
    done = subprocess.run(command, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def clone_of(home: Path, repository: str) -> Path:
    return home / repository.replace("/", "+")


def hunks_in(diff: str) -> list[Hunk]:
    """Return the changes in a diff without context, except in added and removed files.

    >>> hunks_in("--- a/m.py\\n+++ b/m.py\\n@@ -3,2 +3 @@ def f():\\n-a\\n-b\\n+c\\n")
    [Hunk(file='m.py', before=range(3, 5), after=range(3, 4), lines=('a', 'b', 'c'))]
    """
    found: list[Hunk] = []
    file, is_new = "", False
    for line in diff.splitlines():
        head = _HUNK.match(line)
        if line.startswith("--- "):
            is_new = not line.startswith("--- a/")
        elif line.startswith("+++ "):
            file = "" if is_new or not line.startswith("+++ b/") else line.removeprefix("+++ b/")
        elif head is not None and file:
            first, rows, then, others = (1 if each is None else int(each) for each in head.groups())
            found.append(Hunk(file, range(first, first + rows), range(then, then + others), ()))
        elif found and file and line[:1] in ("+", "-"):
            last = found.pop()
            found.append(Hunk(last.file, last.before, last.after, (*last.lines, line[1:])))
    return found


def changes(clone: Path, commit: str) -> list[Hunk]:
    """Return what a commit changes in Python files, compared with its only parent."""
    return hunks_in(git(clone, "diff", "-U0", "--no-renames", f"{commit}^", commit, "--", "*.py"))


def candidates(clone: Path) -> Iterator[str]:
    """Yield the revision, date and subject of each commit that may be a repair."""
    log = git(
        *(clone, "log", "HEAD", "--no-merges", "-i", "-P", f"--grep={_SPEAKS}"),
        *("--format=%H%x09%as%x09%s", "--", "*.py"),
    )
    for row in log.splitlines():
        try:
            changed = changes(clone, row.partition("\t")[0])
        except subprocess.CalledProcessError:  # it has no parent
            continue
        changed = [hunk for hunk in changed if not _BESIDE.search(hunk.file)]
        lines = [one for hunk in changed for one in hunk.lines if one.strip(" #")]
        files = {hunk.file for hunk in changed}
        if lines and len(lines) <= _LINES_MOST and len(files) <= _FILES_MOST:
            yield row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("home", type=Path)
    parser.add_argument("repository", nargs="*")
    options = parser.parse_args()
    clones = [clone_of(options.home, each) for each in options.repository]
    for clone in clones or sorted(each for each in options.home.iterdir() if each.is_dir()):
        for row in candidates(clone):
            print(clone.name.replace("+", "/"), row, sep="\t", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
