"""Which tests a change concerns: by what they entered when they ran, and until then by names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from benchmarks.trials.rewrites import Function, Rewrite, function_around
from benchmarks.trials.running import FileResult

_WORD: Final = re.compile(r"[A-Za-z_]\w{3,}")
_ANYWHERE: Final = frozenset({"forward", "init", "call", "test", "self"})
"""Names that say nothing of what is meant."""


@cache
def _function(rewrite: Rewrite, source: Path) -> Function:
    return function_around(rewrite, (source / rewrite.path).read_bytes().decode())


def function_keys(rewrites: Iterable[Rewrite], source: Path) -> dict[Rewrite, str]:
    return {rewrite: _function(rewrite, source).key for rewrite in rewrites}


def affected(
    rewrites: Iterable[Rewrite], before: Mapping[str, FileResult], source: Path
) -> dict[str, list[str]]:
    """The tests that passed and entered a function, or imported a module, that is rewritten."""
    touched = set(function_keys(rewrites, source).values())
    found: dict[str, list[str]] = {}
    for file, result in before.items():
        by_import = not touched.isdisjoint(result.imported)
        tests = [
            one.test
            for one in result.tests
            if one.outcome == "passed" and (by_import or not touched.isdisjoint(one.calls))
        ]
        if tests:
            found[file] = tests
    return found


def ranked(files: Sequence[str], rewrites: Iterable[Rewrite], source: Path) -> list[str]:
    """The test files, those first that name most of what is rewritten, or are named after it."""
    functions = {_function(rewrite, source) for rewrite in rewrites}
    wanted = [_names_of(function) for function in functions]

    def order(file: str) -> tuple[int, str]:
        text = (source / file).read_text(encoding="utf-8", errors="replace")
        words = {*_WORD.findall(text), *_parts(file)}
        return -sum(2 * bool(one & words) for one in wanted), file

    return sorted(files, key=order)


def batch(files: Sequence[str], most: int) -> list[str]:
    """The first files, as many as may share a process: pytest takes no two of the same name."""
    chosen: dict[str, str] = {}
    for file in files:
        if PurePosixPath(file).name in chosen or len(chosen) == most:
            break
        chosen[PurePosixPath(file).name] = file
    return list(chosen.values())


def _names_of(function: Function) -> frozenset[str]:
    names = {name for name in function.names if _WORD.fullmatch(name)}
    names.add(PurePosixPath(function.path).stem.strip("_"))
    return frozenset(names) - _ANYWHERE


def _parts(file: str) -> frozenset[str]:
    stem = PurePosixPath(file).stem
    return frozenset({stem.removeprefix("test_").removesuffix("_test")})
