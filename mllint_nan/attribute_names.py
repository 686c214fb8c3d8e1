"""Which files of a project set an attribute of a name, judged by their words, without parsing.

The answer only decides which files are parsed: in doubt, a file is included.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from mllint_nan.project_files import SourceFile, text_of
from mllint_nan.syntax.symbol_table import holds

_KEPT_MOST: Final = 8192
_NEAR: Final = 16
"""Bytes before an attribute in which its object is looked for."""
_SET: Final = re.compile(rb"\.[ \t]*(\w+)[ \t]*(?::[^\n=]+)?(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)")
"""An attribute that a value is assigned to."""
_OF_SELF: Final = re.compile(rb"\bself[ \t]*\Z")
_SET_TOGETHER: Final = re.compile(rb"(?m)^([^\n=(#]*,[^\n=(#]*)=(?!=)")
"""The targets of an assignment to several places."""
_LEADING: Final = re.compile(rb"(?m)^[ \t\"]*(?:for|with)\b[^\n]*\.[^\n]*:")
_ATTRIBUTE: Final = re.compile(rb"\.(\w+)")
_NAMED: Final = re.compile(rb"\bsetattr\(\s*([^\n,]+),\s*([^\n,]*)")
"""An object and the name of its attribute, where `setattr` sets it."""
_QUOTED: Final = re.compile(rb"\\?['\"](\w+)\\?['\"]\s*\Z")
_ANY: Final = b""
"""Stands for an attribute whose name is computed."""


_CLASS: Final = re.compile(rb"\bclass[ \t]+(\w+)[ \t]*(?:\(([^)]*)\))?")
"""A class, and its bases."""
_WORD: Final = re.compile(rb"\w+")


class _Set(NamedTuple):
    """The attributes that a text sets: of `self`, and of other objects; and words of bases.

    A class of its own is another than an imported one of that name.
    """

    own: frozenset[bytes]
    others: frozenset[bytes]
    bases: frozenset[bytes]
    classes: frozenset[bytes]


def sets(file: SourceFile, name: str, classes: Collection[str]) -> bool:
    """Whether a file may set an attribute of this name: of `self` only if it names a class.

    A file that derives another class from one of the classes counts, too.
    """
    found, word = _set_in(*file), name.encode("utf-8", "surrogateescape")
    named = [one.encode("utf-8", "surrogateescape") for one in classes]
    if word in found.others or not found.bases.isdisjoint(named):
        return True
    if not classes or not (word in found.own or _ANY in found.own or _ANY in found.others):
        return False
    return any(_names(file, one) for one in named)


@lru_cache(8 * _KEPT_MOST)
def _names(file: SourceFile, word: bytes) -> bool:
    """Whether a file names a class of another file."""
    text = text_of(*file)
    return holds(text, word) if word not in _set_in(*file).classes else b"." + word in text


class AttributeIndex:
    """The files of a project by the names of the attributes that they set."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self._own = defaultdict[bytes, list[SourceFile]](list)
        self._others = defaultdict[bytes, list[SourceFile]](list)
        self._bases = defaultdict[bytes, list[SourceFile]](list)
        for file in files:
            found = _set_in(*file)
            for words, index in zip(found, (self._own, self._others, self._bases), strict=False):
                for word in words:
                    index[word].append(file)

    def files(self, name: str, classes: Collection[str]) -> set[SourceFile]:
        """Those that may set an attribute of this name, as `sets` tells of each."""
        word = name.encode("utf-8", "surrogateescape")
        found = {*self._others.get(word, ())}
        for one in classes:
            found.update(self._bases.get(one.encode("utf-8", "surrogateescape"), ()))
        if classes:
            own = (self._own.get(word, ()), self._own.get(_ANY, ()), self._others.get(_ANY, ()))
            found.update(
                file
                for file in {one for files in own for one in files} - found
                if sets(file, name, classes)
            )
        return found


@lru_cache(_KEPT_MOST)
def _set_in(file: str, changed: int, size: int) -> _Set:
    text = text_of(file, changed, size)
    own, others = set[bytes](), set[bytes]()
    for found in _SET.finditer(text):
        is_own = _OF_SELF.search(text, max(found.start() - _NEAR, 0), found.start()) is not None
        (own if is_own else others).add(found[1])
    for targets in (*_SET_TOGETHER.findall(text), *_LEADING.findall(text)):
        others.update(_ATTRIBUTE.findall(targets))
    for of, named in _NAMED.findall(text):
        quoted = _QUOTED.match(named.strip(b") \t"))
        (own if of.strip() == b"self" else others).add(quoted[1] if quoted else _ANY)
    classes, bases = set[bytes](), set[bytes]()
    for name, written in _CLASS.findall(text):
        classes.add(name)
        bases.update(_WORD.findall(written))
    bases -= {one for one in bases & classes if b"." + one not in text}
    return _Set(frozenset(own), frozenset(others), frozenset(bases), frozenset(classes))
