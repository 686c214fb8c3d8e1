"""What the files of a project import, by the look of it: which of them may name another one.

An index of imports takes a quarter of the time of one of all words, and of its memory.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final

from mllint_nan.project_files import SourceFile, text_of, text_read
from mllint_nan.syntax.symbol_table import holds
from mllint_nan.words import is_read, words_in

_KEPT_MOST: Final = 1024
_IMPORT: Final = re.compile(rb"\n[ \t]*((?:from|import)[ \t][^#\n]*(?:\([^)]*\))?)")
"""What a text imports, as it is written, in a row below another."""
_WHOLE: Final = re.compile(rb"import (?=(\w+))|from (?=(\w+)(?:\.\w+)* import \*)")
"""How a module is imported as a whole; where several are, each stands for itself."""
_PLAIN: Final = re.compile(rb"\w+")


@lru_cache(_KEPT_MOST)
def _imports_of(file: str, changed: int, size: int) -> bytes:
    return _imports_in(text_of(file, changed, size))


def _imports_in(text: bytes) -> bytes:
    return b"\n".join(_IMPORT.findall(b"\n" + text))


def imports_some(file: SourceFile, words: Collection[str], package: str) -> bool:
    """Whether a text imports one of the words, or a package as a whole."""
    imports = _imports_of(*file)
    if any(holds(imports, word.encode()) for word in words):
        return True
    whole = rb"import %s\b|from %s(\.\w+)* import \*" % ((re.escape(package.encode()),) * 2)
    return re.search(whole, imports) is not None


class ImportIndex:
    """Which of some files import a word, or a module as a whole."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self._files = [file for file in files if is_read(file)]
        self._naming: dict[bytes, list[SourceFile]] = {}
        self._whole: dict[bytes, list[SourceFile]] = {}
        for file in self._files:
            imports = _imports_in(text_read(*file))
            for word in words_in(imports):
                self._naming.setdefault(word, []).append(file)
            for module in {one or other for one, other in _WHOLE.findall(imports)}:
                self._whole.setdefault(module, []).append(file)

    def files(self, words: Collection[str], package: str) -> set[SourceFile]:
        """Those of which `imports_some` is true."""
        found: set[SourceFile] = set()
        for word in words:
            found.update(self._naming.get(word.encode(), ()))
        module = package.encode()
        if _PLAIN.fullmatch(module):
            return found.union(self._whole.get(module, ()))
        return {file for file in self._files if file in found or imports_some(file, (), package)}
