"""Which files of a project mention a name, and as what: judged by their words, without parsing.

The answer only decides which files are parsed: in doubt, a file is included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from mllint_nan.attribute_names import (
    HEIRS_MOST,
    AttributeIndex,
    heirs_in,
    names_any,
    sets,
    words_of_names,
)
from mllint_nan.importers import ImportIndex
from mllint_nan.project_files import SourceFile, forget_texts, is_test, text_of
from mllint_nan.syntax.symbol_table import holds
from mllint_nan.words import LETTER, WordIndex, are_kept, is_read, words_of

_SEARCHES_MOST: Final = 16
"""The most names that are searched for singly; an index of all costs some forty searches."""
_KEPT_MOST: Final = 4096
_IMPORTED: Final = re.compile(rb"import\b[ \t]*(\((?:[^)#]|#[^\n]*)*\)|[^\n;#]*)")
"""What follows the word `import`."""
_FROM: Final = re.compile(rb"(?:^|[:;])[ \t\f]*from[ \t]*([.\w \t]*)$")
_ALONE: Final = re.compile(rb"(?:^|[:;])[ \t\f]*$")
"""What may precede `import` in its row."""
_REMARK: Final = re.compile(rb"#[^\n]*")
_CONTINUED: Final = re.compile(rb"\\\n")
_APART: Final = re.compile(rb"\.[\s\\]+([A-Za-z_\x80-\xff][\w\x80-\xff]*)")
"""An attribute with white space between its dot and its name."""
_NO_CHAIN: Final = bytes(
    code if code == ord(".") or LETTER.match(bytes((code,))) else ord(" ") for code in range(256)
)
"""A translation table: bytes of dotted names stay, all others become spaces."""
_IN_CHAIN: Final = bytes(code for code in range(256) if _NO_CHAIN[code] != ord(" ")) + b" \n\t"
_RENAMED: Final = re.compile(rb"[\s\\]+as\b")
"""What follows a name that is imported under an alias."""
_HEADER_MOST: Final = 1_000
"""The most bytes between the beginning of a class and one of its bases."""
_BETWEEN: Final = b" \t\n\r\f\v\\"
"""The bytes that may stand between `def` and a name."""
_SPACES: Final = frozenset(bytes((code,)) for code in _BETWEEN)
_WORD: Final = re.compile(rb"\w")
_FARTHEST: Final = 120
"""The most bytes in which the beginning of a dotted name is searched for."""


class Mentions:
    """Answers for the files of a project; an index is made only if many names are asked for."""

    def __init__(self, files: tuple[SourceFile, ...]) -> None:
        self._files = files
        self._found: dict[str, list[SourceFile]] = {}
        self._together: dict[str, frozenset[SourceFile]] = {}
        self._methods: dict[str, list[SourceFile]] = {}
        self._dense: dict[str, list[SourceFile]] = {}
        self._index: WordIndex | None = None
        self._imports: ImportIndex | None = None
        self._attributes: AttributeIndex | None = None
        self._heirs: dict[tuple[str, str], frozenset[str]] = {}
        self._by_path: dict[str, SourceFile] = {}

    def of(self, name: str) -> list[SourceFile]:
        """The files that contain a name as a word, in the order of the project."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._searched(name)
        return found

    def holding(self, name: str) -> frozenset[SourceFile]:
        """The files that contain a name as a word, as a set."""
        found = self._together.get(name)
        if found is None:
            found = self._together[name] = frozenset(self.of(name))
        return found

    def defining(self, name: str) -> list[SourceFile]:
        """The files that may define a function of the name."""
        found = self._methods.get(name)
        if found is None:
            found = self._methods[name] = [
                file
                for file in self.of(name)
                if not _is_source(file) or _defines(text_of(*file), _bytes_of(name))
            ]
        return found

    def by_density(self, name: str) -> list[SourceFile]:
        """The files that `defining` finds, those with the most definitions per byte first."""
        found = self._dense.get(name)
        if found is None:
            definition = b"def " + _bytes_of(name)
            found = self._dense[name] = sorted(
                self.defining(name),
                key=lambda file: file.size / (1 + text_of(*file).count(definition)),
            )
        return found

    def importing(self, words: Collection[str], package: str) -> set[SourceFile] | None:
        """The files that import one of some words, or a package as a whole.

        `None` if there is an index of all words, or one will be made anyway: it tells more.
        """
        if self._index is not None or are_kept():
            return None
        if self._imports is None:
            self._imports = ImportIndex(self._files)
        return self._imports.files(words, package)

    def setting(
        self, name: str, classes: Collection[str], *, only_numbers: bool
    ) -> set[SourceFile]:
        """The files that may set an attribute of a name, or derive a class from one of some."""
        index = self._attribute_index()
        if index is not None:
            return index.files(name, classes, only_numbers=only_numbers)
        files = {one for word in (name, *classes) for one in self.of(word)}
        return {file for file in files if sets(file, name, classes)}

    def names_any(self, file: SourceFile, classes: Collection[str]) -> bool:
        """Whether a file contains the name of one of some classes."""
        if self._index is None or not is_read(file):
            return names_any(file, words_of_names(classes))
        return any(file in self.holding(one) for one in classes)

    def heirs(self, name: str, defining: str) -> frozenset[str]:
        """The names of a class of a file, and of those derived from it, judged by their words."""
        if (name, defining) not in self._heirs:
            found, pending = {name}, [(name, defining)]
            while pending and len(found) < HEIRS_MOST:
                base, place = pending.pop()
                index = self._attribute_index()
                files = index.deriving(base) if index is not None else self.of(base)
                own = self._at(place)
                for file in dict.fromkeys((*files, *((own,) if own is not None else ()))):
                    for heir in heirs_in(file, base, is_own=file.file == place):
                        if heir not in found:
                            found.add(heir)
                            pending.append((heir, file.file))
            self._heirs[name, defining] = frozenset(found)
        return self._heirs[name, defining]

    def _at(self, path: str) -> SourceFile | None:
        if not self._by_path:
            self._by_path = {file.file: file for file in self._files}
        return self._by_path.get(path)

    def _attribute_index(self) -> AttributeIndex | None:
        """An index by attributes; `None` if there is only one of all words, which may be kept."""
        if self._attributes is None and self._index is None and not are_kept():
            self._index_attributes()
        return self._attributes

    def _index_attributes(self) -> None:
        files = (one for one in self._files if is_read(one) and not is_test(one.file))
        self._attributes = AttributeIndex(files)

    def index_all(self) -> None:
        """Index words and attributes, before most files of the project ask for some."""
        self.index()
        if self._attributes is None:
            self._index_attributes()
        forget_texts()

    def index(self) -> None:
        """Index all words, as many are going to be asked for."""
        forget_texts()  # few of them are read from here on
        self._index = self._index or WordIndex.kept(self._files) or WordIndex.made(self._files)

    def _searched(self, name: str) -> list[SourceFile]:
        word = _bytes_of(name)
        if self._index is None:
            self._index = WordIndex.kept(self._files)
        if self._index is None and len(self._found) >= _SEARCHES_MOST:
            self.index()
        if self._index is None:
            return [file for file in self._files if is_read(file) and holds(text_of(*file), word)]
        return self._index.files(word)


