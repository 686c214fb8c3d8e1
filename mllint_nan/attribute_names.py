"""Which files of a project set an attribute of a name, judged by their words, without parsing.

The answer only decides which files are parsed: in doubt, a file is included.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from mllint_nan.project_files import SourceFile, text_of
from mllint_nan.syntax.symbol_table import holds
from mllint_nan.words import words_in

HEIRS_MOST: Final = 64
"""Classes derived from one that are searched for."""
_KEPT_MOST: Final = 8192
_NEAR: Final = 16
"""Bytes before an attribute in which its object is looked for."""
_SET: Final = re.compile(rb"\.[ \t]*(\w+)\b[ \t]*(?::[^\n=]+)?(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)")
"""An attribute that a value is assigned to."""
_SET_ANYWHERE: Final = (
    rb"[.\n=;:][ \t]*%b\b[ \t]*(?::[^\n=]+)?(?:[-+*/%%@&|^]|//|\*\*|<<|>>)?=(?!=)"
    rb"|\.[ \t]*%b\b[^\n=(]*\)[ \t]*=(?!=)"
)
"""An assignment to a name or attribute, alone or among others in brackets."""
_OF_SELF: Final = re.compile(rb"\bself[ \t]*\Z")
_SET_TOGETHER: Final = re.compile(rb"\n([^\n=(#]*,[^\n=(#]*)=(?!=)")
"""The targets of an assignment to several places."""
_OPEN: Final = b"([{,"
"""How a row ends that the next one continues."""
_LEADING: Final = re.compile(rb"\n[ \t\"]*(?:for|with)\b[^\n]*\.[^\n]*:")
_ATTRIBUTE: Final = re.compile(rb"\.(\w+)")
_NAMED: Final = re.compile(rb"setattr(?<!\wsetattr)\(\s*([^\n,]+),\s*([^\n,]*)")
"""An object and the name of its attribute, where `setattr` sets it."""
_QUOTED: Final = re.compile(rb"\\?['\"](\w+)\\?['\"]\s*\Z")
_NOTEBOOK: Final = ".ipynb"
_ROW_END: Final = ord("\n")
_ANY: Final = b""
"""Stands for an attribute whose name is computed."""
_ANYWHERE: Final = ""
"""Stands for a place outside the bodies of classes."""


_CLASS: Final = re.compile(rb"class(?<!\wclass)[ \t]+(\w+)[ \t]*(?:\(([^)]*)\))?")
"""A class, and its bases."""
_WORD: Final = re.compile(rb"\w+")
_HEADER: Final = re.compile(rb"\n([ \t]*)(?:class[ \t]+(\w+)|(?:async[ \t]+)?def\b)")
"""The first row of a class or a function."""
_BLANKS: Final = b" \t"
_INDENT: Final = re.compile(rb"[ \t]*")
_HEADERS_MOST: Final = 64
"""The most files of which it is kept where classes and functions begin."""
_ASSIGNED: Final = (
    rb"[%b\n=;:][ \t]*%b\b[ \t]*(?::[^\n=]+)?=(?!=)[ \t]*"
    rb"(?:(?P<number>[-+.(\\\d][^\n]*)|(?P<name>\w+)[ \t]*(?=[\r\n#;=]|\Z))"
)
"""An assignment of something that looks like a number, or of a name, to a name or attribute."""


class _Text(NamedTuple):
    """What a text says of attributes and classes."""

    others: frozenset[bytes]
    """The attributes that it sets of other objects than `self`."""
    classes: tuple[tuple[bytes, frozenset[bytes]], ...]
    """Its classes, each with the words of its bases."""
    bases: frozenset[bytes]
    """The words of bases that are no classes of its own."""


def sets(file: SourceFile, name: str, classes: Collection[str]) -> bool:
    """Whether a file may set an attribute of this name, or derive another class from one of some.

    Where the name of the attribute is computed, the file must name one of the classes.
    """
    found, named = _read(*file), words_of_names(classes)
    if _word(name) in found.others or not found.bases.isdisjoint(named):
        return True
    return _ANY in found.others and any(holds(text_of(*file), one) for one in named)


def sets_number(
    file: SourceFile, name: str, classes: Collection[str] | None = None, *, but: str = ""
) -> bool:
    """Whether a file may set an attribute of this name to a number that it contains.

    With `classes`, the body of a class counts only if it is one of these, and not `but`.
    """
    owners = _owners_of_number(file, name)
    if not owners or classes is None or _ANYWHERE in owners:
        return bool(owners)
    if not (owners - {but}).isdisjoint(classes):
        return True
    text = text_of(*file)
    return b" as " in text and any(one + b" as " in text for one in words_of_names(classes))


@lru_cache(_KEPT_MOST)
def _owners_of_number(file: SourceFile, name: str) -> frozenset[str]:
    """The classes in whose bodies an attribute is set to a number; `_ANYWHERE` for other places."""
    text, word = text_of(*file), _word(name)
    if not holds(text, word):
        return frozenset()
    text = b"\n" + text
    if file.file.endswith(_NOTEBOOK):
        return frozenset((_ANYWHERE,))
    if b"setattr(" in text and any(quote + word + quote in text for quote in (b"'", b'"')):
        return frozenset((_ANYWHERE,))
    owners = set[str]()
    numbers = dict[bytes, bool]()
    for start, other in _assigned(text, word, b"."):
        if other is not None and other not in numbers:
            numbers[other] = _is_number(text, other)
        if other is None or numbers[other]:
            owner = _ANYWHERE if text[start] != _ROW_END else _owner_at(file, text, start)
            if owner is not None:
                owners.add(owner)
    return frozenset(owners)


def _is_number(text: bytes, name: bytes) -> bool:
    """Whether a name may stand for a number, perhaps by other names."""
    seen, pending = {name}, [name]
    while pending:
        for _, other in _assigned(text, pending.pop()):
            if other is None:
                return True
            if other not in seen:
                seen.add(other)
                pending.append(other)
    return False


def _owner_at(file: SourceFile, text: bytes, start: int) -> str | None:
    """The class in whose body a row is; `None` in the body of a function, or of the module."""
    indented = _INDENT.match(text, start + 1)
    deep = len(indented[0]) if indented is not None else 0
    for place, depth, name in reversed(_headers(*file)):
        if place < start and depth < deep:
            return name.decode("utf-8", "surrogateescape") if name is not None else None
    return None


@lru_cache(_HEADERS_MOST)
def _headers(file: str, changed: int, size: int) -> tuple[tuple[int, int, bytes | None], ...]:
    """The classes and functions of a file: where and how deep they begin, and a class's name."""
    text = b"\n" + text_of(file, changed, size)
    return tuple((one.start(), len(one[1]), one[2]) for one in _HEADER.finditer(text))


