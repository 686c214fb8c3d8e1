"""The words of a project's files: an index of which file contains which, kept between runs.

The index is a text, sorted by word and searched as it is, so that a run that asks for few words
reads little else. Files that have changed since are read again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from mllint_nan.project_files import LARGEST, SourceFile, text_of, text_read

LETTER: Final = re.compile(rb"[\w\x80-\xff]")
"""A byte that names are made of."""
_NO_LETTERS: Final = bytes(
    code if LETTER.match(bytes((code,))) else ord(" ") for code in range(256)
)
"""A translation table: bytes of names stay, all others become spaces."""
_CHANGED_MOST: Final = 128
"""If more files have changed, a new index is made."""

_ORDER: Final = "sorted"
"""The order of an index's rows, which is part of its file name."""

_home: list[str] = []
"""Where indices are kept, if anywhere."""


def keep_in(directory: str | None) -> None:
    """Keep indices in a directory of a cache, or nowhere."""
    _home[:] = [directory] if directory is not None else []


def are_kept() -> bool:
    """Whether indices are kept for other runs."""
    return bool(_home)


class _Lines:
    """An index as it is kept: words, in order, each with the numbers of files."""

    def __init__(self, lines: bytes) -> None:
        self._lines = lines

    def numbers(self, word: bytes) -> Iterable[int]:
        return map(int, self._row_of(word).split())

    def _row_of(self, word: bytes) -> bytes:
        """The rest of the row of a word, found by bisection; empty if it has none."""
        lines, first, last = self._lines, 0, len(self._lines) - 1
        while first < last:
            start = lines.rfind(b"\n", first, (first + last) // 2 + 1)
            end = lines.index(b"\n", start + 1)
            known, _, numbers = lines[start + 1 : end].partition(b" ")
            if known == word:
                return numbers
            if known < word:
                first = end
            else:
                last = start
        return b""


class WordIndex:
    """Which of some files contain a word."""

    def __init__(
        self,
        files: tuple[SourceFile, ...],
        numbers: Callable[[bytes], Iterable[int]],
        place: dict[int, int],
    ) -> None:
        """`numbers` finds a word's file numbers in the index; `place` maps these to `files`."""
        self._files = files
        self._numbers = numbers
        self._place = place
        others = sorted({*range(len(files))}.difference(place.values()))
        self._others = [(number, _words_of(files[number])) for number in others]

    @classmethod
    def made(cls, files: tuple[SourceFile, ...]) -> WordIndex:
        """Make an index of all words; it is kept for other runs if any is."""
        index: defaultdict[bytes, array[int]] = defaultdict(partial(array, "I"))
        for number, file in enumerate(files):
            for word in words_in(text_read(*file)) if is_read(file) else ():
                index[word].append(number)
        place = dict(zip(range(len(files)), range(len(files)), strict=True))
        if not are_kept():
            return cls(files, lambda word: index.get(word, ()), place)
        written = [b"%d" % number for number in range(len(files))]
        lines = b"".join(
            b"\n%s %s" % (word, b" ".join(map(written.__getitem__, index[word])))
            for word in sorted(index)
        )
        _write(files, lines + b"\n")
        return cls(files, _Lines(lines + b"\n").numbers, place)

    @classmethod
    def kept(cls, files: tuple[SourceFile, ...]) -> WordIndex | None:
        """The index that an earlier run has made, if most files are unchanged."""
        try:
            digest, _, body = _file_of(files).read_bytes().partition(b"\n")
            if digest.decode() != hashlib.sha256(body).hexdigest():
                return None
            head, _, lines = body.partition(b"\n")
            now = {file: number for number, file in enumerate(files)}
            before = [SourceFile(*one) for one in json.loads(head)]
        except (OSError, ValueError, TypeError, IndexError):
            return None
        place = {number: now[file] for number, file in enumerate(before) if file in now}
        return (
            cls(files, _Lines(b"\n" + lines).numbers, place)
            if len(files) - len(place) <= _CHANGED_MOST
            else None
        )

    def files(self, word: bytes) -> list[SourceFile]:
        """The files that contain a word, in their order."""
        found = {number for number, words in self._others if word in words}
        numbers = self._numbers(word)
        found.update(self._place[number] for number in numbers if number in self._place)
        return [self._files[number] for number in sorted(found)]


def is_read(file: SourceFile) -> bool:
    """Whether a file is small enough to be read."""
    return file.size <= LARGEST


@lru_cache(_CHANGED_MOST)
def words_of(file: SourceFile) -> frozenset[bytes]:
    """The words of a file; none if it is too large to be read."""
    return frozenset(_words_of(file))


def words_in(text: bytes) -> set[bytes]:
    return set(text.translate(_NO_LETTERS).split())


def _words_of(file: SourceFile) -> set[bytes]:
    return words_in(text_of(*file)) if is_read(file) else set()


def _file_of(files: tuple[SourceFile, ...]) -> Path:
    """Where the index of a project is kept; raises IndexError or ValueError if nowhere."""
    project = os.path.commonpath([file.file for file in files])
    name = hashlib.sha256(f"{_ORDER} {project}".encode("utf-8", "surrogateescape")).hexdigest()
    return Path(_home[0], "words", name)


def _write(files: tuple[SourceFile, ...], lines: bytes) -> None:
    """Keep an index; if it cannot be kept, later runs make it again."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        kept = _file_of(files)
        kept.parent.mkdir(exist_ok=True)
        body = json.dumps(files).encode() + lines
        descriptor, temporary = tempfile.mkstemp(dir=kept.parent)
        with open(descriptor, "wb") as written:
            written.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        os.replace(temporary, kept)