def holds_now(file: SourceFile, name: str) -> bool:
    """Whether one file contains a name, found without an index."""
    return _bytes_of(name) in words_of(file)


def may_define(file: SourceFile, name: str) -> bool:
    """Whether a file may define a function of the name."""
    if not holds_now(file, name):
        return False
    return not _is_source(file) or _defines(text_of(*file), _bytes_of(name))


def may_derive(file: SourceFile, name: str) -> bool:
    """Whether a file may derive a class from one of that name, or import it under an alias."""
    if not _is_source(file) or not name:
        return True
    text, word = text_of(*file), _bytes_of(name)
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        if not LETTER.match(text[end : end + 1]) and not LETTER.match(text[place - 1 : place]):
            _, keyword, header = text[max(0, place - _HEADER_MOST) : place].rpartition(b"class ")
            if _RENAMED.match(text, end) or (keyword and b"(" in header and b":" not in header):
                return True
        place = text.find(word, end)
    return False


def _defines(text: bytes, name: bytes) -> bool:
    """Whether `def` precedes a name; the search is for the name, which is rarer."""
    place = text.find(name)
    while place >= 0:
        if text[place - 1 : place] in _SPACES and not _WORD.match(text, place + len(name)):
            before = text[max(0, place - _FARTHEST) : place].rstrip(_BETWEEN)
            before = before or text[:place].rstrip(_BETWEEN)
            if before.endswith(b"def") and not _WORD.match(before[-4:-3]):
                return True
        place = text.find(name, place + 1)
    return False


