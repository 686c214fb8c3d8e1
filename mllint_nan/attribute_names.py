"""Which files of a project set an attribute of a name, judged by their words, without parsing.

The answer only decides which files are parsed: in doubt, a file is included.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from mllint_nan.project_files import SourceFile, text_of
from mllint_nan.syntax.symbol_table import holds

_KEPT_MOST: Final = 8192
_SET: Final = re.compile(
    rb"(\bself)?[ \t]*\.[ \t]*(\w+)[ \t]*(?::[^\n=]+)?(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)"
)
"""An attribute that a value is assigned to, and whether it is one of `self`."""
_SET_TOGETHER: Final = re.compile(rb"(?m)^[ \t\"]*([^\n=(#]*\.\w+[^\n=(#]*,[^\n=(#]*)=(?!=)")
"""The targets of an assignment to several places."""
_LEADING: Final = re.compile(rb"(?m)^[ \t\"]*(?:for|with)\b[^\n]*\.[^\n]*:")
_ATTRIBUTE: Final = re.compile(rb"\.(\w+)")
_NAMED: Final = re.compile(rb"\bsetattr\(\s*([^\n,]+),\s*([^\n,]*)")
"""An object and the name of its attribute, where `setattr` sets it."""
_QUOTED: Final = re.compile(rb"\\?['\"](\w+)\\?['\"]\s*\Z")
_ANY: Final = b""
"""Stands for an attribute whose name is computed."""


_CLASS: Final = re.compile(rb"\bclass[ \t]+\w+[ \t]*\(([^)]*)\)")
"""The bases of a class."""
_WORD: Final = re.compile(rb"\w+")


class _Set(NamedTuple):
    """The attributes that a text sets: of `self`, and of other objects; and words of bases."""

    own: frozenset[bytes]
    others: frozenset[bytes]
    bases: frozenset[bytes]


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
    text = text_of(*file)
    return any(holds(text, one) for one in named)


def setting(files: Iterable[SourceFile], name: str, classes: Collection[str]) -> list[SourceFile]:
    """The files that may set an attribute of this name."""
    return [file for file in files if sets(file, name, classes)]


@lru_cache(_KEPT_MOST)
def _set_in(file: str, changed: int, size: int) -> _Set:
    text = text_of(file, changed, size)
    own, others = set[bytes](), set[bytes]()
    for is_own, name in _SET.findall(text):
        (own if is_own else others).add(name)
    for targets in (*_SET_TOGETHER.findall(text), *_LEADING.findall(text)):
        others.update(_ATTRIBUTE.findall(targets))
    for of, named in _NAMED.findall(text):
        quoted = _QUOTED.match(named.strip(b") \t"))
        (own if of.strip() == b"self" else others).add(quoted[1] if quoted else _ANY)
    bases = {word for written in _CLASS.findall(text) for word in _WORD.findall(written)}
    return _Set(frozenset(own), frozenset(others), frozenset(bases))
