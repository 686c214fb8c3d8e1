"""The files beside the one that is linted: which module is which file, each read once.

Only bytes are read; a file that has changed since is read again.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from mllint_nan.syntax.outline import Outline

_KEPT_MOST: Final = 1024
_DIGESTS_MOST: Final = 16_384
_INIT: Final = "__init__.py"
_SOURCES: Final = "src"
"""Where the packages of a project stand by convention, if not at its root."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The modules that one file can import.

    `package` is the qualified name of the package that the file is a module of, or an empty
    string; `roots` are the directories in which a top-level name is looked for, the first first.
    """

    package: str
    roots: tuple[str, ...]

    def module(self, name: str) -> Outline | None:
        """The module of a qualified name, if it is a file below one of the roots."""
        parts = name.split(".")
        for root in self.roots:
            if _exists(root, parts[0]):
                return _module(name, os.path.join(root, *parts))
        return None

    def state(self, name: str) -> str:
        """A word for the file that a module is now, which is another once anything of it is."""
        parts = name.split(".")
        for root in self.roots:
            if _exists(root, parts[0]):
                path = os.path.join(root, *parts)
                found = _file(path)
                if found is None:
                    return "directory" if os.path.isdir(path) else "absent"
                return f"{found.file} {_digest(*found)}"
        return "absent"


def neighbours_of(path: str, roots: tuple[str, ...] = ()) -> Neighbours:
    """What a file can import: from its own package, and from below `roots`."""
    directory, parts = os.path.dirname(os.path.abspath(path)), []
    while os.path.exists(os.path.join(directory, _INIT)):
        directory, name = os.path.split(directory)
        if not name:
            break
        parts.append(name)
    absolute = [os.path.abspath(root) for root in roots]
    sources = [os.path.join(root, _SOURCES) for root in absolute]
    found = (directory, *absolute, *sources)
    return Neighbours(".".join(reversed(parts)), tuple(dict.fromkeys(found)))


def _exists(root: str, name: str) -> bool:
    path = os.path.join(root, name)
    return os.path.isfile(f"{path}.py") or os.path.isdir(path)


class _File(NamedTuple):
    """A file as it was when it was last `changed`, in nanoseconds."""

    file: str
    changed: int
    size: int


def _file(path: str) -> _File | None:
    """The file of the module at a path."""
    for file in (os.path.join(path, _INIT), f"{path}.py"):
        try:
            status = os.stat(file)
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(status.st_mode):
            return _File(file, status.st_mtime_ns, status.st_size)
    return None


def _module(name: str, path: str) -> Outline | None:
    from mllint_nan.syntax.outline import Outline

    found = _file(path)
    if found is not None:
        return _read(name, found.file == os.path.join(path, _INIT), *found)
    return Outline(name, True, b"") if os.path.isdir(path) else None


@lru_cache(_KEPT_MOST)
def _read(name: str, is_package: bool, file: str, changed: int, size: int) -> Outline | None:
    from mllint_nan.syntax.outline import Outline

    try:
        with open(file, "rb") as opened:
            return Outline(name, is_package, opened.read())
    except (OSError, MemoryError):
        return None


@lru_cache(_DIGESTS_MOST)
def _digest(file: str, changed: int, size: int) -> str:
    try:
        with open(file, "rb") as opened:
            return hashlib.sha256(opened.read()).hexdigest()
    except (OSError, MemoryError):
        return "unreadable"