class Names(NamedTuple):
    """What a text imports, judged without parsing."""

    text: bytes
    """The text, with rows joined that a backslash continues."""
    imports: Mapping[str, tuple[str, ...]]
    """By name in the text: the qualified names that it may stand for."""
    apart: frozenset[bytes]
    """The attributes that white space separates from their dot."""


def may_name(file: SourceFile, name: str, package: str, is_meant: Callable[[str], bool]) -> bool:
    """Whether a name in a file may mean something that the file imports.

    `is_meant` decides that for qualified names; relative imports are relative to `package`.
    """
    if not _is_source(file):
        return True
    names = names_of(file, package)
    ending = f".{name}"
    if any(is_meant(f"{home}.{name}") for home in names.imports.get("*", ())):
        return True
    for some in names.imports.values():
        if any(one.endswith(ending) and is_meant(one) for one in some):
            return True
    if _bytes_of(name) in names.apart:
        return True
    for before in _befores(names.text, name):
        chain = before.translate(_NO_CHAIN).rpartition(b" ")[2].decode("utf-8", "surrogateescape")
        if not chain and _may_be_chain(before):
            return True
        head, dot, rest = chain.partition(".")
        if any(is_meant(f"{one}{dot}{rest}{ending}") for one in names.imports.get(head, ())):
            return True
    return False


def names_as_attribute(file: SourceFile, name: str, package: str) -> bool:
    """Whether a file may contain an attribute of that name."""
    if not _is_source(file):
        return True
    names = names_of(file, package)
    return _bytes_of(name) in names.apart or next(_befores(names.text, name), None) is not None


def _befores(text: bytes, name: str) -> Iterator[bytes]:
    """Yield the distinct texts that precede an attribute of that name."""
    attribute = b"." + _bytes_of(name)
    seen = set[bytes]()
    place = text.find(attribute)
    while place >= 0:
        end = place + len(attribute)
        before = text[max(0, place - _FARTHEST) : place]
        if not LETTER.match(text[end : end + 1]) and before not in seen:
            seen.add(before)
            yield before
        place = text.find(attribute, end)


def _may_be_chain(before: bytes) -> bool:
    """Whether a text that ends in no name may end in one in brackets, or with a subscript."""
    if not before.endswith(b")"):
        return True
    outside, bracket, inside = before.rpartition(b"(")
    is_called = outside[-1:] in (b")", b"]") or LETTER.match(outside[-1:]) is not None
    return bool(bracket) and not is_called and not inside[:-1].translate(None, _IN_CHAIN)


@lru_cache(_KEPT_MOST)
def names_of(file: SourceFile, package: str) -> Names:
    """The imports of a file, and its attributes that white space separates from their dot."""
    text = text_of(*file)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\\\n" in text:
        text = _CONTINUED.sub(b" ", text)
    imports: dict[str, list[str]] = {}
    for found in _IMPORTED.finditer(text):
        row = text[text.rfind(b"\n", 0, found.start()) + 1 : found.start()]
        home = _FROM.search(row)
        if home is not None:
            bound = _imported_from(home[1], found[1], package)
        elif _ALONE.search(row):
            bound = _imported(found[1])
        else:
            continue
        for name, target in bound:
            imports.setdefault(name, []).append(target)
    return Names(
        text,
        {name: tuple(dict.fromkeys(some)) for name, some in imports.items()},
        frozenset(_APART.findall(text)),
    )


def _imported(modules: bytes) -> Iterator[tuple[str, str]]:
    """Yield the names that `import` binds, each with what it stands for."""
    for written in modules.split(b","):
        words = written.decode("utf-8", "surrogateescape").split()
        if len(words) == 3:
            yield words[2], words[0]
        elif words:
            first = words[0].partition(".")[0]
            yield first, first


def _imported_from(home: bytes, names: bytes, package: str) -> Iterator[tuple[str, str]]:
    module = "".join(home.decode("utf-8", "surrogateescape").split())
    inner = module.lstrip(".")
    level = len(module) - len(inner)
    if level:
        parts = package.split(".") if package else []
        module = ".".join((*parts[: len(parts) - level + 1], *([inner] if inner else ())))
    for written in _REMARK.sub(b"", names.strip(b"() \t")).split(b","):
        words = written.decode("utf-8", "surrogateescape").split()
        if words and words[0] == "*":
            yield "*", module
        elif words:
            yield words[-1], f"{module}.{words[0]}" if module else words[0]


def _bytes_of(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _is_source(file: SourceFile) -> bool:
    return file.file.endswith(".py")
