"""In which files of a project a name stands, and as what: from their words, without a tree.

What is answered here only decides which files are parsed: where words do not tell, a file is named.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from mllint_nan.project_files import LARGEST, SourceFile, forget_texts, text_of
from mllint_nan.syntax.outline import holds

_SEARCHES_MOST: Final = 16
"""Names that are looked for one by one: an index of all costs as much as some forty of them."""
_LETTERS: Final = re.compile(rb"[\w\x80-\xff]")
_NO_LETTERS: Final = bytes(
    code if _LETTERS.match(bytes((code,))) else ord(" ") for code in range(256)
)
"""By byte: itself where names are made of it, else a space."""
_KEPT_MOST: Final = 4096
_IMPORT: Final = re.compile(
    rb"(?m)(?:^|[:;])[ \t\f]*(?:"
    rb"from[ \t]*([.\w \t]*?)[ \t]*\bimport\b[ \t]*(\((?:[^)#]|#[^\n]*)*\)|[^\n;#]*)"
    rb"|import[ \t]+([^\n;#]*))"
)
"""What a text imports: the module and the names of a `from`, or the modules."""
_REMARK: Final = re.compile(rb"#[^\n]*")
_CONTINUED: Final = re.compile(rb"\\\n")
_CHAIN: Final = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:\.[\w\x80-\xff]+)+")
"""Names with dots between them, as they are mostly written."""

_ATTRIBUTE: Final = re.compile(rb"([\])\s]?)\.(\s*)([A-Za-z_\x80-\xff][\w\x80-\xff]*)")
_BRACKETED: Final = re.compile(rb"\([\s\w.]*\)\.([A-Za-z_\x80-\xff][\w\x80-\xff]*)")
_WORD_END: Final = re.compile(rb"[\w\])\x80-\xff]")


class Mentions:
    """Answers for the files of a project; an index is made only where many names are asked for."""

    def __init__(self, files: tuple[SourceFile, ...]) -> None:
        self._files = files
        self._found: dict[str, list[SourceFile]] = {}
        self._together: dict[str, frozenset[SourceFile]] = {}
        self._methods: dict[str, list[SourceFile]] = {}
        self._index: dict[bytes, array[int]] | None = None

    def of(self, name: str) -> list[SourceFile]:
        """The files in whose text a name stands as a word, in the order of the project."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._searched(name)
        return found

    def holding(self, name: str) -> frozenset[SourceFile]:
        """The same files, of which one is looked for."""
        found = self._together.get(name)
        if found is None:
            found = self._together[name] = frozenset(self.of(name))
        return found

    def defining(self, name: str) -> list[SourceFile]:
        """Those among them in which a function of the name may be defined."""
        found = self._methods.get(name)
        if found is None:
            definition = re.compile(rb"\bdef[\s\\]+%s\b" % re.escape(_bytes_of(name)))
            found = self._methods[name] = [
                file
                for file in self.of(name)
                if not _is_source(file) or definition.search(text_of(*file))
            ]
        return found

    def _searched(self, name: str) -> list[SourceFile]:
        word = _bytes_of(name)
        if self._index is None and len(self._found) >= _SEARCHES_MOST:
            self._index = self._indexed()
        if self._index is None:
            return [file for file in self._files if _is_read(file) and holds(text_of(*file), word)]
        return [self._files[place] for place in self._index.get(word, ())]

    def _indexed(self) -> dict[bytes, array[int]]:
        index: dict[bytes, array[int]] = {}
        for place, file in enumerate(self._files):
            words = set(text_of(*file).translate(_NO_LETTERS).split()) if _is_read(file) else ()
            for word in words:
                if word in index:
                    index[word].append(place)
                else:
                    index[word] = array("H", (place,))
        forget_texts()  # from here on few of them are read
        return index


class Names(NamedTuple):
    """What a text imports and which attributes it names, by the look of it."""

    imports: Mapping[str, tuple[str, ...]]
    """By the name that it has in the text: the qualified names that it may stand for."""
    chains: Mapping[str, tuple[str, ...]]
    """By the last name of a dotted chain: what stands before it."""
    others: frozenset[str]
    """The attributes of what may be such a chain, written in another way."""
    called: frozenset[str]
    """Those of what is called, as of `f(x)` in `f(x).mean()`."""


def may_name(file: SourceFile, name: str, package: str, is_meant: Callable[[str], bool]) -> bool:
    """Whether something that a file imports may be meant by a name in it.

    `is_meant` is asked of qualified names; relative imports are relative to `package`.
    """
    if not _is_source(file):
        return True
    names = names_of(file, package)
    if any(
        one.endswith(f".{name}") and is_meant(one)
        for some in names.imports.values()
        for one in some
    ):
        return True
    for chain in names.chains.get(name, ()):
        head, dot, rest = chain.partition(".")
        for target in names.imports.get(head, ()):
            if is_meant(f"{target}{dot}{rest}.{name}"):
                return True
    return name in names.others


def names_as_attribute(file: SourceFile, name: str, package: str) -> bool:
    """Whether a name may stand in a file as that of an attribute."""
    if not _is_source(file):
        return True
    names = names_of(file, package)
    return name in names.chains or name in names.others or name in names.called


@lru_cache(_KEPT_MOST)
def names_of(file: SourceFile, package: str) -> Names:
    """What is imported by a file, and named in it as an attribute."""
    text = text_of(*file)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = _CONTINUED.sub(b" ", text)
    imports: dict[str, list[str]] = {}
    for found in _IMPORT.finditer(text):
        for name, target in _imported(*found.groups(b""), package):
            imports.setdefault(name, []).append(target)
    chains: dict[str, list[str]] = {}
    for one in set(_CHAIN.findall(text)):
        before, _, name = one.decode("utf-8", "surrogateescape").rpartition(".")
        chains.setdefault(name, []).append(before)
    others, called = set[bytes](), set[bytes]()
    for before, between, attribute in set(_ATTRIBUTE.findall(text)):
        if before == b")" and not between:
            called.add(attribute)
        elif between or before == b"]" or before.isspace():
            others.add(attribute)
    for found in _BRACKETED.finditer(text):
        if not _WORD_END.match(text[found.start() - 1 : found.start()]):
            others.add(found[1])
    return Names(
        {name: tuple(some) for name, some in imports.items()},
        {name: tuple(some) for name, some in chains.items()},
        frozenset(one.decode("utf-8", "surrogateescape") for one in others),
        frozenset(one.decode("utf-8", "surrogateescape") for one in called),
    )


def _imported(home: bytes, names: bytes, modules: bytes, package: str) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with what it stands for."""
    for written in _REMARK.sub(b"", modules).split(b","):
        words = written.decode("utf-8", "surrogateescape").split()
        if len(words) == 3:
            yield words[2], words[0]
        elif words:
            first = words[0].partition(".")[0]
            yield first, first
    module = home.decode("utf-8", "surrogateescape").replace(" ", "").replace("\t", "")
    inner = module.lstrip(".")
    level = len(module) - len(inner)
    if level:
        parts = package.split(".") if package else []
        module = ".".join((*parts[: len(parts) - level + 1], *([inner] if inner else ())))
    for written in _REMARK.sub(b"", names.strip(b"() \t")).split(b",") if home else ():
        words = written.decode("utf-8", "surrogateescape").split()
        if words and words[0] != "*":
            yield words[-1], f"{module}.{words[0]}" if module else words[0]


def _bytes_of(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _is_source(file: SourceFile) -> bool:
    return file.file.endswith(".py")


def _is_read(file: SourceFile) -> bool:
    return file.size <= LARGEST
