"""What the files of a project import, judged without parsing: which may name another one.

An index of imports takes a quarter of the time and memory of an index of all words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from mllint_nan.project_files import SourceFile, text_of, text_read
from mllint_nan.syntax.symbol_table import holds
from mllint_nan.words import is_read, words_in

_KEPT_MOST: Final = 1024
"""The most texts whose imports are kept."""
_IMPORT: Final = re.compile(rb"\n[ \t]*((?:from|import)[ \t][^#\n]*(?:\([^)]*\))?)")
"""An import as it is written, in a row below another one."""
_WHOLE: Final = re.compile(rb"import (?=(\w+))|from (?=(\w+)(?:\.\w+)* import \*)")
"""How a module is imported as a whole; lookaheads let the matches overlap."""
_PLAIN: Final = re.compile(rb"\w+")
_STATEMENT: Final = re.compile(
    r"[\n;][ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import\b)[ \t]*"
    r"(\((?:[^()#]|#[^\n]*)*\)|(?:[^\n;#\\]|\\\r?\n)*)"
)
"""An import behind the end of a row or statement: the module, if it is from one, and the names."""
_COMMENT: Final = re.compile(r"#[^\n]*")
_NAMED: Final = re.compile(r"([\w.]+|\*)(?:\s+as\s+(\w+))?")
_CHAIN: Final = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*\s*\Z")
"""The dotted name that a text ends with."""
_CHAIN_LONGEST: Final = 100
_LOOKUPS: Final = (b"getattr(", b"__dict__[", b"vars(", b"globals()[")
"""A text that looks up names in a module contains one of these."""
_LOOKED_UP_IN: Final = r"{name}(?:(\s*[,)])|\.__dict__\[)"
"""A module that may be passed to a call, or whose names are read; the text before it decides."""


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


@dataclass(frozen=True, slots=True)
class _Imported:
    """The names that the imports of a text bind, in any scope."""

    bound: Mapping[str, frozenset[str]]
    """By name: the qualified names that it may stand for."""
    stars: frozenset[str]
    """The modules of star imports, each followed by a dot."""


@lru_cache(_KEPT_MOST)
def _imported_by(file: SourceFile) -> _Imported:
    bound: dict[str, set[str]] = {}
    stars: set[str] = set()
    for module, named in _STATEMENT.findall("\n" + _decoded(file)):
        before = module if not module or module.endswith(".") else f"{module}."
        for name, other in _NAMED.findall(_COMMENT.sub("", named)):
            if name == "*":
                stars.add(before)
            else:
                whole = f"{before}{name}" if module or other else name.partition(".")[0]
                bound.setdefault(other or whole.rpartition(".")[2], set()).add(whole)
    return _Imported({name: frozenset(paths) for name, paths in bound.items()}, frozenset(stars))


def _decoded(file: SourceFile) -> str:
    return text_of(*file).decode(errors="replace")


def paths_to(file: SourceFile, words: Collection[str]) -> frozenset[str]:
    """The qualified names by which a text may mean some words, judged by its imports."""
    imported = _imported_by(file)
    found = {
        path
        for name, paths in imported.bound.items()
        for path in paths
        if name in words or path.rpartition(".")[2] in words
    }
    found.update(f"{star}{word}" for star in imported.stars for word in words)
    text = _decoded(file)
    for member in re.finditer(rf"\.\s*(?:{'|'.join(map(re.escape, words))})\b", text):
        before = _CHAIN.search(text, max(0, member.start() - _CHAIN_LONGEST), member.start())
        first, *rest = re.split(r"\s*\.\s*", f"{before[0] if before else ''}{member[0]}")
        found.update(".".join((path, *rest)) for path in imported.bound.get(first, ()))
    return frozenset(found)


@lru_cache(_KEPT_MOST)
def modules_looked_up(file: SourceFile, stem: str) -> Mapping[str, frozenset[str]]:
    """The names by which a text looks something up in a module: `getattr(losses, name)`.

    Each has the qualified names that it may stand for. `globals` stands for the module if the
    text looks names up in `globals()`, which has what is imported from it.
    """
    text = text_of(*file)
    if not any(word in text for word in _LOOKUPS) or not holds(text, stem.encode()):
        return {}
    code, imported = _decoded(file), _imported_by(file)
    found = {
        name: paths
        for name, paths in imported.bound.items()
        if any(path.rpartition(".")[2] == stem for path in paths) and _is_looked_in(name, code)
    }
    if _LOOKUPS[-1] in text:
        named = {path.rpartition(".")[0] for paths in imported.bound.values() for path in paths}
        modules = {*named, *(star.removesuffix(".") for star in imported.stars)}
        own = frozenset(one for one in modules if one.rpartition(".")[2] == stem)
        found.update({"globals": own} if own else {})
    return found


def _is_looked_in(module: str, code: str) -> bool:
    """Whether a module is passed to a call, or its names are read: `getattr(losses, name)`.

    Searching for the name first takes a fraction of the time of searching for what precedes it.
    """
    for found in re.finditer(_LOOKED_UP_IN.format(name=re.escape(module)), code):
        before = found.start() - 1
        if found[1] is None:
            if before < 0 or not (code[before].isalnum() or code[before] == "_"):
                return True
            continue
        while before >= 0 and code[before].isspace():
            before -= 1
        if before >= 0 and code[before] in "(,=":
            return True
    return False


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
        """The files for which `imports_some` is true."""
        found: set[SourceFile] = set()
        for word in words:
            found.update(self._naming.get(word.encode(), ()))
        module = package.encode()
        if _PLAIN.fullmatch(module):
            return found.union(self._whole.get(module, ()))
        return {file for file in self._files if file in found or imports_some(file, (), package)}