def _assigned(text: bytes, name: bytes, before: bytes = b"") -> Iterator[tuple[int, bytes | None]]:
    """What may be assigned to a name, or after a dot, and where: a name, or `None` for a number.

    Searching for the name first takes a fraction of the time of searching for what precedes it.
    """
    assigned, end = re.compile(_ASSIGNED % (before, re.escape(name))), 0
    place = text.find(name)
    while place >= 0:
        start = place - 1
        while start >= end and text[start] in _BLANKS:
            start -= 1
        found = assigned.match(text, start) if start >= end else None
        if found is not None:
            end = found.end()
            number = found["number"]
            if number is None or not _is_default(number):
                yield start, found["name"]
        place = text.find(name, max(place + 1, end))


def _is_default(written: bytes) -> bool:
    """Whether a value is a parameter's default, by what follows it in its row."""
    code = written.partition(b"#")[0].rstrip()
    return code.endswith(b",") or code.count(b")") > code.count(b"(")


@lru_cache(_KEPT_MOST)
def sets_anywhere(file: SourceFile, name: str) -> bool:
    """Whether a file may set an attribute of this name, of `self` and in bodies of classes, too."""
    others, text, word = _read(*file).others, text_of(*file), _word(name)
    if word in others or _ANY in others:
        return True
    if not holds(text, word):
        return False
    if file.file.endswith(_NOTEBOOK):
        return True
    if b"setattr(" in text and any(quote + word + quote in text for quote in (b"'", b'"')):
        return True
    name_set = re.escape(word)
    return re.search(_SET_ANYWHERE % (name_set, name_set), b"\n" + text) is not None


