"""The changes of fixes in a tree, as rewrites that can be applied one by one.

A rewrite is a run of changed lines. Imports are no rewrites: every selection contains the added
ones, and keeps the dropped ones, so that each rewrite is independent of the others.

>>> before = "import torch\\na = x.sqrt()\\nb = a\\nc = y.log()\\n"
>>> after = "import torch\\na = (x + 1).sqrt()\\nb = a\\nc = y.log1p()\\n"
>>> first, second = rewrites_of("m.py", before, after)
>>> second.row, second.before, second.after
(4, 'c = y.log()\\n', 'c = y.log1p()\\n')
>>> print(rewritten(before, after, "m.py", [first]), end="")
import torch
a = (x + 1).sqrt()
b = a
c = y.log()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Final

_IMPORT: Final = re.compile(r"\s*(?:import|from)\s+[\w.]+.*")
_TEST: Final = re.compile(r"(?:^|.*_)tests?(?:_.*|$)|testing$|conftest$")


@dataclass(frozen=True, slots=True, order=True)
class Rewrite:
    """A change of the rows from `row` on (from 1) from `before` to `after`; either may be empty."""

    path: str
    row: int
    before: str
    after: str

    @property
    def rows(self) -> range:
        """The replaced rows; for inserted lines, the row before them."""
        count = self.before.count("\n")
        return range(self.row, self.row + count) if count else range(self.row - 1, self.row)

    def diff(self) -> str:
        rows = [f"-{line}" for line in self.before.splitlines()]
        rows += [f"+{line}" for line in self.after.splitlines()]
        return "\n".join(rows)


def rewrites_of(path: str, before: str, after: str) -> tuple[Rewrite, ...]:
    """Return the rewrites that turn `before` into `after`, without those of imports alone."""
    return tuple(
        Rewrite(path, start + 1, "".join(old), "".join(new))
        for start, old, new in _changes(before, after)
        if not _are_imports([*old, *new])
    )


def rewritten(before: str, after: str, path: str, chosen: Iterable[Rewrite]) -> str:
    """Return `before` with the chosen rewrites of `path`, and with the imports of both texts."""
    wanted = {rewrite.row for rewrite in chosen if rewrite.path == path}
    if not wanted:
        return before
    lines = before.splitlines(keepends=True)
    for start, old, new in reversed(list(_changes(before, after))):
        if _are_imports([*old, *new]):
            lines[start : start + len(old)] = [*old, *(line for line in new if line not in old)]
        elif start + 1 in wanted:
            lines[start : start + len(old)] = new
    return "".join(lines)


def _changes(before: str, after: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield each run of changed lines: the number of rows before it, the old and the new lines."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag != "equal":
            yield start, old[start:end], new[new_start:new_end]


def _are_imports(lines: Sequence[str]) -> bool:
    return all(not line.strip() or _IMPORT.fullmatch(line.rstrip()) for line in lines)


def is_of_tests(path: str) -> bool:
    """Whether a file belongs to the tests, by its name or that of a folder around it.

    >>> [is_of_tests(p) for p in ("a/b_test.py", "tests/util.py", "a/latest.py", "a/testers/b.py")]
    [True, True, False, False]
    """
    place = PurePosixPath(path)
    return any(_TEST.fullmatch(part) for part in (*place.parent.parts, place.stem))


@dataclass(frozen=True, slots=True)
class Function:
    """A function, by the first row of its code as CPython counts it, and its qualified name."""

    path: str
    row: int
    names: tuple[str, ...]

    @property
    def key(self) -> str:
        return f"{self.path}:{self.row}"


def function_around(rewrite: Rewrite, source: str) -> Function:
    """Return the innermost function where a rewrite begins, or else the module, in row 1."""
    found = Function(rewrite.path, 1, ())
    scope: ast.AST = ast.parse(source)
    names: tuple[str, ...] = ()
    while (inner := _child_at(scope, rewrite.rows[0])) is not None:
        scope = inner
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = (*names, inner.name)
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            found = Function(rewrite.path, _first_row(inner), names)
    return found


def _child_at(scope: ast.AST, row: int) -> ast.stmt | None:
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, ast.stmt) and _first_row(child) <= row <= (child.end_lineno or 0):
            return child
        if isinstance(child, ast.ExceptHandler | ast.match_case):
            inner = _child_at(child, row)
            if inner is not None:
                return inner
    return None


def _first_row(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])
