"""In which files of a project a name stands."""

from __future__ import annotations

import re
from array import array
from typing import Final

from mllint_nan.project_files import LARGEST, SourceFile, forget_texts, text_of
from mllint_nan.syntax.outline import holds

_SEARCHES_MOST: Final = 16
"""Names that are looked for one by one: an index of all costs as much as some forty of them."""
_WORDS: Final = re.compile(rb"[^\W\d]\w*")


class Mentions:
    """Answers for the files of a project; an index is made only where many names are asked for."""

    def __init__(self, files: tuple[SourceFile, ...]) -> None:
        self._files = files
        self._found: dict[str, list[SourceFile]] = {}
        self._index: dict[bytes, array[int]] | None = None

    def of(self, name: str) -> list[SourceFile]:
        """The files in whose text a name stands as a word, in the order of the project."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._searched(name)
        return found

    def _searched(self, name: str) -> list[SourceFile]:
        word = name.encode("utf-8", "surrogateescape")
        if self._index is None and len(self._found) >= _SEARCHES_MOST:
            self._index = self._indexed()
        if self._index is None:
            return [file for file in self._files if _is_read(file) and holds(text_of(*file), word)]
        return [self._files[place] for place in self._index.get(word, ())]

    def _indexed(self) -> dict[bytes, array[int]]:
        index: dict[bytes, array[int]] = {}
        for place, file in enumerate(self._files):
            for word in set(_WORDS.findall(text_of(*file))) if _is_read(file) else ():
                if word in index:
                    index[word].append(place)
                else:
                    index[word] = array("H", (place,))
        forget_texts()  # from here on few of them are read
        return index


def _is_read(file: SourceFile) -> bool:
    return file.size <= LARGEST