def names_any(file: SourceFile, classes: frozenset[bytes]) -> bool:
    """Whether a file contains the name of one of some classes."""
    if not classes.isdisjoint(_read(*file).bases):
        return True
    text = text_of(*file)
    return any(holds(text, one) for one in classes)


def heirs_in(file: SourceFile, base: str, *, is_own: bool) -> Iterator[str]:
    """The classes that a file derives from one of another file, or of its own."""
    found, word = _read(*file), _word(base)
    if is_own or word in found.bases:
        for one, bases in found.classes:
            if word in bases:
                yield one.decode("utf-8", "surrogateescape")


class AttributeIndex:
    """The files of a project by the names of the attributes that they set, and of bases."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self._others = defaultdict[bytes, list[SourceFile]](list)
        self._bases = defaultdict[bytes, list[SourceFile]](list)
        self._computing: dict[bytes, list[SourceFile]] | None = None
        """By word: the files with it that compute the names of attributes that they set."""
        for file in files:
            found = _read(*file)
            for words, index in ((found.others, self._others), (found.bases, self._bases)):
                for word in words:
                    index[word].append(file)

    def deriving(self, name: str) -> list[SourceFile]:
        """Those that derive classes from one of this name."""
        return self._bases.get(_word(name), [])

    def files(
        self, name: str, classes: Collection[str], *, only_numbers: bool = False
    ) -> set[SourceFile]:
        """Those that may set an attribute of this name, as `sets` tells of each.

        With `only_numbers`, those do not count that compute the name of what they set.
        """
        found = {*self._others.get(_word(name), ())}
        for one in classes:
            found.update(self.deriving(one), () if only_numbers else self._computing_with(one))
        return found

    def _computing_with(self, name: str) -> list[SourceFile]:
        """Those that compute the names of attributes that they set, and name a class."""
        if self._computing is None:
            self._computing = {}
            for file in self._others.get(_ANY, ()):
                for word in words_in(text_of(*file)):
                    self._computing.setdefault(word, []).append(file)
        return self._computing.get(_word(name), [])


def _word(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def words_of_names(names: Iterable[str]) -> frozenset[bytes]:
    return frozenset(map(_word, names))


def _set_together(text: bytes) -> Iterator[bytes]:
    """Yield the targets of assignments to several places, without rows within a call."""
    for found in _SET_TOGETHER.finditer(text):
        if text[found.start() - 1] not in _OPEN or found[1].rstrip().endswith(b")"):
            yield found[1]


@lru_cache(_KEPT_MOST)
def _read(file: str, changed: int, size: int) -> _Text:
    text = b"\n" + text_of(file, changed, size)
    others = {
        found[1]
        for found in _SET.finditer(text)
        if _OF_SELF.search(text, max(found.start() - _NEAR, 0), found.start()) is None
    }
    for targets in (*_set_together(text), *_LEADING.findall(text)):
        others.update(_ATTRIBUTE.findall(targets))
    for of, named in _NAMED.findall(text):
        quoted = _QUOTED.match(named.strip(b") \t"))
        if quoted is None or of.strip() != b"self":
            others.add(quoted[1] if quoted else _ANY)
    classes = tuple(
        (name, frozenset(_WORD.findall(written))) for name, written in _CLASS.findall(text)
    )
    own = {name for name, _ in classes}
    bases = {word for _, words in classes for word in words}
    bases -= {one for one in bases & own if b"." + one not in text}
    return _Text(frozenset(others), classes, frozenset(bases))
