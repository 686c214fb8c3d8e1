"""Which tests a change concerns: by the functions that they entered, or until then by names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from benchmarks.package_tests.rewrites import Function, Rewrite, function_around
from benchmarks.package_tests.running import FileResult

_WORD: Final = re.compile(r"[A-Za-z_]\w{3,}")
_ANYWHERE: Final = frozenset({"forward", "init", "call", "test", "self"})
"""Names that are too common to identify anything."""


@cache
def _function(rewrite: Rewrite, source: Path) -> Function:
    return function_around(rewrite, (source / rewrite.path).read_bytes().decode())


def function_keys(rewrites: Iterable[Rewrite], source: Path) -> dict[Rewrite, str]:
    return {rewrite: _function(rewrite, source).key for rewrite in rewrites}


def affected(
    rewrites: Iterable[Rewrite],
    before: Mapping[str, FileResult],
    source: Path,
    but: Collection[str] = (),
) -> dict[str, list[str]]:
    """Return the passed tests that entered a rewritten function, or imported a rewritten module."""
    touched = set(function_keys(rewrites, source).values())
    found: dict[str, list[str]] = {}
    for file, result in before.items():
        by_import = not touched.isdisjoint(result.imported)
        tests = [
            one.test
            for one in result.tests
            if one.outcome == "passed"
            and one.test not in but
            and (by_import or not touched.isdisjoint(one.calls))
        ]
        if tests:
            found[file] = tests
    return found


def ranked(files: Sequence[str], rewrites: Iterable[Rewrite], source: Path) -> list[str]:
    """Return the test files, first those that name most of what is rewritten.

    Names that many files use say little: each name counts 1 / the number of files that use it.
    """
    functions = {_function(rewrite, source) for rewrite in rewrites}
    wanted = [_names_of(function) for function in functions]
    words = {file: _words_of(source / file) for file in files}
    scores = dict.fromkeys(files, 0.0)
    for names in wanted:
        naming = [file for file in files if not names.isdisjoint(words[file])]
        for file in naming:
            scores[file] += 1 / len(naming)
    return sorted(files, key=lambda file: (-scores[file], file))


def _words_of(file: Path) -> frozenset[str]:
    """Return the words in a test file, and the name that it is named after."""
    text = file.read_text(encoding="utf-8", errors="replace")
    stem = file.stem.removeprefix("test_").removesuffix("_test")
    return frozenset(_WORD.findall(text)) | {stem}


def batch(files: Sequence[str], most: int) -> list[str]:
    """Return the first files that can share a process: pytest takes no two of the same name."""
    chosen: dict[str, str] = {}
    for file in files:
        if len(chosen) < most:
            chosen.setdefault(PurePosixPath(file).name, file)
    return list(chosen.values())


def _names_of(function: Function) -> frozenset[str]:
    names = {name for name in function.names if _WORD.fullmatch(name)}
    names.add(PurePosixPath(function.path).stem.strip("_"))
    return frozenset(names) - _ANYWHERE
